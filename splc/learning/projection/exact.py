"""Models that fit the measured values exactly, as those of deterministic properties can."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

import numpy as np

from splc.learning.projection.decomposition import Decomposition
from splc.learning.projection.size import ProjectedModel
from splc.learning.projection.subset import Subset
from splc.types import Array

# Relative differences up to this are rounding of the measured values.
EXACT = 1e-6
# Terms whose largest contribution is below this share are 0.
NOTHING = 1e-5
# A model that fits this number of configurations per term exactly does so by chance only if it is true.
ROWS_PER_TERM = 2


def exact_model(projection: ProjectedModel) -> Subset | None:
    """Return the shortest model of a path that fits all measured values exactly, None if there is none.

    The full model is smooth: it follows measured values without noise closely, but not exactly. A short model that
    fits them exactly is closer to the truth than one that follows the full model.
    """
    rows, goal = projection.rows, projection.path[0].goal
    weights = rows.weights(projection.product)[rows.learned]
    measured = rows.target.measured
    target = weights * (np.log(measured) if projection.product else measured)
    limit = EXACT * float(rows.roots.max())
    # Exchanges in the selected model may find true terms that no model of the path has together.
    models = sorted((*projection.path, projection.model), key=lambda model: len(model.chosen))
    short = list(takewhile(lambda model: ROWS_PER_TERM * len(model.chosen) <= len(measured), models))
    every = np.array(sorted({place for model in short for place in model.chosen}), dtype=int)
    columns = goal.candidates.columns[np.ix_(every, rows.learned)].T
    rest = target - columns @ np.linalg.lstsq(columns, target)[0]
    if np.linalg.norm(rest) > limit * np.sqrt(len(target)):
        # All terms together do not fit, so that no model does.
        return None
    for model in short:
        found = _fit(columns[:, np.searchsorted(every, model.chosen)], target, limit)
        if found is None:
            continue
        places, coefficients = found
        chosen = tuple(model.chosen[place] for place in places.tolist())
        if chosen and (goal.candidates.free[list(chosen)] | (coefficients > 0)).all():
            whole = goal.candidates.columns[list(chosen)].T
            return Subset(goal, chosen, coefficients, Decomposition.of(whole), goal.target - whole @ coefficients)
    return None


def with_exact(projection: ProjectedModel) -> ProjectedModel | None:
    """Return a projection whose model fits the measured values exactly, None if there is no such model."""
    found = exact_model(projection)
    return None if found is None else replace(projection, model=found)


def _fit(columns: Array, target: Array, limit: float) -> tuple[Array, Array] | None:
    """Return the columns, shape (n, k), that are needed to fit a target exactly, and their coefficients."""
    places = np.arange(columns.shape[1])
    for _ in range(2):
        coefficients, _, rank, _ = np.linalg.lstsq(columns[:, places], target, rcond=1e-10)
        if rank < len(places) or abs(columns[:, places] @ coefficients - target).max() > limit:
            return None
        contributions = abs(columns[:, places] * coefficients).max(axis=0, initial=0.0)
        needed = contributions > NOTHING * abs(target).max()
        if needed.all():
            break
        places = places[needed]
    return places, coefficients
