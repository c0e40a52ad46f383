"""Checks of many configurations against many clauses at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splc.system.clauses import Clause
from splc.types import Array

# Configurations that are checked together, and bytes of their literals that are looked up together.
_ROWS, _BYTES = 1 << 13, 1 << 25


class ClauseTable:
    """The clauses of a system as numbers of their literals.

    Args:
        clauses: the clauses.
    """

    def __init__(self, clauses: Sequence[Clause]) -> None:
        numbers: dict[tuple[int, tuple[bool, ...]], int] = {}
        by_length: dict[int, list[list[int]]] = {}
        for clause in clauses:
            literal_numbers = [numbers.setdefault(literal, len(numbers)) for literal in clause.literals]
            by_length.setdefault(len(literal_numbers), []).append(literal_numbers)
        self._literals = [(position, np.array(allowed)) for position, allowed in numbers]
        self._clauses = [
            np.array(rows, dtype=np.int32).reshape(len(rows), length) for length, rows in by_length.items()
        ]

    def holds(self, indices: Array) -> Array:
        """Return which configurations satisfy all clauses, shape (n,), bool; `indices`: shape (n, options)."""
        blocks = (indices[start : start + _ROWS] for start in range(0, len(indices), _ROWS))
        return np.concatenate([np.ones(0, dtype=bool), *map(self._block, blocks)])

    def _block(self, indices: Array) -> Array:
        columns = np.asfortranarray(indices)
        width = -(-len(indices) // 8)
        # One bit per configuration for each literal.
        held = np.zeros((len(self._literals), width), dtype=np.uint8)
        for number, (position, allowed) in enumerate(self._literals):
            held[number] = np.packbits(allowed[columns[:, position]])
        valid = np.full(width, 255, dtype=np.uint8)
        for group in self._clauses:
            step = max(1, _BYTES // max(1, group.shape[1] * width))
            for start in range(0, len(group), step):
                satisfied = np.bitwise_or.reduce(held[group[start : start + step]], axis=1)
                valid &= np.bitwise_and.reduce(satisfied, axis=0)
        return np.unpackbits(valid, count=len(indices)).astype(bool)
