"""Hashes of rows of integers, by which many rows are grouped and found; equal hashes are verified."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from splc.types import Array

# An odd number near 2^64 divided by the golden ratio, and a shift that brings its high bits down.
SPREAD, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)


@dataclass(frozen=True, eq=False)
class RowHashes:
    """The rows of a table of integers.

    Args:
        rows: the table, contiguous, shape (n, columns).
    """

    rows: Array

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
