"""Constraints among binary options, made of pairs of literals that contradict each other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from splc.system.alternatives import alternatives_among
from splc.system.constraints import OptionLiteral
from splc.system.mining.literal_table import LiteralTable
from splc.system.mining.mined_constraint import MinedConstraint
from splc.system.mining.pairs import CHANCE
from splc.system.mining.redundancy import Literals

# A constraint, and its clauses.
Stated = tuple[MinedConstraint, list[Literals]]


def binary_constraints(table: LiteralTable) -> Iterator[Stated]:
    """Yield the constraints of binary options with their clauses, readable kinds first."""
    yield from _identical(table)
    first, second = table.contradicting_pairs()
    above: dict[int, list[int]] = {}
    pairs: list[tuple[str, int, int]] = []
    excluded: dict[int, set[int]] = {}
    for a, b in zip(first.tolist(), second.tolist(), strict=True):
        a, b = (table.shown.get(a, a), table.shown.get(b, b))
        # A literal with the opposite of an option implies this option, which reads better.
        if a < table.width and b < table.width and b + table.width in table.shown:
            b = table.shown[b + table.width] + table.width
        elif a < table.width and b < table.width and a + table.width in table.shown:
            a = table.shown[a + table.width] + table.width
        if a < table.width and b < table.width:
            pairs.append(("excludes", a, b))
            excluded.setdefault(a, set()).add(b)
            excluded.setdefault(b, set()).add(a)
        elif a >= table.width and b >= table.width:
            pairs.append(("either", a - table.width, b - table.width))
        else:
            low, high = (a, b - table.width) if a < table.width else (b, a - table.width)
            pairs.append(("implies", low, high))
            above.setdefault(high, []).append(low)
    grouped: set[int] = {column for members, _ in table.groups for column in members}
    parents = set()
    for parent, children in sorted(above.items()):
        for members in _alternatives(table, parent, [column for column in sorted(children) if column not in grouped]):
            grouped |= set(members)
            parents.add(parent)
            yield _group(table, parent, members)
    for kind, a, b in pairs:
        if kind == "implies":
            yield _pair(table, kind, a, b)
    for members in _cliques(excluded):
        yield _at_most_one(table, members)
    for kind, a, b in pairs:
        if kind != "implies":
            yield _pair(table, kind, a, b)
    for parent, children in sorted(above.items()):
        if parent not in parents and (least := _at_least_one(table, parent, sorted(children))):
            yield least


def _identical(table: LiteralTable) -> Iterator[Stated]:
    """Yield the constraints of columns that are equal or opposite to an earlier one."""
    # As literals: the earlier column, or its negation.
    same = np.array(
        [first if table.equal[column, first] else first + table.width for column, first in table.twins.items()]
    )
    columns = np.array([*table.twins], dtype=np.int64)
    if not len(columns):
        return
    opposite = (same + table.width) % (2 * table.width)
    usable = table.evident(columns, opposite)
    for column, first in zip(columns[usable].tolist(), same[usable].tolist(), strict=True):
        premise = OptionLiteral(table.names[first % table.width], first < table.width)
        rows = table.pairs.rows
        share = table.pairs.single[column] / rows
        expected = float(2 * rows * share * (1 - share))
        constraint = MinedConstraint("identical", premise, (table.names[column],), rows, expected)
        first_number, second_number = table.number(first), column + 1
        yield constraint, [(-first_number, second_number), (first_number, -second_number)]


def _pair(table: LiteralTable, kind: str, first: int, second: int) -> Stated:
    single, rows, width = table.pairs.single, table.pairs.rows, table.width
    premise, names = OptionLiteral(table.names[first], True), (table.names[second],)
    selected, deselected = single[first] / rows, 1 - single[second] / rows
    if kind == "implies":
        support, expected = single[first], rows * selected * deselected
        clause = (-(first + 1), second + 1)
        return MinedConstraint("implies", premise, names, int(support), float(expected)), [clause]
    if kind == "excludes":
        support, expected = single[first] + single[second], rows * selected * (1 - deselected)
        clause = (-(first + 1), -(second + 1))
        return MinedConstraint("excludes", premise, names, int(support), float(expected)), [clause]
    support = single[first + width] + single[second + width]
    clause = (first + 1, second + 1)
    expected = rows * (1 - selected) * deselected
    return MinedConstraint("either", premise, names, int(support), float(expected)), [clause]


def _alternatives(table: LiteralTable, parent: int, children: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield disjoint sets of children of which exactly one is selected in each row with their parent."""
    if len(children) > 1:
        rows = table.values[table.values[:, parent]][:, children]
        groups = alternatives_among([table.names[at] for at in children], rows).groups
        for group in groups:
            if group.parent is None:
                yield tuple(table.positions[name] for name in group.members)


def _group(table: LiteralTable, parent: int, members: Sequence[int]) -> Stated:
    rows = table.pairs.single[parent]
    shares = table.pairs.single[list(members)] / rows
    no_member = float(np.prod(1 - shares))
    exactly_one = no_member * float(np.sum(shares / (1 - shares)))
    names = tuple(table.names[column] for column in members)
    premise = OptionLiteral(table.names[parent], True)
    constraint = MinedConstraint("exactly one", premise, names, int(rows), float(rows * (1 - exactly_one)))
    numbers = [column + 1 for column in members]
    return constraint, [
        *((-number, parent + 1) for number in numbers),
        (-(parent + 1), *numbers),
        *_exclusions(numbers),
    ]


def _at_most_one(table: LiteralTable, members: Sequence[int]) -> Stated:
    single, rows = table.pairs.single[list(members)], table.pairs.rows
    shares = single / rows
    none = float(np.prod(1 - shares))
    expected = rows * (1 - none * (1 + float(np.sum(shares / (1 - shares)))))
    names = tuple(table.names[at] for at in members)
    constraint = MinedConstraint("at most one", None, names, int(single.sum()), float(expected))
    return constraint, _exclusions([at + 1 for at in members])


def _at_least_one(table: LiteralTable, parent: int, children: Sequence[int]) -> Stated | None:
    """Return the constraint that one of an option's children is selected where it is, None if it is not."""
    if len(children) < 2 or not table.values[table.values[:, parent]][:, children].any(axis=1).all():
        return None
    rows = table.pairs.single[parent]
    none = float(np.prod(1 - table.pairs.single[list(children)] / rows))
    likely = none <= 0 or rows * math.log1p(-none) > math.log(CHANCE / table.binary)
    if likely and not table.complete:
        return None
    names, premise = tuple(table.names[at] for at in children), OptionLiteral(table.names[parent], True)
    constraint = MinedConstraint("at least one", premise, names, int(rows), rows * none)
    return constraint, [(-(parent + 1), *(at + 1 for at in children))]


def _exclusions(numbers: Sequence[int]) -> list[Literals]:
    return [(-first, -second) for position, first in enumerate(numbers) for second in numbers[position + 1 :]]


def _cliques(neighbours: dict[int, set[int]]) -> Iterator[tuple[int, ...]]:
    """Yield sets of at least three columns that exclude each other, until each exclusion that is in one is covered."""
    covered: set[tuple[int, int]] = set()
    for first in sorted(neighbours):
        for second in sorted(neighbours[first]):
            if first < second and (first, second) not in covered:
                members = [first, second]
                common = neighbours[first] & neighbours[second]
                while common:
                    member = min(common)
                    members.append(member)
                    common &= neighbours[member]
                if len(members) > 2:
                    members.sort()
                    covered |= {(low, high) for position, low in enumerate(members) for high in members[position + 1 :]}
                    yield tuple(members)
