"""Groups of rows: equal rows, found by hashes that are verified, and repetitions side by side in a row per group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

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
    """Return the column of the first value of each row, and the number of columns of each group: see `side_by_side`."""
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(slots[order])
    totals = np.bincount(group, weights=slots, minlength=groups).astype(np.int64)
    group_starts = np.cumsum(totals) - totals
    first_columns = np.empty(len(group), dtype=np.int64)
    first_columns[order] = ends - slots[order] - group_starts[group[order]]
    return first_columns, totals


def side_by_side(columns: Mapping[str, Array], group: Array, slots: Array, file: str | None = None) -> dict[str, Array]:
    """Return name → values, shape (groups, repetitions), with the rows of a group one after another, and NaN.

    `columns` have the shape (n, k); each of the n rows has a group, and a number of values, its slots, at most k.
    """
    starts, totals = offsets(group, slots, int(group.max(initial=-1)) + 1)
    width = int(totals.max(initial=1))
    require_size(len(totals), width, int(slots.sum()), len(columns), file)
    tables = {}
    for name, values in columns.items():
        filled = np.full((len(totals), width), np.nan)
        for slot in range(values.shape[1]):
            present = slots > slot
            filled[group[present], starts[present] + slot] = values[present, slot]
        used = np.flatnonzero(~np.isnan(filled).all(axis=0))
        tables[name] = filled[:, : used[-1] + 1 if len(used) else 1]
    return tables


def repetition_rows(tables: Iterable[Array], count: int) -> tuple[Array, Array]:
    """Return the group and the column of each row of a table with one row per repetition, at least one of each group.

    `tables`: the values of properties, each of shape (count, repetitions), NaN where one is missing.
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
    lacking = max(int(slots.max(initial=0)) + 1 - values.shape[1], 0)
    return np.asarray(np.pad(values, ((0, 0), (0, lacking)), constant_values=np.nan)[rows, slots])


# An odd number near 2^64 divided by the golden ratio, and a shift that brings its high bits down.
SPREAD, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)


@dataclass(frozen=True, eq=False)
class RowHashes:
    """The rows of a table of integers."""

    rows: Array  # the table, contiguous, shape (n, columns)

    @cached_property
    def words(self) -> Array:
        """The bytes of each row as 64-bit words, shape (n, words)."""
        width = self.rows.dtype.itemsize * self.rows.shape[1]
        table = np.zeros((len(self.rows), max(1, -(-width // 8)) * 8), dtype=np.uint8)
        table[:, :width] = self.rows.view(np.uint8).reshape(len(self.rows), width)
        return table.view(np.uint64)

    @cached_property
    def hashes(self) -> Array:
        """A 64-bit number per row, equal where rows are, shape (n,)."""
        hashes = np.zeros(len(self.rows), dtype=np.uint64)
        for word in self.words.T:
            hashes = (hashes ^ word) * SPREAD
            hashes ^= hashes >> _SHIFT
        return hashes

    @cached_property
    def _ordered(self) -> tuple[Array, Array]:
        """The hashes in ascending order with their rows, equal ones by row."""
        order = np.argsort(self.hashes, kind="stable")
        return order, self.hashes[order]

    def groups(self) -> tuple[Array, Array] | None:
        """Return the first row of each distinct row, ascending, and each row's place among these; None on a collision.

        A collision, of different rows with the same hash, is very rare.
        """
        ordered = np.sort(self.hashes)
        if (ordered[1:] != ordered[:-1]).all():
            return np.arange(len(ordered)), np.arange(len(ordered))
        order, ordered = self._ordered
        begins = np.append(True, ordered[1:] != ordered[:-1])
        group = np.empty(len(order), dtype=np.int64)
        group[order] = np.cumsum(begins) - 1
        first = order[begins]
        if not np.array_equal(self.words, self.words[first[group]]):
            return None
        by_row = np.argsort(first)
        rank = np.empty(len(first), dtype=np.int64)
        rank[by_row] = np.arange(len(first))
        return first[by_row], rank[group]

    def find(self, wanted: RowHashes) -> Array | None:
        """Return the first row that equals each wanted row, -1 where there is none; None on a collision."""
        order, ordered = self._ordered
        # Ascending numbers are found much faster: their places are near each other in memory.
        by_hash = np.argsort(wanted.hashes)
        positions = np.empty(len(by_hash), dtype=np.int64)
        positions[by_hash] = np.searchsorted(ordered, wanted.hashes[by_hash])
        positions = np.minimum(positions, len(order) - 1)
        known = ordered[positions] == wanted.hashes
        rows = order[positions]
        if not np.array_equal(self.words[rows[known]], wanted.words[known]):
            return None
        return np.where(known, rows, -1)
