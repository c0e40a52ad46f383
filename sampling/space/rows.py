"""Rows of small integers, packed into 64-bit words to find distinct rows and to sort them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splc.types import Array

WORD = 2**62


def packed(columns: Sequence[Array], sizes: Sequence[int]) -> list[Array]:
    """Return words (int64) that order rows as their columns do, the first column most significant.

    `columns`: integers of shape (n,), column i in 0 … sizes[i] - 1. `sizes`: the number of values of each column.
    """
    words: list[Array] = []
    room = 0
    for column, size in zip(columns, sizes, strict=True):
        if size <= 1:
            continue
        if size <= room:
            words[-1] = words[-1] * size + column
            room //= size
        else:
            words.append(column.astype(np.int64))
            room = WORD // size
    return words


def distinct(words: Sequence[Array], n: int) -> tuple[Array, Array]:
    """Return the first position of each distinct row, in ascending order of the rows, and the rank of each row.

    `words`: columns of shape (n,), most significant first; without columns, all rows are equal.
    """
    if n <= 1 or not words:
        return np.zeros(min(n, 1), dtype=np.int64), np.zeros(n, dtype=np.int64)
    combined = words[0]
    for word in words[1:]:
        # Ranks stay below n, so their product fits into 64 bits.
        high = np.unique(combined, return_inverse=True)[1].reshape(-1)
        values, low = np.unique(word, return_inverse=True)
        combined = high * len(values) + low.reshape(-1)
    _, first, ranks = np.unique(combined, return_index=True, return_inverse=True)
    return first, ranks.reshape(-1)


def distinct_rows(matrix: Array, sizes: Sequence[int] | None = None) -> tuple[Array, Array]:
    """Return what `distinct` returns for a matrix; `sizes`: the number of values of each column of integers."""
    if sizes is None:
        sizes = [int(size) + 1 for size in matrix.max(axis=0, initial=0)]
    return distinct(packed(list(matrix.T), sizes), len(matrix))


def ascending(matrix: Array, sizes: Sequence[int]) -> Array:
    """Return the stable permutation that sorts the rows of `matrix` lexicographically."""
    words = packed(list(matrix.T), sizes)
    return np.lexsort(words[::-1]) if words else np.arange(len(matrix))


def without_repeats(matrix: Array) -> Array:
    """Return the distinct rows of an integer matrix in order of their first appearance."""
    return np.asarray(matrix[np.sort(distinct_rows(matrix)[0])])


def contained(rows: Array, others: Array) -> Array:
    """Return which rows are among others, shape (n,), bool."""
    dtype = np.result_type(rows, others)
    known = {row.tobytes() for row in others.astype(dtype)}
    return np.array([row.tobytes() in known for row in rows.astype(dtype)], dtype=bool)
