"""The best configurations of a sum of terms, by a MaxSAT solver of the extra `solver`, exactly.

Where options that a model uses depend on each other through many others, their combinations can neither be counted nor
listed. But a term is about few options: each combination of their values is a clause whose weight is paid where the
combination occurs, so that a configuration of least weight is a best one. The solver is RC2 (package `python-sat`):
Ignatiev, Morgado, Marques-Silva: "RC2: an efficient MaxSAT solver", JSAT 11 (2019).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from threading import Event, Thread
from typing import Any

import numpy as np

from sampling.space.optimum import positions_of, sums_of
from sampling.space.satisfiability import ValueLiterals
from sampling.space.space import Space
from splc.errors import ConfigurationError, SpaceError, listed
from splc.models.influence import InfluenceModel
from splc.models.terms import Term
from splc.types import Array

MAX_COMBINATIONS = 1 << 14  # the most combinations of values of options that terms tie together directly
SECONDS = 60.0  # the limit of time of the solver. All shared feature models need less than one (docs/decisions).
# The range of a model in units of the integer weights, so that sums are exact to the last bits of a float.
_UNITS = 1 << 52
_SOLVER = "glucose4"
_PAUSE = 0.1  # the seconds between interrupts of a solver whose time is over


class WeightedClauses:
    """The valid configurations as clauses, and a model's terms as clauses with weights."""

    def __init__(self, model: InfluenceModel, space: Space, maximize: bool) -> None:
        self._space, self._model = space, model
        self.literals = ValueLiterals(space.problem.sizes)
        if space.satisfiability is None:
            raise SpaceError("the constraints are too complex for a MaxSAT solver")
        self._solver = space.satisfiability
        members = ((positions_of(model.options_of(term), space.system), (term, value)) for term, value in model.terms)
        # Terms over a part of the options of another term share its clauses.
        scopes: dict[tuple[int, ...], list[tuple[Term, float]]] = {}
        for scope, pair in sorted(members, key=lambda member: -len(member[0])):
            if scope and pair[1]:
                wider = (known for known in scopes if set(scope) <= set(known))
                scopes.setdefault(next(wider, scope), []).append(pair)
        self.used = tuple(sorted({position for scope in scopes for position in scope}))
        self.tables = [self._table(scope, tuple(terms), -1 if maximize else 1) for scope, terms in scopes.items()]

    def _table(
        self, scope: tuple[int, ...], terms: tuple[tuple[Term, float], ...], sign: int
    ) -> tuple[tuple[int, ...], Array, Array]:
        """Return options, the combinations of their values, and the sum of terms in each of them."""
        sizes = [self._space.problem.sizes[position] for position in scope]
        if math.prod(sizes) > MAX_COMBINATIONS:
            names = listed([self._space.system.names[position] for position in scope])
            raise SpaceError(f"a term is about too many combinations of the values of {names}")
        rows = np.indices(sizes).reshape(len(sizes), -1).T
        model = InfluenceModel(terms, self._model.order, derived=self._model.derived)
        try:
            costs = sums_of(model, scope, scope, rows, self._space)
        except ConfigurationError:
            # Where no configuration is valid, no value is needed.
            possible = [self._solver.solution(self.assumptions(scope, row)) is not None for row in rows.tolist()]
            rows = rows[possible]
            costs = sums_of(model, scope, scope, rows, self._space)
        return scope, rows, sign * costs

    def assumptions(self, scope: Sequence[int], row: Sequence[int]) -> list[int]:
        """Return the literals of values of options."""
        return [self.literals.literal(*pair) for pair in zip(scope, row, strict=True)]

    def best(self, count: int) -> Array:
        """Return the best configurations that differ in used options, the best first, at most `count`.

        None of the other options could be left out in them.
        """
        from pysat.examples.rc2 import RC2
        from pysat.formula import WCNF

        unit = max((float(np.ptp(costs)) for _, _, costs in self.tables), default=0.0) / _UNITS or 1.0
        weighted = [
            ([-literal for literal in self.assumptions(scope, row)], weight)
            for scope, rows, costs in self.tables
            for row, cost in zip(rows.tolist(), costs.tolist(), strict=True)
            if (weight := round((cost - costs.min()) / unit))
        ]
        formula, always = WCNF(), [self.literals.count, -self.literals.count]
        formula.extend([*self._solver.clauses, always])
        # RC2 needs a clause with a weight.
        for clause, weight in weighted or [(always, 1)]:
            formula.append(clause, weight=weight)
        found: list[Array] = []
        with RC2(formula, solver=_SOLVER, adapt=True, exhaust=True, minz=True) as solver:
            while len(found) < count and (model := _computed(solver)) is not None:
                solution = np.array(model[: self.literals.count]) > 0
                values = self.literals.values(solution.astype(np.uint8))[list(self.used)]
                used = self.assumptions(self.used, values.tolist())
                if (minimal := self._solver.minimal(used)) is not None:
                    found.append(self.literals.values(minimal))
                if not used:
                    break
                solver.add_clause([-literal for literal in used])
        return np.array(found, dtype=np.int64).reshape(len(found), len(self._space.problem.sizes))


def _computed(solver: Any) -> Any:
    """Return the next solution of the solver, None if there is none."""
    oracle, done, late = solver.oracle, Event(), Event()
    solve = type(oracle).solve_limited

    def solve_limited(assumptions: Sequence[int] = (), expect_interrupt: bool = True) -> Any:
        # The solver expects interrupts in its main loop only, not where it raises bounds.
        found = solve(oracle, assumptions=assumptions, expect_interrupt=True)
        # Some calls also end without an answer after a number of conflicts.
        if oracle.get_status() is None and late.is_set():
            raise SpaceError(f"the MaxSAT solver found no optimum in {SECONDS:.3g} s")
        return found

    def interrupt() -> None:
        wait = SECONDS
        while not done.wait(wait):
            late.set()
            oracle.interrupt()
            wait = _PAUSE

    oracle.solve_limited = solve_limited
    watch = Thread(target=interrupt, daemon=True)
    watch.start()
    try:
        return solver.compute()
    finally:
        done.set()
        watch.join()
