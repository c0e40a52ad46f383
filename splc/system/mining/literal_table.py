"""The literals of a table that vary, and which pairs of them contradict each other."""

from __future__ import annotations

import numpy as np

from splc.system.mining.option_rows import OptionRows, numeric_columns
from splc.system.mining.pairs import LiteralCounts, combined, contradictions
from splc.types import Array

# A variance of the distances of rows up to this multiple of that of independent options is usual with constraints.
TOLERATED = 1.25


class LiteralTable:
    """The columns of a table that vary, and which pairs of literals over them contradict each other.

    Columns are binary ones, numbered from 0 to `binary`, and then those of numeric options. Literal i is column i, and
    literal `width` + i its negation.

    Args:
        table: the table.
        rows: the rows that are evidence of constraints among binary options.
        complete: whether these are supposed to be all configurations that the constraints allow. Then pairs of binary
            literals that no row has contradict each other.
    """

    def __init__(self, table: OptionRows, rows: Array, *, complete: bool = False) -> None:
        self.table, self.rows, self.complete = table, rows, complete
        share = table.selected.mean(axis=0)
        self.origins = np.flatnonzero((share > 0) & (share < 1))
        self.names = [table.names[at] for at in self.origins.tolist()]
        self.positions = {name: at for at, name in enumerate(self.names)}
        self.numeric, values = numeric_columns(table.numbers, len(table.selected))
        self.values = np.concatenate([table.selected[:, self.origins], values], axis=1)
        self.binary, self.width = len(self.names), self.values.shape[1]
        self.tests = 2 * self.binary * (self.binary - 1) + 4 * self.binary * len(self.numeric)
        numeric_options = {name: self.binary + at for at, name in enumerate(table.numbers)}
        self.options = np.array([*range(self.binary), *(numeric_options[column.option] for column in self.numeric)])
        self.counts = LiteralCounts.of(self.values)
        # The counts of pairs of binary options.
        self.pairs = self.counts if len(rows) == len(self.values) else LiteralCounts.of(self.values[rows])
        self.groups = [
            (tuple(self.positions[name] for name in members), None if parent is None else self.positions.get(parent))
            for members, parent in table.groups
            if all(name in self.positions for name in members)
        ]
        # The members of a group are the values of one option.
        for members, _ in self.groups:
            self.options[list(members)] = members[0]
        self._compare_literals()

    def _compare_literals(self) -> None:
        """Find the pairs of binary literals that contradict each other, and the columns that are equal or opposite."""
        width, binary = self.width, self.binary
        literals = np.concatenate([np.arange(binary), np.arange(width, width + binary)])
        first, second = np.nonzero(np.triu(self.pairs.pairs[np.ix_(literals, literals)] == 0, 1))
        first, second = literals[first], literals[second]
        is_distinct = (first % width) != (second % width)
        first, second = first[is_distinct], second[is_distinct]
        is_contradiction = np.ones(len(first), dtype=bool)
        if not self.complete:
            is_contradiction = contradictions(self.pairs, first, second, self.tests)
        self.first, self.second = first[is_contradiction], second[is_contradiction]
        contradicts = np.zeros((2 * width, 2 * width), dtype=bool)
        contradicts[self.first, self.second] = contradicts[self.second, self.first] = True
        implies = contradicts[:, np.roll(np.arange(2 * width), -width)]
        equal = implies & implies.T
        # Literal → the first column that is equal to it, or itself.
        self.shown = {
            at: int(np.argmax(equal[at, :binary]))
            for at in literals.tolist()
            if equal[at, :binary].any() and at >= width
        }
        earlier = np.tril(equal[:binary, :binary] | equal[:binary, width : width + binary], -1)
        self.twins = {at: int(np.argmax(earlier[at])) for at in np.flatnonzero(earlier.any(axis=1)).tolist()}
        self.equal = equal
        self.distinct = np.array([at for at in range(binary) if at not in self.twins], dtype=np.int64)

    @property
    def numeric_range(self) -> range:
        """The columns of numeric options."""
        return range(self.binary, self.width)

    def number(self, literal: int) -> int:
        """Return a literal as clauses have it."""
        return literal + 1 if literal < self.width else -(literal - self.width + 1)

    def contradicting_pairs(self) -> tuple[Array, Array]:
        """Return the contradicting pairs of literals over different columns without another explanation."""
        is_distinct = np.zeros(self.width, dtype=bool)
        is_distinct[self.distinct] = True
        usable = is_distinct[self.first % self.width] & is_distinct[self.second % self.width]
        first, second = self.first[usable], self.second[usable]
        other = self.options[first % self.width] != self.options[second % self.width]
        first, second = first[other], second[other]
        usable = self.evident(first, second)
        return first[usable], second[usable]

    def evident(self, first: Array, second: Array) -> Array:
        """Return which pairs of binary literals neither the design nor other options explain."""
        if self.complete:
            return np.ones(len(first), dtype=bool)
        numeric = self.numeric_range if self.pairs is self.counts else ()
        third = [*self.distinct.tolist(), *numeric]
        factor = self.factor(self.pairs)
        is_new = contradictions(self.pairs, first, second, self.tests, factor)
        usable = combined(
            self.pairs, self.values[self.rows], first[is_new], second[is_new], self.options, third, factor
        )
        is_new[is_new] = usable
        return is_new

    def factor(self, counts: LiteralCounts) -> float:
        """Return how many times as much evidence is needed as from independent rows."""
        equalities = [self.binary + at for at, column in enumerate(self.numeric) if column.comparison == "="]
        columns = [*self.distinct.tolist(), *(equalities if counts is self.counts else ())]
        dispersion = counts.dispersion(columns)
        return dispersion**2 if dispersion > TOLERATED else 1.0
