"""The layout of repetitions: values of rows of one group side by side in a table with one row per group."""

from __future__ import annotations

import numpy as np

from splc.types import Array

# Larger tables are refused by readers.
MOST_CELLS = 100_000_000


def offsets(group: Array, slots: Array, groups: int) -> tuple[Array, Array]:
    """Return the column of the first value of each row, and the number of columns of each group.

    Args:
        group: the group of each row, shape (n,).
        slots: the number of values of each row, shape (n,).
        groups: the number of groups.
    """
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(slots[order])
    totals = np.bincount(group, weights=slots, minlength=groups).astype(np.int64)
    group_starts = np.cumsum(totals) - totals
    found = np.empty(len(group), dtype=np.int64)
    found[order] = ends - slots[order] - group_starts[group[order]]
    return found, totals
