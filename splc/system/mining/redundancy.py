"""Which clauses follow from others: by unit propagation, which is complete for implications between two options."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

# Literals of column i are i + 1 and -(i + 1).
Literals = tuple[int, ...]
# The most incomplete assignments, relative to the limit of complete ones.
ON_THE_WAY = 8


@dataclass
class ClauseSet:
    """Clauses, and sets of columns of which at most one is 1, that can be asked what follows from them."""

    _containing: dict[int, list[Literals]] = field(default_factory=dict)
    _exclusive: dict[int, list[Sequence[int]]] = field(default_factory=dict)

    def add(self, clauses: Iterable[Literals]) -> None:
        """Add clauses."""
        for clause in clauses:
            for literal in clause:
                self._containing.setdefault(literal, []).append(clause)

    def remove(self, clauses: Iterable[Literals]) -> None:
        """Remove clauses that were added."""
        for clause in clauses:
            for literal in clause:
                self._containing[literal].remove(clause)

    def add_exclusive(self, columns: Sequence[int]) -> None:
        """Add a set of which at most one is 1; `columns`: as literals."""
        for column in columns:
            self._exclusive.setdefault(column, []).append(columns)

    def consequences(self, assumed: Iterable[int]) -> set[int] | None:
        """Return the literals that follow from some by unit propagation, None for a contradiction."""
        known: set[int] = set()
        pending = list(assumed)
        while pending:
            literal = pending.pop()
            if literal in known:
                continue
            if -literal in known:
                return None
            known.add(literal)
            for columns in self._exclusive.get(literal, ()):
                pending += [-other for other in columns if other != literal]
            for clause in self._containing.get(-literal, ()):
                if known.isdisjoint(clause):
                    undecided = [candidate for candidate in clause if -candidate not in known]
                    if not undecided:
                        return None
                    if len(undecided) == 1:
                        pending.append(undecided[0])
        return known

    def implies(self, clauses: Iterable[Literals]) -> bool:
        """Return whether each of some clauses follows by unit propagation."""
        return all(self.consequences([-literal for literal in clause]) is None for clause in clauses)

    def has_more_solutions(self, columns: int, limit: int) -> bool:
        """Return whether more than a number of assignments to the columns seem to satisfy the clauses.

        The assignments are completed column by column. Far more than the limit before the last column count as more
        than the limit.
        """
        closing: dict[int, list[Literals]] = {}
        for clause in {stated for clauses in self._containing.values() for stated in clauses} | self._exclusions():
            closing.setdefault(max(map(abs, clause)), []).append(clause)
        rows = np.zeros((1, 0), dtype=bool)
        for column in range(1, columns + 1):
            rows = np.concatenate([np.repeat(rows, 2, axis=0), np.tile([[False], [True]], (len(rows), 1))], axis=1)
            for clause in closing.get(column, ()):
                held = [rows[:, abs(literal) - 1] == (literal > 0) for literal in clause]
                rows = rows[np.logical_or.reduce(held)]
            if len(rows) > ON_THE_WAY * limit:
                return True
        return len(rows) > limit

    def _exclusions(self) -> set[Literals]:
        return {
            (-column, -other)
            for column, sets in self._exclusive.items()
            for columns in sets
            for other in columns
            if column < other
        }
