"""The layout of repetitions: values of rows of one group side by side in a table with one row per group."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from splc.errors import MeasurementError, Problem
from splc.types import Array

# Larger tables are refused.
MAX_CELLS = 100_000_000
# Larger tables may have at most this many cells for each value: most are empty where only few groups have many values.
FEW_CELLS, MAX_PER_VALUE = 4_000_000, 10


def most_cells(values: int) -> int:
    """Return how many cells a table of repetitions with this many values may have."""
    return min(MAX_CELLS, max(FEW_CELLS, MAX_PER_VALUE * values))


def require_size(groups: int, width: int, values: int, columns: int = 1, file: str | None = None) -> None:
    """Refuse a table of repetitions that is too large."""
    if groups * width * columns > most_cells(values * columns):
        message = f"a configuration has {width:,} repetitions, too many beside {groups:,} configurations"
        raise MeasurementError(Problem(message, file, hint="leave some of its repetitions out"))


def offsets(group: Array, slots: Array, groups: int) -> tuple[Array, Array]:
    """Return the column of the first value of each row, and the number of columns of each group.

    `group`: the group of each row, shape (n,). `slots`: the number of values of each row, shape (n,).
    """
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(slots[order])
    totals = np.bincount(group, weights=slots, minlength=groups).astype(np.int64)
    group_starts = np.cumsum(totals) - totals
    first_columns = np.empty(len(group), dtype=np.int64)
    first_columns[order] = ends - slots[order] - group_starts[group[order]]
    return first_columns, totals


def repetition_rows(tables: Iterable[Array], count: int) -> tuple[Array, Array]:
    """Return the group and the column of each row of a table with one row per repetition.

    `tables`: the values of properties, each of shape (count, repetitions), NaN where one is missing. `count`: the
    number of groups; each has at least one row.
    """
    used = np.ones(count, dtype=np.int64)
    for values in tables:
        known = ~np.isnan(values)
        last = values.shape[1] - np.argmax(known[:, ::-1], axis=1)
        used = np.maximum(used, np.where(known.any(axis=1), last, 1))
    rows = np.repeat(np.arange(count), used)
    return rows, np.arange(len(rows)) - np.repeat(np.cumsum(used) - used, used)


def repetition_column(values: Array, rows: Array, slots: Array) -> Array:
    """Return the values in the rows of `repetition_rows`, NaN where a property has fewer repetitions."""
    padded = np.full((len(values), max(int(slots.max(initial=0)) + 1, values.shape[1])), np.nan)
    padded[:, : values.shape[1]] = values
    return np.asarray(padded[rows, slots])
