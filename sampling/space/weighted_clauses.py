"""The best configurations of a sum of terms by a MaxSAT solver of the extra `solver`, exactly.

Where options that a model uses depend on each other through many others, their combinations can neither be counted nor
listed. But a term is about few options: each combination of their values is a clause whose weight is paid where the
combination occurs, so that a configuration of least weight is a best one. The solver is RC2 (package `python-sat`):
Ignatiev, Morgado, Marques-Silva: "RC2: an efficient MaxSAT solver", JSAT 11 (2019).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from threading import Event, Thread
from typing import Any

import numpy as np

from sampling.space.optimum import SpacePart, positions_of, sums_of
from sampling.space.space import Space
from sampling.space.value_literals import ValueLiterals
from splc.errors import ConfigurationError, SpaceError, listed
from splc.models.influence import InfluenceModel
from splc.models.terms import Term
from splc.types import Array

# The most combinations of values of options that terms tie together directly.
MAX_COMBINATIONS = 1 << 14
# The limit of time of the solver. All shared feature models need less than one (docs/decisions).
SECONDS = 60.0
# The range of a model in units of the integer weights, so that sums are exact to the last bits of a float.
_UNITS = 1 << 52
_SOLVER = "glucose4"
# The seconds between interrupts of a solver whose time is over.
_PAUSE = 0.1


class WeightedClauses:
    """The valid configurations as clauses, and a model's terms as clauses with weights.

    Args:
        model: the model.
        space: the valid configurations.
        maximize: whether the greatest values are wanted.

    Raises:
        SpaceError: without the solver, or if constraints or terms are about too many combinations of values.
        ConfigurationError: if the model uses unknown options or has no finite value somewhere.
    """

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

    def weighted(self, unit: float) -> list[tuple[list[int], int]]:
        """Return the clauses with their weights in units."""
        return [
            ([-literal for literal in self._assumptions(scope, row)], weight)
            for scope, rows, costs in self.tables
            for row, cost in zip(rows.tolist(), costs.tolist(), strict=True)
            if (weight := round((cost - costs.min()) / unit))
        ]

    def _table(
        self, scope: tuple[int, ...], terms: tuple[tuple[Term, float], ...], sign: int
    ) -> tuple[tuple[int, ...], Array, Array]:
        """Return options, the combinations of their values, and the sum of terms in each of them."""
        sizes = [self._space.problem.sizes[position] for position in scope]
        if math.prod(sizes) > MAX_COMBINATIONS:
            names = listed([self._space.system.names[position] for position in scope])
            raise SpaceError(f"a term is about too many combinations of the values of {names}")
        rows = np.indices(sizes).reshape(len(sizes), -1).T
        part = SpacePart(scope, scope, (terms,), len(rows))
        try:
            costs = sums_of(part, 0, self._model, scope, rows, self._space)
        except ConfigurationError:
            # Where no configuration is valid, no value is needed.
            rows = rows[[self._is_possible(scope, row) for row in rows.tolist()]]
            costs = sums_of(part, 0, self._model, scope, rows, self._space)
        return scope, rows, sign * costs

    def _is_possible(self, scope: Sequence[int], row: Sequence[int]) -> bool:
        return self._solver.solution(self._assumptions(scope, row)) is not None

    def _assumptions(self, scope: Sequence[int], row: Sequence[int]) -> list[int]:
        return [self.literals.literal(*pair) for pair in zip(scope, row, strict=True)]

    def best(self, count: int) -> Array:
        """Return the best configurations, the best first, shape (at most count, options).

        They differ in options that the model uses. Of the others, none is selected that could be left out.
        """
        return self.completed(self.used, self._optima(count))

    def completed(self, used: Sequence[int], rows: Iterable[list[int]]) -> Array:
        """Return configurations with the values of used options in which none of the others could be left out."""
        configurations = [
            self.literals.values(minimal)
            for row in rows
            if (minimal := self._solver.minimal(self._assumptions(used, row))) is not None
        ]
        return np.array(configurations, dtype=np.int64).reshape(len(configurations), len(self._space.problem.sizes))

    def _optima(self, count: int) -> Iterator[list[int]]:
        """Yield the values of the used options in the best configurations."""
        unit = max((float(np.ptp(costs)) for _, _, costs in self.tables), default=0.0) / _UNITS or 1.0
        with self.solver_of(self.weighted(unit)) as solver:
            for _ in range(count):
                if (row := self.solved(solver, self.used)) is None:
                    return
                yield row
                if not row:
                    return
                solver.add_clause([-literal for literal in self._assumptions(self.used, row)])

    def solver_of(self, weighted: Sequence[tuple[list[int], int]], further: Sequence[list[int]] = ()) -> Any:
        """Return a solver of the constraints, of clauses with weights, and of further clauses."""
        from pysat.examples.rc2 import RC2
        from pysat.formula import WCNF

        formula = WCNF()
        formula.extend(self._solver.clauses)
        formula.extend(further)
        formula.append([self.literals.count, -self.literals.count])
        for clause, weight in weighted:
            formula.append(clause, weight=weight)
        if not weighted:
            # RC2 needs a clause with a weight.
            formula.append([self.literals.count, -self.literals.count], weight=1)
        return RC2(formula, solver=_SOLVER, adapt=True, exhaust=True, minz=True)

    def solved(self, solver: Any, used: Sequence[int], seconds: float = SECONDS) -> list[int] | None:
        """Return the values of used options in the next solution of a solver, None if there is none."""
        model = _computed(solver, seconds)
        if model is None:
            return None
        solution = np.array(model[: self.literals.count]) > 0
        values: list[int] = self.literals.values(solution.astype(np.uint8))[list(used)].tolist()
        return values


def _computed(solver: Any, seconds: float) -> Any:
    """Return the next solution of the solver, None if there is none."""
    oracle, done, late = solver.oracle, Event(), Event()
    solve = type(oracle).solve_limited

    def solve_limited(assumptions: Sequence[int] = (), expect_interrupt: bool = True) -> Any:
        # The solver expects interrupts in its main loop only, not where it raises bounds.
        found = solve(oracle, assumptions=assumptions, expect_interrupt=True)
        # Some calls also end without an answer after a number of conflicts.
        if oracle.get_status() is None and late.is_set():
            raise SpaceError(f"the MaxSAT solver found no optimum in {seconds:.3g} s")
        return found

    def interrupt() -> None:
        wait = max(seconds, 0.0)
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
