"""Models that fit the measured values exactly, as those of deterministic properties can."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splc.learning.projection.candidates import CONSTANT_PLACE
from splc.learning.projection.competition import LanguageSearch
from splc.types import Array

# Relative differences up to this are rounding of the measured values.
EXACT = 1e-6
# Terms whose largest contribution is below this share are 0.
NOTHING = 1e-5
# A model that fits this number of configurations per term exactly does so by chance only if it is true.
ROWS_PER_TERM = 2


@dataclass(frozen=True, eq=False)
class ExactModel:
    """Terms and influences that fit all measured values exactly."""

    search: LanguageSearch  # the models of its language
    chosen: tuple[int, ...]  # the positions of its terms
    coefficients: Array  # the coefficients of their columns, shape (terms,)


def exact_model(search: LanguageSearch, rows_per_term: int = ROWS_PER_TERM) -> ExactModel | None:
    """Return the shortest model of a language that fits all measured values exactly, None if there is none.

    The full model is smooth: it follows measured values without noise closely, but not exactly. A short model that
    fits them exactly is closer to the truth than one that follows the full model.
    """
    rows, candidates = search.rows, search.candidates
    measured, weights = rows.target.measured, rows.weights(search.product)[: rows.learned]
    target = weights * (np.log(measured) if search.product else measured)
    limit = EXACT * float(rows.roots.max())
    short_models = [model for model in dict.fromkeys(search.models[0]) if rows_per_term * len(model) <= len(measured)]
    union = sorted({position for model in short_models for position in model})
    columns = candidates.columns[union][:, : rows.learned].T
    residual = target - columns @ np.linalg.lstsq(columns, target)[0]
    if not short_models or np.linalg.norm(residual) > limit * np.sqrt(len(target)):
        # All terms together do not fit, so that no model does.
        return None
    for model in short_models:
        # The constant of free terms has the unit of the values.
        stays = np.array(
            [position == CONSTANT_PLACE and bool(candidates.free[position]) for position in model], dtype=bool
        )
        exact_fit = _fit(columns[:, np.searchsorted(union, model)], target, limit, stays)
        if exact_fit is not None:
            positions = [model[index] for index in exact_fit[0].tolist()]
            if positions and (candidates.free[positions] | (exact_fit[1] > 0)).all():
                return ExactModel(search, tuple(positions), exact_fit[1])
    return None


def _fit(columns: Array, target: Array, limit: float, stays: Array) -> tuple[Array, Array] | None:
    """Return the columns, shape (n, k), that are needed to fit a target exactly, or stay, and their coefficients."""
    indices = np.arange(columns.shape[1])
    for _ in range(2):
        coefficients, _, rank, _ = np.linalg.lstsq(columns[:, indices], target, rcond=1e-10)
        if rank < len(indices) or abs(columns[:, indices] @ coefficients - target).max(initial=0.0) > limit:
            return None
        contributions = abs(columns[:, indices] * coefficients).max(axis=0, initial=0.0)
        needed = stays[indices] | (contributions > NOTHING * abs(target).max())
        if needed.all():
            break
        indices = indices[needed]
    return indices, coefficients
