"""Suggestions for the goal `optimum`: the configurations that may be better than the best measured one.

Those with the largest expected improvement follow each other, each as if its predicted value had been measured
(`improving_rows`); a first design sees every value of every option (`covering_rows`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sampling.sequential import most_worth
from splc.data.configurations import Configurations
from splc.learning.active.cover import cells_of, covering_row
from splc.learning.active.search_model import Runs, SearchModel
from splc.learning.projection import Variable, canonical_order, hash_order, option_constants, without_numbers
from splc.types import Array

# Where the density of a normal distribution is too small, the asymptotic formula is used; without it the worth of all
# candidates underflows, and ties decide.
_FAR = -6.0
# Smaller gains count as none: a search that follows them stays where many values are nearly equal.
TOLERANCE = 0.01
# Candidates that are considered again for each further suggestion.
_KEPT = 2000


def log_improvements(means: Array, deviations: Array, best: float) -> Array:
    """Return the logarithm of how far below `best` normally distributed values are expected to be, shape (m,).

    `means`: their means, shape (m,). `deviations`: their standard deviations, shape (m,).
    """
    from scipy.special import ndtr

    deviations = np.maximum(deviations, 1e-9)
    u = (best - means) / deviations
    near = np.maximum(u, _FAR)
    density = np.exp(-(near**2) / 2) / np.sqrt(2 * np.pi)
    far = np.minimum(u, _FAR)
    tail = -(far**2) / 2 - np.log(2 * np.pi) / 2 - 2 * np.log(-far)
    result: Array = np.log(deviations) + np.where(u < _FAR, tail, np.log(near * ndtr(near) + density))
    return result


@dataclass(frozen=True, eq=False)
class ImprovingRows:
    """Candidates that may be better than the best measured configuration, in order."""

    rows: Array  # their positions among the candidates, shape (k,)
    gains: Array  # the expected improvements in the unit of the property, shape (k,); NaN in a first design
    model: SearchModel | None  # the model; None in a first design


def least_gain(model: SearchModel) -> float:
    """Return the least gain that is worth a run, on the scale of a model."""
    return math.log1p(TOLERANCE) if model.scale.name == "log" else TOLERANCE * float(model.t.std())


def gain_in_units(model: SearchModel, level: float, improvement: float) -> float:
    """Return an improvement on a value in the unit of the property, both on the scale of the model."""
    now, then = model.untransformed(np.array([level, level - improvement])).tolist()
    return float(abs(then - now))


def improving_rows(
    candidates: Configurations,
    runs: Runs,
    variables: Sequence[Variable],
    count: int,
    maximize: bool = False,
    cost: Callable[[Configurations], Array] | None = None,
) -> ImprovingRows:
    """Return the candidates with the largest expected improvement, one after the other.

    Each is added as if its predicted value had been measured.

    `cost`: the cost of measuring configurations; the improvement per cost counts.
    """
    constants = option_constants(runs.configurations, runs.y)
    # Neither the order of rows nor that of options matters.
    order = hash_order(runs.configurations, constants)
    ordered = Runs(runs.configurations[order], runs.y[order], runs.counts[order], runs.known[order])
    model = SearchModel.of(ordered, canonical_order(variables, constants), maximize)
    level = float(model.measured[0][ordered.known].min())
    remaining, current = np.arange(len(candidates)), model
    log_costs = np.zeros(len(candidates)) if cost is None else np.log(cost(candidates))
    rows: list[int] = []
    gains: list[float] = []
    while len(rows) < count:
        means, deviations = current.moments(candidates[remaining])
        improvements = log_improvements(means, deviations, level - least_gain(model))
        worths = improvements - log_costs[remaining]
        best = most_worth(worths, np.ones(len(remaining), dtype=bool))
        rows.append(int(remaining[best]))
        gains.append(gain_in_units(model, level, math.exp(improvements[best])))
        level = min(level, float(means[best]))
        top = np.sort(np.argsort(-worths, kind="stable")[: _KEPT + count])
        remaining = remaining[top[top != best]]
        current = model.believing(candidates[np.array(rows)])
    return ImprovingRows(np.array(rows), np.array(gains), model)


def covering_rows(
    candidates: Configurations, known: Configurations, variables: Sequence[Variable], count: int
) -> ImprovingRows:
    """Return the candidates of a first design that sees every value of every option."""
    used = without_numbers(variables)
    cells, drawn = cells_of(used, known), cells_of(used, candidates)
    rows: list[int] = []
    remaining = np.arange(len(candidates))
    for _ in range(count):
        best = covering_row(cells, drawn[remaining])
        rows.append(int(remaining[best]))
        cells = np.vstack([cells, drawn[remaining[[best]]]])
        remaining = np.delete(remaining, best)
    return ImprovingRows(np.array(rows, dtype=int), np.full(count, np.nan), None)
