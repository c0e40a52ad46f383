"""Questions about valid configurations that need no count, answered by a SAT solver of the extra `solver`.

The solver is Glucose (package `python-sat`): Audemard, Simon: "On the Glucose SAT solver", IJAIT 27 (2018). Feature
models are easy for it, and it answers many short questions faster than CaDiCaL does (docs/decisions).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np

from sampling.space.problem import ConstraintProblem, stated
from sampling.space.value_literals import MAX_VALUES, ValueLiterals
from splc.system.constraints import Constraint
from splc.types import Array

_SOLVER = "glucose4"


@cache
def is_installed() -> bool:
    """Return whether the solver is installed."""
    return find_spec("pysat") is not None


class Satisfiability:
    """The satisfiability of clauses under assumptions.

    Literals count variables from 1; the literal of a deselected option is negative.

    Args:
        variables: the number of variables.
        clauses: sequences of literals.
        origins: the constraint of the model that each clause was derived from, None for the hierarchy.
    """

    def __init__(self, variables: int, clauses: Sequence[Sequence[int]], origins: Sequence[object] = ()) -> None:
        self._variables = variables
        self._clauses = clauses
        self._origins = origins
        self._activators = 0

    @classmethod
    def of(cls, problem: ConstraintProblem) -> Satisfiability | None:
        """Return the satisfiability of a problem of binary options; None without the solver, or if it has others.

        None also if an arithmetic constraint is about too many of them.
        """
        if any(size > 2 for size in problem.sizes):
            return None
        return cls.of_values(problem, ValueLiterals(problem.sizes))

    @classmethod
    def of_values(cls, problem: ConstraintProblem, literals: ValueLiterals) -> Satisfiability | None:
        """Return the satisfiability of the values of a problem; None as `of`, but options may have any values."""
        if not is_installed() or max(problem.sizes, default=0) > MAX_VALUES:
            return None
        clauses: list[list[int]] = list(literals.domains())
        origins: list[object] = [None] * len(clauses)
        for constraint in problem.constraints:
            constraint_clauses = literals.clauses(problem, constraint)
            if constraint_clauses is None:
                return None
            clauses += constraint_clauses
            origins += [stated(constraint)] * len(constraint_clauses)
        return cls(literals.count, clauses, origins)

    @property
    def clauses(self) -> Sequence[Sequence[int]]:
        """The clauses."""
        return self._clauses

    @cached_property
    def _solver(self) -> Any:
        return self._loaded(self._clauses)

    def _loaded(self, clauses: Sequence[Sequence[int]]) -> Any:
        """Return a solver of clauses, in which every variable occurs."""
        from pysat.solvers import Solver

        solver = Solver(name=_SOLVER, bootstrap_with=clauses)
        solver.add_clause([self._variables, -self._variables])
        return solver

    def solution(self, assumptions: Sequence[int] = (), preferred: Array | None = None) -> Array | None:
        """Return a solution with some literals, shape (variables,), None if there is none.

        `preferred`: the value that the solver tries first, for each variable, shape (variables,).
        """
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
        for variable in range(self._variables):
            if not undecided[variable]:
                continue
            # Other values are tried first, so that every solution settles many variables.
            other = self.solution([-variable - 1 if first[variable] else variable + 1], preferred=1 - first)
            if other is None:
                fixed[variable] = first[variable]
                undecided[variable] = False
                self._solver.add_clause([variable + 1 if first[variable] else -variable - 1])
            else:
                undecided &= other == first
        return fixed

    def redundant(self, constraints: Sequence[Constraint]) -> list[bool]:
        """Return for each stated constraint whether the other constraints imply it."""
        selectors: dict[int, int] = {}
        guarded: list[Sequence[int]] = []
        clauses_of: dict[int, list[Sequence[int]]] = {}
        for origin, clause in zip(self._origins, self._clauses, strict=True):
            if origin is None:
                guarded.append(clause)
                continue
            selector = selectors.setdefault(id(origin), self._variables + len(selectors) + 1)
            clauses_of.setdefault(id(origin), []).append(clause)
            guarded.append([*clause, -selector])
        solver = self._loaded(guarded)
        verdicts = []
        for constraint in constraints:
            # A constraint that always holds has no clause.
            other_selectors = [selector for key, selector in selectors.items() if key != id(constraint)]
            verdicts.append(
                not any(
                    solver.solve(assumptions=[*other_selectors, *(-literal for literal in clause)])
                    for clause in clauses_of.get(id(constraint), [])
                )
            )
        return verdicts

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
