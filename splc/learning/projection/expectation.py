"""The expected differences between unmeasured values and the predictions of a full model."""

from __future__ import annotations

import math

# Not numpy's, which imports the masked arrays.
from statistics import median

import numpy as np

from splc.learning.expected import Expected
from splc.learning.folds import FEWEST
from splc.learning.projection import constants
from splc.learning.projection.full_model import FullModel
from splc.learning.projection.target import Target
from splc.learning.result import CrossValidated
from splc.types import Array

# From so many rows on errors outside of folds are near those elsewhere, also with few rows per option: in 20 samples of
# 24 and 40 rows of five systems of 14 to 60 options the latter were 0.28 to 1.9 times as large; with 14 rows up to 9.6
# times.
ENOUGH = 24


def is_stated(full: FullModel, given: bool = False) -> bool:
    """Return whether cross-validated errors are stated: not with too few rows, nor for values that are not positive.

    `given`: whether the groups that folds keep together are those of the user, who asks for their error.
    """
    return full.scale.positive and full.data.independent >= _enough_to_judge(full, given)


def _enough_to_judge(full_model: FullModel, given: bool) -> int:
    """Return the number of groups of rows from which on errors outside of folds are stated."""
    if given:
        return FEWEST
    return max(constants.ROWS_OF_VALIDATION, constants.ROWS_PER_OPTION * len(full_model.basis.variables))


def expected(full: FullModel, target: Target, valid: int | None, given: bool = False) -> Expected:
    """Return how far unmeasured values are expected to be from the prediction.

    The errors outside of the folds are used if they are larger than the intervals.

    `valid`: the number of valid configurations, None if there are many.
    """
    rows, needed = full.data.independent, min(_enough_to_judge(full, given), ENOUGH)
    grouped = full.data.groups is not None
    unknown = f"{rows} {'groups ' * grouped}measured, {needed} needed" if rows < needed else ""
    if unknown and not grouped and valid is not None and valid < needed:
        unknown = f"{rows} of {valid} valid configurations measured, too few to judge by"
    if full.scale.positive:
        width = max(math.hypot(full.predictor.quantile * target.spread, full.runs), _most(abs(full.run_residuals)))
        factor = float(np.exp(min(width, 600.0))) if math.isfinite(width) else None
        run = CrossValidated.of(full.run_residuals).mean if full.runs and not unknown else None
        crossed = None if unknown else full.cross_validated.mean
        return Expected(factor, crossed, unknown=unknown, run=run, known=full.known_error)
    unmeasured = target.configurations[len(full.rows) :]
    low, high = full.interval(unmeasured if len(unmeasured) else target.configurations)
    errors = abs(full.held_out - full.data.y / full.scale.unit) * full.scale.unit
    width = max(median(((high - low) / 2).tolist()), _most(errors))
    difference = None if unknown else float(errors.mean())
    return Expected(width if math.isfinite(width) else None, difference=difference, unknown=unknown)


def _most(differences: Array) -> float:
    """Return what 9 of 10 differences are not above."""
    return float(np.sort(differences)[math.ceil(constants.LEVEL * len(differences)) - 1])
