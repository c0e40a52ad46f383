"""Questions about valid configurations that need no count, answered by a SAT solver of the extra `solver`.

The solver is Glucose (package `python-sat`): Audemard, Simon: "On the Glucose SAT solver", IJAIT 27 (2018). Feature
models are easy for it, and it answers many short questions faster than CaDiCaL does (docs/decisions).

It knows binary variables only: a variable of more than two values has one for each value, of which exactly one is true
(`ValueLiterals`). Their numbers count from 1, so that those of binary options are the positions of the options plus 1.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np

from sampling.space.problem import ConstraintProblem, Disjunction, Relation, stated, values_in
from splc.system.constraints import Constraint
from splc.types import Array

_SOLVER = "glucose4"
MAX_CELLS = 1 << 14  # an arithmetic constraint over more combinations of values has too many clauses
MAX_VALUES = 256  # a variable of more values has too many clauses


@cache
def is_installed() -> bool:
    """Return whether the solver is installed."""
    return find_spec("pysat") is not None


class Satisfiability:
    """The satisfiability of clauses under assumptions.

    Literals count variables from 1; the literal of a deselected option is negative. `origins`: the constraint of the
    model that each clause was derived from, None for the hierarchy.
    """

    def __init__(self, variables: int, clauses: Sequence[Sequence[int]], origins: Sequence[object] = ()) -> None:
        self._variables, self.clauses, self._origins = variables, clauses, origins
        self._activators = 0

    @classmethod
    def of(cls, problem: ConstraintProblem, values: int = MAX_VALUES) -> Satisfiability | None:
        """Return the satisfiability of the values of a problem (see `ValueLiterals`).

        None without the solver, if an option has more `values`, or if arithmetic constraints are about too many.
        """
        if not is_installed() or max(problem.sizes, default=0) > values:
            return None
        literals = ValueLiterals(problem.sizes)
        clauses: list[list[int]] = list(literals.domains())
        origins: list[object] = [None] * len(clauses)
        for constraint in problem.constraints:
            constraint_clauses = literals.clauses(problem, constraint)
            if constraint_clauses is None:
                return None
            clauses += constraint_clauses
            origins += [stated(constraint)] * len(constraint_clauses)
        return cls(literals.count, clauses, origins)

    @cached_property
    def _solver(self) -> Any:
        return self._loaded(self.clauses)

    def _loaded(self, clauses: Sequence[Sequence[int]]) -> Any:
        """Return a solver of clauses, in which every variable occurs."""
        from pysat.solvers import Solver

        solver = Solver(name=_SOLVER, bootstrap_with=clauses)
        solver.add_clause([self._variables, -self._variables])
        return solver

    def solution(self, assumptions: Sequence[int] = (), preferred: Array | None = None) -> Array | None:
        """Return a solution with some literals, None if there is none; `preferred`: the value to try first, of each."""
        if preferred is not None:
            signs = np.where(preferred, 1, -1) * np.arange(1, self._variables + 1)
            self._solver.set_phases(signs.tolist())
        if not self._solver.solve(assumptions=list(assumptions)):
            return None
        solution = np.zeros(self._variables, dtype=np.uint8)
        model = np.array(self._solver.get_model()[: self._variables])
        solution[model[model > 0] - 1] = 1
        return solution

    def implied(self, literal: int) -> list[int]:
        """Return literals that unit propagation derives from one, which has a solution."""
        return list(self._solver.propagate(assumptions=[literal])[1])

    @cached_property
    def fixed(self) -> Array:
        """The value that all solutions have, per variable, -1 where solutions differ, shape (variables,)."""
        first = self.solution()
        fixed = np.full(self._variables, -1, dtype=np.int8)
        if first is None:
            return fixed
        undecided = np.ones(self._variables, dtype=bool)
        for variable, sign in enumerate(np.where(first, 1, -1).tolist()):
            if undecided[variable]:
                # Other values are tried first, so that every solution settles many variables.
                other = self.solution([-sign * (variable + 1)], preferred=1 - first)
                if other is not None:
                    undecided &= other == first
                    continue
                fixed[variable] = first[variable]
                self._solver.add_clause([sign * (variable + 1)])
        return fixed

    def redundant(self, constraints: Sequence[Constraint]) -> list[bool]:
        """Return for each stated constraint whether the other constraints imply it."""
        clauses_of: dict[int, list[Sequence[int]]] = {}
        for origin, clause in zip(self._origins, self.clauses, strict=True):
            clauses_of.setdefault(id(origin), []).append(clause)
        guarded = clauses_of.pop(id(None), [])
        selectors = {key: self._variables + number for number, key in enumerate(clauses_of, 1)}
        for key, selector in selectors.items():
            guarded += [[*clause, -selector] for clause in clauses_of[key]]
        solver = self._loaded(guarded)

        def implied(key: int) -> bool:
            others = [selector for other, selector in selectors.items() if other != key]
            # A constraint that always holds has no clause.
            violated = ([*others, *(-literal for literal in clause)] for clause in clauses_of.get(key, []))
            return not any(solver.solve(assumptions=assumptions) for assumptions in violated)

        return [implied(id(constraint)) for constraint in constraints]

    def minimal(self, assumptions: Sequence[int]) -> Array | None:
        """Return a solution that no solution with fewer selected variables is a part of, None if there is none."""
        none = np.zeros(self._variables, dtype=np.uint8)
        solution = self.solution(assumptions, preferred=none)
        while solution is not None:
            selected = np.flatnonzero(solution) + 1
            self._activators += 1
            activator = self._variables + self._activators
            self._solver.add_clause([-activator, *(-selected).tolist()])
            unselected = (-np.flatnonzero(solution == 0) - 1).tolist()
            smaller = self.solution([*assumptions, *unselected, activator], preferred=none)
            self._solver.add_clause([-activator])
            if smaller is None:
                return solution
            solution = smaller
        return None


class ValueLiterals:
    """The literals of the values of variables."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self._sizes = tuple(sizes)
        self._first = tuple(itertools.accumulate((1 if size == 2 else size for size in sizes), initial=1))
        self.count = self._first[-1] - 1  # the number of binary variables

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
        domains = problem.domains
        scope = sorted({variable for variable, _ in constraint.tables.values()})
        if constraint.cells(domains) > MAX_CELLS:
            return None
        live = [constraint.live(variable, domains) for variable in scope]
        excused = self._in(tuple(constraint.guards.items()))
        return [
            [*excused, *(-self.literal(scope[column], int(live[column][index])) for column, index in enumerate(row))]
            for row in np.argwhere(~constraint.truth(scope, domains)).tolist()
        ]

    def _in(self, literals: Sequence[tuple[int, int]]) -> list[int]:
        """Return the literals of variables that have one of some values (bits)."""
        # Most clauses are about binary options, and there may be hundreds of thousands.
        values = ([bits - 1] if self._sizes[v] == 2 and bits < 3 else values_in(bits).tolist() for v, bits in literals)
        return [
            self.literal(literal[0], value)
            for literal, chosen in zip(literals, values, strict=True)
            for value in chosen
        ]
