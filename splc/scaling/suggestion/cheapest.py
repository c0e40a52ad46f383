"""The strategy `cheapest`: the cheapest lines first, then the cheapest points.

Source: Ritter et al., Learning Cost-Effective Sampling Strategies, section III.E: (1) measure the cheapest available
line of five points per parameter and make a first model; (2) measure the cheapest further point; (3) make the model
again; (4) repeat until the model predicts well enough, or the budget is spent.

Without a target, the error of a model is that of predicting each point off the cheapest lines from all other points.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sampling.sequential import NextCandidates
from splc.data.accuracy import mean_relative_error
from splc.scaling.fit import fit_many
from splc.scaling.multi.lines import lines
from splc.scaling.suggestion.candidates import CandidatePoints
from splc.types import Array

LINE = 5


@dataclass(frozen=True)
class CheapestStrategy:
    """The choice of the cheapest points among candidates."""

    candidates: CandidatePoints

    def choose(self) -> NextCandidates | None:
        """Return the missing points of a line, or the cheapest point; None if all are taken."""
        line = self.candidates.next_line(LINE)
        if line is not None:
            return NextCandidates(*line)
        rows = np.flatnonzero(~self.candidates.taken)
        if len(rows) == 0:
            return None
        # Of equally cheap points, the one with smaller values.
        return NextCandidates(
            rows[[int(self.candidates.costs[rows].argmin())]], "the cheapest point that was not measured"
        )

    def add(self, row: int) -> None:
        """Mark a point as suggested."""
        self.candidates.suggested[row] = True


def base(candidates: CandidatePoints) -> Array:
    """Return the points of the cheapest measured line of each parameter, shape (points, parameters)."""
    used = np.zeros(len(candidates.points), dtype=bool)
    measured = candidates.counts > 0
    for parameter in range(candidates.points.shape[1]):
        full = [line[measured[line]] for line in lines(candidates.points, parameter)]
        long_lines = [line for line in full if len(line) >= LINE]
        if not long_lines:
            # Lines are measured first, so there are no other points yet.
            return np.asarray(candidates.points[measured])
        cheapest = min(long_lines, key=lambda line: float(np.sort(candidates.costs[line])[:LINE].sum()))
        used[cheapest[np.argsort(candidates.costs[cheapest], kind="stable")[:LINE]]] = True
    return np.asarray(candidates.points[used])


def error_off_lines(points: Array, values: Array, on_lines: Array) -> tuple[float | None, int]:
    """Return the mean relative error in percent of predicting points off lines from all others, and their number.

    `points`: measured points, shape (n, parameters). `values`: measured values, shape (n, repetitions); NaN where one
    is missing. `on_lines`: the points of the lines, shape (points on lines, parameters).
    """
    tested = np.flatnonzero(~(points[:, None] == on_lines[None]).all(axis=2).any(axis=1))
    mean = np.nanmean(values, axis=1)
    tested = tested[mean[tested] != 0]
    if len(tested) == 0:
        return None, 0
    training = np.tile(values, (len(tested), 1, 1))
    training[np.arange(len(tested)), tested] = np.nan
    models = fit_many(points, training)
    predicted = np.array([model.predict(points[[row]]).ravel()[0] for model, row in zip(models, tested, strict=True)])
    return mean_relative_error(predicted, mean[tested]), len(tested)
