"""The best configurations of sums of terms, and their Pareto front, by a MaxSAT solver of the extra `solver`, exactly.

Where options that a model uses depend on each other through many others, their combinations can neither be counted nor
listed. But a term is about few options: each combination of their values is a clause whose weight is paid where the
combination occurs, so that a configuration of least weight is a best one. The solver is RC2 (package `python-sat`):
Ignatiev, Morgado, Marques-Silva: "RC2: an efficient MaxSAT solver", JSAT 11 (2019).

A configuration with the least total of all sums is on the front. A clause then excludes what is not better than it in
any sum, until nothing is left. For these clauses each sum is a binary number that is added up by a network of adders:
Eén, Sörensson: "Translating pseudo-Boolean constraints into SAT", JSAT 2 (2006), section 5.3.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from threading import Event, Thread
from typing import Any

import numpy as np

from sampling.space.optimum import positions_of, sums_of
from sampling.space.satisfiability import ValueLiterals
from sampling.space.space import Space
from splc.errors import ConfigurationError, SpaceError, listed, plural
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
# The limit of time for a whole front.
FRONT_SECONDS = 30.0
# The range of a sum in units, unless all terms are multiples of a decimal unit; and that of sums in the total.
_FRONT_UNITS, _TOTAL = 1 << 28, 1 << 40
_DECIMALS = 4
_ROUNDING = 1e-9


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

    def weighted(self, unit: float) -> list[tuple[list[int], int]]:
        """Return the clauses with their weights in units."""
        return [
            ([-literal for literal in self.assumptions(scope, row)], weight)
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
        """Return the best configurations that differ in used options, the best first, at most `count`."""
        unit = max((float(np.ptp(costs)) for _, _, costs in self.tables), default=0.0) / _UNITS or 1.0
        rows: list[list[int]] = []
        with self.solver_of(self.weighted(unit)) as solver:
            while len(rows) < count and (row := self.solved(solver, self.used)) is not None:
                rows.append(row)
                if not row:
                    break
                solver.add_clause([-literal for literal in self.assumptions(self.used, row)])
        return self.completed(self.used, rows)

    def completed(self, used: Sequence[int], rows: Iterable[list[int]]) -> Array:
        """Return configurations with the values of used options in which none of the others could be left out."""
        configurations = [
            self.literals.values(minimal)
            for row in rows
            if (minimal := self._solver.minimal(self.assumptions(used, row))) is not None
        ]
        return np.array(configurations, dtype=np.int64).reshape(len(configurations), len(self._space.problem.sizes))

    def solver_of(self, weighted: Sequence[tuple[list[int], int]], further: Sequence[list[int]] = ()) -> Any:
        """Return a solver of the constraints, of clauses with weights, and of further clauses."""
        from pysat.examples.rc2 import RC2
        from pysat.formula import WCNF

        formula = WCNF()
        always = [self.literals.count, -self.literals.count]
        formula.extend([*self._solver.clauses, *further, always])
        # RC2 needs a clause with a weight.
        for clause, weight in weighted or [(always, 1)]:
            formula.append(clause, weight=weight)
        return RC2(formula, solver=_SOLVER, adapt=True, exhaust=True, minz=True)

    def solved(self, solver: Any, used: Sequence[int], seconds: float = SECONDS) -> list[int] | None:
        """Return the values of used options in the next solution of a solver, None if there is none."""
        model = _computed(solver, seconds)
        if model is None:
            return None
        solution = np.array(model[: self.literals.count]) > 0
        return [int(value) for value in self.literals.values(solution.astype(np.uint8))[list(used)]]


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


class _BinarySum:
    """A sum of terms as a binary number, and the clauses that add it up."""

    def __init__(self, weighted: WeightedClauses, first: int) -> None:
        costs = [table - table.min() for _, _, table in weighted.tables]
        self.range = float(sum(table.max() for table in costs))
        self._unit, self._margin = _unit_of(costs, self.range)
        # The first number that no variable has.
        self.next = first
        self._false = self._new()
        self.clauses: list[list[int]] = [[-self._false]]
        # Scope → the units of each combination of its values.
        self._units: list[tuple[tuple[int, ...], dict[tuple[int, ...], int]]] = []
        columns: list[list[int]] = []
        for (scope, rows, _), table in zip(weighted.tables, costs, strict=True):
            counts = [round(cost / self._unit) for cost in table.tolist()]
            units = dict(zip(map(tuple, rows.tolist()), counts, strict=True))
            self._units.append((scope, units))
            for row, count in units.items():
                if count:
                    paid = self._all_of(weighted.assumptions(scope, row))
                    columns += [[] for _ in range(count.bit_length() - len(columns))]
                    for place in range(count.bit_length()):
                        columns[place] += [paid] * (count >> place & 1)
        self._bits = self._added(columns)

    def number(self, values: Array) -> int:
        """Return the sum in units at a configuration, given the values of all options."""
        return sum(units[tuple(values[list(scope)].tolist())] for scope, units in self._units)

    def less_than(self, number: int, condition: int) -> Iterator[list[int]]:
        """Yield the clauses by which the sum is clearly less than a number of units if a condition holds."""
        most = number - self._margin
        if most < 0:
            yield [-condition]
            return
        if most >> len(self._bits):
            return
        for place, bit in enumerate(self._bits):
            if not most >> place & 1:
                # A bit that the limit does not have needs a higher one of the limit that the sum does not have.
                higher = [-other for above, other in enumerate(self._bits) if above > place and most >> above & 1]
                yield [-condition, -bit, *higher]

    def _new(self) -> int:
        self.next += 1
        return self.next - 1

    def _all_of(self, literals: Sequence[int]) -> int:
        """Return a literal that is true if all others are, and only then."""
        if len(literals) == 1:
            return literals[0]
        whole = self._new()
        self.clauses += [[whole, *(-literal for literal in literals)], *([-whole, literal] for literal in literals)]
        return whole

    def _added(self, columns: list[list[int]]) -> list[int]:
        """Return the bits of a sum of numbers, given the literals of each bit of all of them, the lowest bit first."""
        for place, column in enumerate(columns):
            # A carry may add a place.
            while len(column) > 1:
                addends, column[:3] = column[:3], []
                total, carry = self._new(), self._new()
                for row in product((False, True), repeat=len(addends)):
                    excused = [-literal if value else literal for literal, value in zip(addends, row, strict=True)]
                    self.clauses.append([*excused, total if sum(row) % 2 else -total])
                    self.clauses.append([*excused, carry if sum(row) > 1 else -carry])
                column.append(total)
                columns += [[]] * (place + 1 == len(columns))
                columns[place + 1].append(carry)
        return [column[0] if column else self._false for column in columns]


def _unit_of(costs: Sequence[Array], whole: float) -> tuple[float, int]:
    """Return the unit of a sum, and the number of units that is more than its rounding errors amount to."""
    terms = np.concatenate([np.ravel(table) for table in costs]) if costs else np.zeros(1)
    for decimals in range(_DECIMALS + 1):
        scaled = terms * 10.0**decimals
        if whole * 10.0**decimals < _FRONT_UNITS and np.abs(scaled - np.rint(scaled)).max() <= _ROUNDING:
            return 10.0**-decimals, 1
    return whole / _FRONT_UNITS, len(costs) + 1


def weighted_front(
    models: Sequence[InfluenceModel], space: Space, maximize: Sequence[bool]
) -> tuple[Array, tuple[int, ...]]:
    """Return configurations of each point of the Pareto front, and the positions of the options that a model uses."""
    parts = [WeightedClauses(model, space, greatest) for model, greatest in zip(models, maximize, strict=True)]
    used = tuple(sorted({position for part in parts for position in part.used}))
    sums: list[_BinarySum] = []
    for part in parts:
        sums.append(_BinarySum(part, sums[-1].next if sums else part.literals.count + 1))
    weighted = [
        clause
        for part, number in zip(parts, sums, strict=True)
        if number.range
        for clause in part.weighted(number.range / _TOTAL)
    ]
    deadline = time.monotonic() + FRONT_SECONDS
    rows: list[list[int]] = []
    first, values = parts[0], np.zeros(len(space.problem.sizes), dtype=int)
    with first.solver_of(weighted, [clause for number in sums for clause in number.clauses]) as solver:
        try:
            while (row := first.solved(solver, used, deadline - time.monotonic())) is not None:
                # What follows is better in some sum.
                variable = sums[-1].next + len(sums) * len(rows)
                rows.append(row)
                values[list(used)] = row
                solver.add_clause([*range(variable, variable + len(sums))])
                for condition, number in enumerate(sums, variable):
                    for clause in number.less_than(number.number(values), condition):
                        solver.add_clause(clause)
        except SpaceError:
            found = f"{plural(len(rows), 'point', 'points')} of the front in {FRONT_SECONDS:g} s"
            raise SpaceError(f"the MaxSAT solver found {found}, but not all") from None
    return first.completed(used, rows), used
