"""The Pareto front of sums of terms by a MaxSAT solver of the extra `solver`, exactly.

A configuration with the least total of all sums is on the front. A clause then excludes what is not better than it in
any sum, until nothing is left. For these clauses each sum is a binary number that is added up by a network of adders:
Eén, Sörensson: "Translating pseudo-Boolean constraints into SAT", JSAT 2 (2006), section 5.3.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from sampling.space.space import Space
from sampling.space.weighted_clauses import WeightedClauses
from splc.errors import SpaceError, plural
from splc.models.influence import InfluenceModel
from splc.types import Array

# The limit of time for a whole front.
SECONDS = 30.0
# The range of a sum in units, unless all terms are multiples of a decimal unit; and that of sums in the total.
_UNITS, _TOTAL = 1 << 28, 1 << 40
_DECIMALS = 4
_ROUNDING = 1e-9


class _BinarySum:
    """A sum of terms as a binary number.

    Attributes:
        clauses: the clauses that add it up.
        next: the first number that no variable has.
        range: the range of the sum.

    Args:
        weighted: the clauses of the terms.
        first: the first number that no variable has.
    """

    def __init__(self, weighted: WeightedClauses, first: int) -> None:
        costs = [table - table.min() for _, _, table in weighted.tables]
        self.range = float(sum(table.max() for table in costs))
        self._unit, self._margin = _unit_of(costs, self.range)
        self.next = first
        self._false = self._new()
        self.clauses: list[list[int]] = [[-self._false]]
        # Scope → the units of each combination of its values.
        self._units: list[tuple[tuple[int, ...], dict[tuple[int, ...], int]]] = []
        columns: list[list[int]] = []
        for (scope, rows, _), table in zip(weighted.tables, costs, strict=True):
            units = {
                tuple(row): round(cost / self._unit) for row, cost in zip(rows.tolist(), table.tolist(), strict=True)
            }
            self._units.append((scope, units))
            for row, count in units.items():
                if count:
                    paid = self._all_of([weighted.literals.literal(*pair) for pair in zip(scope, row, strict=True)])
                    columns += [[] for _ in range(count.bit_length() - len(columns))]
                    for place in range(count.bit_length()):
                        if count >> place & 1:
                            columns[place].append(paid)
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
        place = 0
        while place < len(columns):
            column = columns[place]
            while len(column) > 1:
                addends = column[:3]
                total, carry = self._new(), self._new()
                for row in product((False, True), repeat=len(addends)):
                    excused = [-literal if value else literal for literal, value in zip(addends, row, strict=True)]
                    self.clauses.append([*excused, total if sum(row) % 2 else -total])
                    self.clauses.append([*excused, carry if sum(row) > 1 else -carry])
                column[:3] = []
                column.append(total)
                if place + 1 == len(columns):
                    columns.append([])
                columns[place + 1].append(carry)
            place += 1
        return [column[0] if column else self._false for column in columns]


def _unit_of(costs: Sequence[Array], whole: float) -> tuple[float, int]:
    """Return the unit of a sum, and the number of units that is more than its rounding errors amount to."""
    terms = np.concatenate([np.ravel(table) for table in costs]) if costs else np.zeros(1)
    for decimals in range(_DECIMALS + 1):
        scaled = terms * 10.0**decimals
        if whole * 10.0**decimals < _UNITS and np.abs(scaled - np.rint(scaled)).max() <= _ROUNDING:
            return 10.0**-decimals, 1
    return whole / _UNITS, len(costs) + 1


def weighted_front(
    models: Sequence[InfluenceModel], space: Space, maximize: Sequence[bool]
) -> tuple[Array, tuple[int, ...]]:
    """Return configurations of each point of the Pareto front, and the positions of the options that a model uses.

    Points that differ by less than about a millionth of the ranges of the sums may count as one.
    """
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
    deadline = time.monotonic() + SECONDS
    variable = sums[-1].next
    rows: list[list[int]] = []
    first = parts[0]
    with first.solver_of(weighted, [clause for number in sums for clause in number.clauses]) as solver:
        while True:
            try:
                row = first.solved(solver, used, deadline - time.monotonic())
            except SpaceError:
                found = plural(len(rows), "point", "points")
                raise SpaceError(
                    f"the MaxSAT solver found {found} of the front in {SECONDS:g} s, but not all"
                ) from None
            if row is None:
                break
            rows.append(row)
            values = np.zeros(len(space.problem.sizes), dtype=int)
            values[list(used)] = row
            conditions = range(variable, variable + len(sums))
            variable += len(sums)
            solver.add_clause([*conditions])
            for number, condition in zip(sums, conditions, strict=True):
                for clause in number.less_than(number.number(values), condition):
                    solver.add_clause(clause)
    if not rows:
        space.require_valid()
    return first.completed(used, rows), used
