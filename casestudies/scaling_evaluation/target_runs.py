"""Measurements of synthetic functions in the order of a strategy, and the prediction at the target after each.

*Measurements*: each repetition of a point is the value times 1 + u, u uniform in [-noise, noise]. A point costs
the first parameter times the function's value; costs are in percent of those of all points of the grid.

*Strategies*: all add a point at a time (of more than 20 points, some at a time). `suggest` is the strategy `target` of
`splc.scaling.suggest`, from the cheapest point on, until it says that the value is known within 5 %; it may repeat
points, and makes at most `STEPS` suggestions. `cheapest` takes the cheapest line of every parameter, then the cheapest
points (Learning Cost-Effective Sampling Strategies). `random` takes points in random order. The latter two know the
true costs, are judged from one point more than there are parameters on, and continue to the whole grid.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from casestudies.scaling_evaluation.sparse_functions import AXES, cheapest_first
from casestudies.scaling_evaluation.target_functions import TARGET
from splc.scaling.fit import fit
from splc.scaling.suggestion.suggest import suggest
from splc.types import Array

UNTIL = 5.0
STRATEGIES = ("suggest", "cheapest", "random")
# The largest number of suggestions.
STEPS = 60
# Each of the first points of an order is a step; later steps increase the number of points by this factor.
_SINGLE_STEPS, _FACTOR = 20, 1.15
# Suggestions repeat a point at most this many times as often as others.
_REPEATED = 4


@dataclass(frozen=True, eq=False)
class TargetExperiment:
    """A function that can be measured."""

    points: Array  # shape (n, parameters)
    values: Array  # the function's values, shape (n,)
    at_target: float  # its value at the target
    measured: Array  # all possible measurements, shape (n, most)
    repetitions: int  # measurements at a time
    seed: tuple[int, ...]  # of random orders

    @classmethod
    def of(
        cls, points: Array, values: Array, at_target: float, noise: float, repetitions: int, seed: tuple[int, ...]
    ) -> TargetExperiment:
        """Return the experiment with drawn measurements."""
        draws = np.random.default_rng(seed).uniform(-noise, noise, (len(points), _REPEATED * repetitions))
        return cls(points, values, at_target, values[:, None] * (1 + draws), repetitions, seed)

    def known(self, counts: Array) -> tuple[Array, Array]:
        """Return the measured points and their values, NaN for none; `counts`: measurements of each point."""
        rows = np.flatnonzero(counts)
        values = self.measured[rows, : counts.max()].copy()
        values[np.arange(values.shape[1]) >= counts[rows, None]] = np.nan
        return self.points[rows], values

    def cost(self, counts: Array) -> float:
        """Return the cost of measurements, in percent of that of the whole grid."""
        each = self.points[:, 0] * self.values
        return float(100 * (counts * each).sum() / (self.repetitions * each.sum()))


def run(experiment: TargetExperiment, strategy: str) -> list[dict[str, Any]]:
    """Return what is known after each step: points, measurements, cost, prediction and interval over the true value."""
    steps = _suggested(experiment) if strategy == "suggest" else _ordered(experiment, strategy)
    return [
        {
            "points": int((counts > 0).sum()),
            "measurements": int(counts.sum()),
            "cost %": _rounded(experiment.cost(counts)),
            "predicted": _rounded(predicted / experiment.at_target),
            "lower": None if lower is None else _rounded(lower / experiment.at_target),
            "upper": None if upper is None else _rounded(upper / experiment.at_target),
            "done": done,
        }
        for counts, predicted, lower, upper, done in steps
    ]


Step = tuple[Array, float, float | None, float | None, bool]


def _suggested(experiment: TargetExperiment) -> Iterator[Step]:
    parameters = experiment.points.shape[1]
    counts = np.zeros(len(experiment.points), dtype=int)
    # The first point of the grid is the cheapest.
    counts[0] = experiment.repetitions
    for _ in range(STEPS):
        found = suggest(
            *experiment.known(counts),
            target=TARGET[:parameters],
            axes=AXES[:parameters],
            cost=lambda points, values: points[:, 0] * values,
            until=UNTIL,
            count=1,
            repetitions=experiment.repetitions,
        )
        aim = found.target
        assert aim is not None
        yield counts.copy(), aim.predicted, *aim.mean, found.done
        if found.done or not found.points:
            return
        row = int(np.flatnonzero((experiment.points == found.points[0].point).all(axis=1))[0])
        counts[row] += experiment.repetitions


def _ordered(experiment: TargetExperiment, strategy: str) -> Iterator[Step]:
    parameters = experiment.points.shape[1]
    counts = np.zeros(len(experiment.points), dtype=int)
    if strategy == "random":
        order = np.random.default_rng([*experiment.seed, 1]).permutation(len(counts))
    else:
        order = cheapest_first(experiment.points, experiment.points[:, 0] * experiment.values)
    size = parameters + 1
    while True:
        counts[order[:size]] = experiment.repetitions
        model = fit(*experiment.known(counts))
        yield counts.copy(), float(model.predict([TARGET[:parameters]]).ravel()[0]), None, None, False
        if size == len(order):
            return
        size = min(max(size + 1, int(size * _FACTOR) if size >= _SINGLE_STEPS else 0), len(order))


def _rounded(value: float) -> float:
    return float(f"{value:.5g}")
