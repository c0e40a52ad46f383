"""Literals and clauses of values, for solvers that know binary variables only.

A variable of two values is one binary variable; one of more values has a binary variable for each value, of which
exactly one is true. The numbers of binary variables count from 1, so that those of a problem of binary options are the
positions of the options plus 1.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from sampling.space.automata import cells, grid_truth, live_values, values_in
from sampling.space.problem import ConstraintProblem, Disjunction, Relation
from splc.types import Array

# An arithmetic constraint over more combinations of values has too many clauses.
MAX_CELLS = 1 << 14
# A variable of more values has too many clauses.
MAX_VALUES = 256


class ValueLiterals:
    """The literals of the values of variables.

    Args:
        sizes: the number of values of each variable.
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        self._sizes = tuple(sizes)
        self._first = tuple(itertools.accumulate((1 if size == 2 else size for size in sizes), initial=1))

    @property
    def count(self) -> int:
        """The number of binary variables."""
        return self._first[-1] - 1

    def literal(self, variable: int, value: int) -> int:
        """Return the literal of a variable that has a value."""
        first = self._first[variable]
        if self._sizes[variable] == 2:
            return first if value else -first
        return first + value

    def values(self, solution: Array) -> Array:
        """Return the values of the variables, shape (variables,), of a solution, shape (binary variables,)."""
        selected = [
            solution[start - 1] if size == 2 else int(np.argmax(solution[start - 1 : start - 1 + size]))
            for start, size in zip(self._first, self._sizes, strict=False)
        ]
        return np.array(selected, dtype=np.int64)

    def domains(self) -> Iterator[list[int]]:
        """Yield clauses: each variable has exactly one value."""
        for variable, size in enumerate(self._sizes):
            if size == 2:
                continue
            literals = [self.literal(variable, value) for value in range(size)]
            yield literals
            yield from ([-first, -second] for first, second in itertools.combinations(literals, 2))

    def clauses(self, problem: ConstraintProblem, constraint: Disjunction | Relation) -> list[list[int]] | None:
        """Return the clauses of a constraint, None if it is an arithmetic one over too many combinations of values."""
        if isinstance(constraint, Disjunction):
            return [self._in(constraint.literals)]
        domains = [(1 << size) - 1 for size in problem.sizes]
        scope = sorted({variable for variable, _ in constraint.tables.values()})
        if cells(constraint, domains) > MAX_CELLS:
            return None
        live = [live_values(constraint, variable, domains) for variable in scope]
        excused = self._in(tuple(constraint.guards.items()))
        return [
            [*excused, *(-self.literal(scope[column], int(live[column][index])) for column, index in enumerate(row))]
            for row in np.argwhere(~grid_truth(constraint, scope, domains)).tolist()
        ]

    def _in(self, literals: Sequence[tuple[int, int]]) -> list[int]:
        """Return the literals of variables that have one of some values (bits)."""
        literals_of_values = []
        for variable, bits in literals:
            if self._sizes[variable] == 2 and bits < 3:
                # Most clauses are about binary options, and there may be hundreds of thousands.
                literals_of_values.append(self.literal(variable, bits - 1))
            else:
                literals_of_values += [self.literal(variable, value) for value in values_in(bits).tolist()]
        return literals_of_values
