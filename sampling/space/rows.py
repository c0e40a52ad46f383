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
    if n == 0 or not words:
        return np.zeros(min(n, 1), dtype=np.int64), np.zeros(n, dtype=np.int64)
    combined = words[0]
    for word in words[1:]:
        # Ranks stay below n, so their product fits into 64 bits.
        high = np.unique(combined, return_inverse=True)[1].reshape(-1)
        values, low = np.unique(word, return_inverse=True)
        combined = high * len(values) + low.reshape(-1)
    _, first, ranks = np.unique(combined, return_index=True, return_inverse=True)
    return first, ranks.reshape(-1)


def ascending(matrix: Array, sizes: Sequence[int]) -> Array:
    """Return the stable permutation that sorts the rows of `matrix` lexicographically."""
    words = packed([matrix[:, column] for column in range(matrix.shape[1])], sizes)
    if not words:
        return np.arange(len(matrix))
    if len(words) == 1:
        return np.argsort(words[0], kind="stable")
    return np.lexsort(words[::-1])


def without_repeats(matrix: Array) -> Array:
    """Return the distinct rows of an integer matrix in order of their first appearance."""
    if len(matrix) == 0 or matrix.shape[1] == 0:
        return matrix[:1]
    sizes = [int(size) + 1 for size in matrix.max(axis=0)]
    words = packed([matrix[:, column] for column in range(matrix.shape[1])], sizes)
    first, _ = distinct(words, len(matrix))
    distinct_rows: Array = matrix[np.sort(first)]
    return distinct_rows


def without_repeated_bytes(matrix: Array) -> Array:
    """Return the distinct rows of a matrix of bytes in order of their first appearance."""
    width = matrix.shape[1]
    if not width:
        return matrix[:1]
    data = matrix.tobytes()
    first: dict[bytes, int] = {}
    for row in range(len(matrix)):
        first.setdefault(data[row * width : (row + 1) * width], row)
    return matrix[list(first.values())]


def contained(rows: Array, others: Array) -> Array:
    """Return which rows are among others, shape (n,), bool."""
    known = set(map(tuple, others.tolist()))
    return np.array([tuple(row) in known for row in rows.tolist()], dtype=bool)
