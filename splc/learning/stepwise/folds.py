"""Cross-validation folds of a learning set."""

from __future__ import annotations

from splc.learning.cross_validation import random_folds
from splc.learning.features import FeatureTable
from splc.learning.stepwise.settings import Settings
from splc.types import Array


def folds_of(problem: FeatureTable, settings: Settings, seed: int) -> Array | None:
    """Return the fold of each row, shape (n,), or None if the settings ask for no cross-validation.

    There are crossValidation_k random folds of equal size (±1), at most as many as rows; a single row has none.
    """
    if not settings.crossValidation or len(problem) < 2:
        return None
    return random_folds(problem, settings.crossValidation_k, seed)
