"""Cross-validation folds of a learning set."""

from __future__ import annotations

import numpy as np

from splc.learning.features import FeatureTable
from splc.learning.stepwise.settings import Settings
from splc.types import Array


def stable_order(problem: FeatureTable) -> Array:
    """Return an order of the rows that does not depend on their order in the table."""
    columns = [np.nan_to_num(problem.columns[name], nan=-1e300) for name in sorted(problem.columns)]
    return np.lexsort([*columns, problem.target])


def folds_of(problem: FeatureTable, settings: Settings, seed: int) -> Array | None:
    """Return the fold of each row, shape (n,), or None if the settings ask for no cross-validation.

    There are crossValidation_k random folds of equal size (±1), at most as many as rows; a single row has none.
    """
    rows = len(problem)
    if not settings.crossValidation or rows < 2:
        return None
    shuffled = stable_order(problem)[np.random.default_rng(seed).permutation(rows)]
    folds = np.empty(rows, dtype=np.int64)
    folds[shuffled] = np.arange(rows) % min(settings.crossValidation_k, rows)
    return folds
