"""Constraints on the values of numeric options where a binary option is selected, or is not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from splc.system.constraints import OptionLiteral
from splc.system.mining.independence import is_combined, is_crossed_alone
from splc.system.mining.literal_table import LiteralTable
from splc.system.mining.mined_constraint import Bounds, MinedConstraint
from splc.system.mining.pairs import combined, contradictions
from splc.system.mining.redundancy import ClauseSet


def value_constraints(table: LiteralTable, known: ClauseSet) -> Iterator[MinedConstraint]:
    """Yield the constraints on the values of numeric options where a binary option is selected, or is not."""
    allowed: dict[tuple[int, str], set[float]] = {}
    for literal, at, positive in _numeric_pairs(table):
        column = table.numeric[at]
        values = allowed.setdefault((literal, column.option), set(_levels(table, column.option)))
        held = {
            value for value in values if (value == column.value if column.comparison == "=" else value <= column.value)
        }
        values -= held if positive else values - held
    by_design = is_combined(table.table)
    for (literal, name), values in sorted(allowed.items(), key=lambda item: (item[0][0], item[0][1])):
        column = literal % table.width
        if by_design and len(values) > 1 and is_crossed_alone(table.table, int(table.origins[column])):
            continue
        implied = known.consequences([table.number(literal)]) or set()
        stronger = (
            table.number(other) in implied
            for (other, option), fewer in allowed.items()
            if option == name and other != literal and fewer <= values
        )
        if not any(stronger):
            yield _numeric_constraint(table, literal, name, values)


def _numeric_pairs(table: LiteralTable) -> Iterator[tuple[int, int, bool]]:
    """Yield binary literals with columns of numeric options that contradict them, and the sign of the column."""
    width = table.width
    binary = np.concatenate([table.distinct, table.distinct + width])
    numeric = np.asarray(table.numeric_range, dtype=np.int64)
    columns = np.concatenate([numeric, numeric + width])
    first, second = np.nonzero(table.counts.pairs[np.ix_(binary, columns)] == 0)
    first, second = binary[first], columns[second]
    factor = table.factor(table.counts)
    contradicts = contradictions(table.counts, first, second, table.tests, factor)
    first, second = first[contradicts], second[contradicts]
    third = [*table.distinct, *table.numeric_range]
    is_accepted = combined(table.counts, table.values, first, second, table.options, third, factor)
    for literal, other in zip(first[is_accepted].tolist(), second[is_accepted].tolist(), strict=True):
        literal = table.shown.get(literal, literal)
        yield literal, other % width - table.binary, other < width


def _levels(table: LiteralTable, name: str) -> Sequence[float]:
    levels: list[float] = np.unique(table.table.numbers[name]).tolist()
    return levels


def _numeric_constraint(table: LiteralTable, literal: int, name: str, values: Iterable[float]) -> MinedConstraint:
    column = literal % table.width
    levels, allowed = list(_levels(table, name)), sorted(values)
    outside = ~np.isin(table.table.numbers[name], allowed)
    rows = table.counts.single[literal]
    bounds: Bounds = "in"
    if len(allowed) == 1:
        bounds = "="
    elif allowed == levels[: len(allowed)]:
        bounds = "<="
    elif allowed == levels[-len(allowed) :]:
        bounds = ">="
    premise = OptionLiteral(table.names[column], literal < table.width)
    expected = float(rows * outside.mean())
    return MinedConstraint("values", premise, (name,), int(rows), expected, tuple(allowed), bounds)
