"""Random folds of a learning set that do not depend on the order of its rows."""

from __future__ import annotations

import numpy as np

from splc.learning.features import FeatureTable, stable_order
from splc.types import Array


def random_folds(table: FeatureTable, number: int, seed: int) -> Array:
    """Return the fold of each row, shape (n,): random folds of equal size (±1), at most as many as rows."""
    rows = len(table)
    shuffled = stable_order(table)[np.random.default_rng(seed).permutation(rows)]
    folds = np.empty(rows, dtype=np.int64)
    folds[shuffled] = np.arange(rows) % min(number, rows)
    return folds
