"""Targets of the printed model with known predictions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sampling import Space
from splc.learning.projection.basis import variables_of
from splc.learning.projection.columns import Candidates, Language, units_of
from splc.learning.projection.submodels import Target
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.systems import group

Known = Callable[[Callable[[str], Array]], Array]


def switch(name: str) -> BinaryOption:
    """Return an optional binary option."""
    return BinaryOption(name, optional=True)


NUMERIC = (NumericOption("x", (1.0, 2.0, 4.0, 8.0, 16.0)), NumericOption("y", (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)))
MIXED = VariabilityModel("mixed", (switch("a"), switch("b"), *group("g_1", "g_5", "g_9"), *NUMERIC))
BINARY = VariabilityModel("binary", tuple(switch(f"b{i}") for i in range(7)))


def target_of(
    model: VariabilityModel,
    known: Known,
    *,
    learned: int = 40,
    error: float = 0.05,
    unit: float = 1.0,
    positive: bool = True,
    seed: int = 0,
) -> Target:
    """Return the target of a full model that predicts known values, a function of columns.

    `learned`: the number of rows in the learning set. `error`: the relative, smooth error of the fold models.
    """
    rng = np.random.default_rng(seed)
    space = Space(model)
    everything = space.draw(min(space.count, 300), rng)
    learned = min(learned, len(everything))
    g = known(everything.column)
    weights = np.ones(len(everything))
    weights[:learned] = max(1.0, (len(everything) - learned) / (2 * learned))
    smooth = np.nan_to_num(np.column_stack([everything.column(name) for name in model.names]))
    smooth = smooth / np.abs(smooth).max(axis=0)
    size = np.abs(g) if positive else np.full(len(g), np.abs(g).mean())
    folds = g + error * size * (smooth @ rng.normal(size=(smooth.shape[1], 8)) / np.sqrt(smooth.shape[1])).T
    divisor = g if positive else np.ones(len(g))
    deviation = error * np.eye(len(g))
    return Target(
        configurations=everything,
        weights=weights,
        predicted=g,
        divisor=divisor,
        slope=np.ones(len(g)),
        folds=folds,
        fold_of=np.arange(learned) % 8,
        independent=learned,
        measured=g[:learned] + error * size[:learned] * rng.normal(size=learned) * 0.5,
        unit=unit,
        positive=positive,
        spread=error,
        covariance=lambda projection: projection @ deviation**2 @ projection.T,
    )


def candidates_of(rows: Target, order: int, language: Language = "sum") -> Candidates:
    """Return the candidates of a language with terms of up to so many units."""
    configurations = rows.configurations
    units, values = units_of(variables_of(configurations.system), configurations, language)
    return Candidates(units, values, rows.factors(language == "product"), order=order, signed=language == "sum")


def random_goal(seed: int, language: Language, order: int = 2) -> tuple[Candidates, Array]:
    """Return candidates, and a target for them: a random sum of candidates with noise."""
    model = (BINARY, MIXED)[seed % 2]
    rows = target_of(model, lambda column: 1 + column(model.names[0]))
    candidates = candidates_of(rows, order, language)
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(candidates), 6, replace=False)
    target = rng.normal(0.5, 1.0, 6) @ candidates.columns[chosen] + 0.3 * candidates.columns[0]
    return candidates, target + 0.05 * rng.normal(size=len(target)) * np.abs(target).mean()


def square_of(candidates: Candidates, chosen: Sequence[int], target: Array) -> float:
    """Return the sum of squared residuals of the best fit that keeps the signs, by SciPy."""
    # Tests of what is imported use other parts of this module.
    from scipy.optimize import lsq_linear

    free = candidates.free[list(chosen)]
    columns = candidates.columns[list(chosen)].T
    limits = np.where(free, -np.inf, 0.0), np.full(len(free), np.inf)
    return 2 * float(lsq_linear(columns, target, limits, tol=1e-14).cost) if len(free) else float(target @ target)
