"""The search for constraints that all rows of a table satisfy by far more than chance.

Pairs of literals are tested (`splc.system.mining.pairs`). Alternative groups below an option and sets of options of
which at most one is selected are made of such pairs. Constraints that follow from others are left out.

Pairs that no row has, and that are not constraints for lack of evidence, have no effect, but are reported to the user:
it is unlikely that no row has such a pair by chance, or that no row has two of three options.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np

from splc.system.constraints import OptionLiteral
from splc.system.groups import alternatives_among, probability_of_one
from splc.system.mining.mined_constraint import Bounds, ClauseSet, Kind, Literals, MinedConstraint, MinedConstraints
from splc.system.mining.pairs import CHANCE, LEAST_EXPECTED, LiteralCounts, OptionRows, column_of, numeric_columns
from splc.system.variability import ENABLED
from splc.types import Array

FALSE_ALARMS = 0.5  # the expected number of pairs that are reported by chance, in a table of independent options
MAX_IN_SETS = 200  # the most options among which sets of three are looked for
TOLERATED = 1.25  # with constraints, distances of rows often have up to this multiple of independent options' variance


class LiteralTable:
    """The columns of a table that vary, and which pairs of literals over them contradict each other.

    Columns are binary ones, numbered from 0 to `binary`, and then those of numeric options. `rows` are evidence of
    constraints among binary options. If they are `complete`, supposed to be all configurations that the constraints
    allow, pairs of binary literals that no row has contradict each other.
    """

    def __init__(self, table: OptionRows, rows: Array, *, complete: bool = False) -> None:
        self.table, self.complete = table, complete
        share = table.selected.mean(axis=0)
        self.origins = np.flatnonzero((share > 0) & (share < 1))
        self.names = [table.names[at] for at in self.origins.tolist()]
        self.positions = {name: at for at, name in enumerate(self.names)}
        self.numeric = numeric_columns(table.numbers)
        self.values = np.column_stack([table.selected[:, self.origins], *(rows for _, _, rows in self.numeric)])
        self.binary, self.width = len(self.names), self.values.shape[1]
        self.tests = 2 * self.binary * (self.binary - 1) + 4 * self.binary * len(self.numeric)
        numeric_options = {name: self.binary + at for at, name in enumerate(table.numbers)}
        self.options = np.array([*range(self.binary), *(numeric_options[name] for name, _, _ in self.numeric)])
        self.counts = LiteralCounts(self.values)
        # The counts of pairs of binary options.
        self.pairs = self.counts if len(rows) == len(self.values) else LiteralCounts(self.values[rows])
        # The pairs of literals over different binary options that no row has; of many options, the unlikely ones.
        self.never_together = self.pairs.never_together(self.binary, self._may_be_unlikely)
        self.groups = [
            (tuple(self.positions[name] for name in members), None if parent is None else self.positions.get(parent))
            for members, parent in table.groups
            if all(name in self.positions for name in members)
        ]
        # The members of a group are the values of one option.
        for members, _ in self.groups:
            self.options[list(members)] = members[0]
        # The pairs of binary literals that contradict each other, and the columns that are equal or opposite.
        first, second = self.never_together
        switches = {ENABLED + name for name in table.numbers}
        self.is_switch = np.array([name in switches for name in self.names], dtype=bool)
        is_contradiction = complete or self.pairs.contradictions(first, second, self.tests) | self._blank(first, second)
        self.first, self.second = (each[np.broadcast_to(is_contradiction, len(first))] for each in (first, second))
        # A literal implies the opposite of one that it contradicts; if this is mutual, they are equal.
        found = {*zip(self.first.tolist(), self.second.tolist(), strict=True)}
        found |= {(other, one) for one, other in found}
        equal = ((one, ~other) for one, other in found if (~one, ~other) in found)
        # The negation of a column → the first column that is equal to it; column → such a literal over an earlier one.
        self.shown: dict[int, int] = {}
        self.twins: dict[int, int] = {}
        for literal, same in sorted(equal, key=lambda pair: [max(each, ~each) for each in pair]):
            if literal < 0 <= same:
                self.shown.setdefault(literal, same)
            elif literal >= 0 and max(same, ~same) < literal:
                self.twins.setdefault(literal, same)
        self.distinct = np.array([at for at in range(self.binary) if at not in self.twins], dtype=np.int64)

    def _may_be_unlikely(self, first: Array, second: Array) -> Array:
        """Return which pairs of literals that no row has are tested or reported."""
        if self.complete or self.binary <= MAX_IN_SETS:
            return np.ones(len(first), dtype=bool)
        least = np.minimum(self.pairs.log_chance(first, second), self.counts.log_chance(first, second))
        return np.asarray(least <= math.log(FALSE_ALARMS / max(self.tests, 1)))

    def _blank(self, first: Array, second: Array) -> Array:
        """Return which pairs of literals that no row has say where a number is blank, shape (pairs,), bool.

        A cell is blank where another option says so, and not by the design: all rows are evidence, also if they differ
        in numbers only, and each blank number is tested with every literal once.
        """
        is_switch = self.is_switch[column_of(first)] | self.is_switch[column_of(second)]
        is_switch[is_switch] = self.counts.contradictions(first[is_switch], second[is_switch], 2 * self.binary)
        return np.asarray(is_switch)

    def contradicting_pairs(self) -> tuple[Array, Array]:
        """Return the contradicting pairs of literals over different columns without another explanation."""
        one, other = column_of(self.first), column_of(self.second)
        usable = np.isin(one, self.distinct) & np.isin(other, self.distinct)
        usable &= self.options[one] != self.options[other]
        first, second = self.first[usable], self.second[usable]
        usable = self.evident(first, second)
        return first[usable], second[usable]

    def evident(self, first: Array, second: Array, counts: LiteralCounts | None = None) -> Array:
        """Return which pairs of literals neither the design nor other options explain.

        `counts`: those of all rows if a literal is numeric; None: those of the rows for pairs of binary literals.
        """
        if self.complete and counts is None:
            return np.ones(len(first), dtype=bool)
        of_numbers, counts = counts is not None, counts or self.pairs
        whole = counts is self.counts
        third = [*self.distinct.tolist(), *(range(self.binary, self.width) if whole else ())]
        factor = self.factor(counts)
        is_new = counts.contradictions(first, second, self.tests, factor)
        is_new[is_new] = counts.combined(first[is_new], second[is_new], self.options, third, factor)
        return is_new if of_numbers else is_new | self._blank(first, second)

    def leaves_one_value(self, first: Array, second: Array) -> Array:
        """Return which pairs of a binary and a numeric literal that no row has leave a number one of its values.

        As where a number is blank, all rows are evidence, unless a design changes one option or block at a time.
        """
        names, columns = [name for name, _, _ in self.numeric], column_of(second) - self.binary
        has_two = np.array([names.count(name) == 1 for name in names], dtype=bool)[columns]
        found = np.array([is_equality for _, is_equality, _ in self.numeric], dtype=bool)[columns]
        found &= np.where(has_two, self.counts.single[~second] > self.counts.single[first], second < 0)
        found[found] = self.counts.contradictions(first[found], second[found], self.tests)
        third = [*self.distinct.tolist(), *range(self.binary, self.width)]
        found[found] = self.counts.combined(first[found], second[found], self.options, third, 0.0)
        return np.asarray(found)

    def factor(self, counts: LiteralCounts) -> float:
        """Return how many times as much evidence is needed as from independent rows."""
        equalities = [self.binary + at for at, (_, is_equality, _) in enumerate(self.numeric) if is_equality]
        dispersion = counts.dispersion([*self.distinct.tolist(), *(equalities if counts is self.counts else ())])
        return dispersion**2 if dispersion > TOLERATED else 1.0


# A constraint, and its clauses.
Stated = tuple[MinedConstraint, list[Literals]]


def binary_constraints(table: LiteralTable) -> Iterator[Stated]:
    """Yield the constraints of binary options with their clauses, readable kinds first."""
    yield from _identical(table)
    above: dict[int, list[int]] = {}
    implications: list[tuple[int, int]] = []
    others: list[tuple[int, int]] = []
    excluded: dict[int, set[int]] = {}
    for found in zip(*(literals.tolist() for literals in table.contradicting_pairs()), strict=True):
        first, second = (table.shown.get(literal, literal) for literal in found)
        # A literal with the opposite of an option implies this option, which reads better.
        if min(first, second) >= 0 and ~second in table.shown:
            second = ~table.shown[~second]
        elif min(first, second) >= 0 and ~first in table.shown:
            first = ~table.shown[~first]
        if (first < 0) != (second < 0):
            first, second = max(first, second), min(first, second)
            implications.append((first, second))
            above.setdefault(~second, []).append(first)
            continue
        others.append((first, second))
        if first >= 0:
            excluded.setdefault(first, set()).add(second)
            excluded.setdefault(second, set()).add(first)
    grouped: set[int] = {column for members, _ in table.groups for column in members}
    parents = set()
    for parent, children in sorted(above.items()):
        free = [column for column in sorted(children) if column not in grouped]
        # Sets of children of which exactly one is selected in each row with their parent.
        rows = table.values[table.values[:, parent]][:, free]
        for group in alternatives_among([table.names[at] for at in free], rows).groups if len(free) > 1 else ():
            if group.parent is None:
                members = tuple(table.positions[name] for name in group.members)
                grouped |= set(members)
                parents.add(parent)
                yield _group(table, parent, members)
    for first, second in implications:
        yield _pair(table, first, second)
    for members in _cliques(excluded):
        yield _at_most_one(table, members)
    for first, second in others:
        yield _pair(table, first, second)
    for parent, children in sorted(above.items()):
        if parent not in parents and (least := _at_least_one(table, parent, sorted(children))):
            yield least


def _identical(table: LiteralTable) -> Iterator[Stated]:
    """Yield the constraints of columns that are equal or opposite to an earlier one."""
    rows = table.pairs.rows
    columns = np.array([*table.twins], dtype=np.int64)
    # As literals: the earlier column, or its negation.
    same = np.array([*table.twins.values()], dtype=np.int64)
    if not len(columns):
        return
    usable = table.evident(columns, ~same)
    for column, first in zip(columns[usable].tolist(), same[usable].tolist(), strict=True):
        share = table.pairs.single[column] / rows
        premise, expected = OptionLiteral(table.names[max(first, ~first)], first >= 0), 2 * rows * share * (1 - share)
        constraint = MinedConstraint("identical", premise, (table.names[column],), rows, float(expected))
        yield constraint, [(~first, column), (first, ~column)]


def _pair(table: LiteralTable, first: int, second: int) -> Stated:
    """Return the constraint that two literals contradict each other, of which the first is positive if one is."""
    one, other = table.pairs.single[[first, second]].tolist()
    support = one if second < 0 <= first else one + other
    return _contradiction(table, first, second, support, table.pairs), [(~first, ~second)]


def _contradiction(
    table: LiteralTable, first: int, second: int, support: float, counts: LiteralCounts
) -> MinedConstraint:
    """Return the constraint of `_pair`; `counts` are those of the rows that it is expected from."""
    premise, other = (table.names[max(literal, ~literal)] for literal in (first, second))
    kind: Kind = "either" if first < 0 else "excludes" if second >= 0 else "implies"
    expected = float(counts.single[first] * counts.single[second] / counts.rows)
    return MinedConstraint(kind, OptionLiteral(premise, True), (other,), int(support), expected)


def _group(table: LiteralTable, parent: int, members: Sequence[int]) -> Stated:
    rows = table.pairs.single[parent]
    exactly_one = probability_of_one((table.pairs.single[list(members)] / rows).tolist())
    names = tuple(table.names[column] for column in members)
    premise = OptionLiteral(table.names[parent], True)
    constraint = MinedConstraint("exactly one", premise, names, int(rows), float(rows * (1 - exactly_one)))
    exclusions = [(~first, ~second) for first, second in combinations(members, 2)]
    return constraint, [*((~column, parent) for column in members), (~parent, *members), *exclusions]


def _at_most_one(table: LiteralTable, members: Sequence[int]) -> Stated:
    single, rows = table.pairs.single[list(members)], table.pairs.rows
    shares, names = single / rows, tuple(table.names[at] for at in members)
    expected = rows * (1 - float(np.prod(1 - shares)) - probability_of_one(shares.tolist()))
    constraint = MinedConstraint("at most one", None, names, int(single.sum()), expected)
    return constraint, [(~first, ~second) for first, second in combinations(members, 2)]


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
    return constraint, [(~parent, *children)]


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
                    covered.update(combinations(members, 2))
                    yield tuple(members)


def value_constraints(table: LiteralTable, known: ClauseSet) -> Iterator[MinedConstraint]:
    """Yield the constraints on the values of numeric options where a binary option is selected, or is not."""
    allowed: dict[tuple[int, str], set[float]] = {}
    binary, columns = (np.concatenate([each, ~each]) for each in (table.distinct, np.arange(table.binary, table.width)))
    first, second = np.nonzero(table.counts.both(binary, columns) == 0)
    first, second = binary[first], columns[second]
    is_accepted = table.evident(first, second, table.counts) | table.leaves_one_value(first, second)
    for one, other in zip(first[is_accepted].tolist(), second[is_accepted].tolist(), strict=True):
        name, _, is_held = table.numeric[max(other, ~other) - table.binary]
        numbers = table.table.numbers[name]
        values = allowed.setdefault((table.shown.get(one, one), name), set(numbers.tolist()))
        values -= set(numbers[is_held == (other >= 0)].tolist())
    ordered = sorted(allowed.items(), key=lambda each: (each[0][0] < 0, abs(each[0][0]), each[0][1]))
    for (literal, name), values in reversed(ordered):
        implied = known.consequences([literal]) or set()
        # Of two literals that imply each other, one remains.
        others = (key[0] for key, fewer in allowed.items() if key[1] == name and fewer <= values)
        if any(other in implied and other != literal for other in others):
            del allowed[literal, name]
    for (literal, name), values in ordered:
        by_design = len(values) > 1 and table.table.is_combined
        if by_design and table.table.is_crossed_alone(int(table.origins[max(literal, ~literal)])):
            continue
        if (literal, name) in allowed:
            yield _numeric_constraint(table, literal, name, values)


def _numeric_constraint(table: LiteralTable, literal: int, name: str, values: Iterable[float]) -> MinedConstraint:
    numbers, allowed = table.table.numbers[name], sorted(values)
    levels, rows = np.unique(numbers).tolist(), table.counts.single[literal]
    bounds: Bounds = "in"
    if len(allowed) == 1:
        bounds = "="
    elif allowed == levels[: len(allowed)]:
        bounds = "<="
    elif allowed == levels[-len(allowed) :]:
        bounds = ">="
    premise = OptionLiteral(table.names[max(literal, ~literal)], literal >= 0)
    expected = float(rows * np.mean(~np.isin(numbers, allowed)))
    return MinedConstraint("values", premise, (name,), int(rows), expected, tuple(allowed), bounds)


MAX_COMPARED = 1000  # the most pairs that are compared with the constraints, the least likely ones first


def unseen_pairs(table: LiteralTable, known: ClauseSet) -> tuple[MinedConstraint, ...]:
    """Return pairs of literals of binary options that no row has and `known` allows, the least likely ones first."""
    counts = table.counts
    first, second = table.never_together
    different = table.options[column_of(first)] != table.options[column_of(second)]
    first, second = first[different], second[different]
    chance = counts.log_chance(first, second)
    by_itself = chance <= math.log(FALSE_ALARMS / max(table.tests, 1))
    unlikely = np.flatnonzero(by_itself | _together(first, second, chance, table.binary))
    pairs = []
    for at in unlikely[np.argsort(chance[unlikely], kind="stable")][:MAX_COMPARED].tolist():
        one, other = int(first[at]), int(second[at])
        if not known.implies([(~one, ~other)]):
            pairs.append(_contradiction(table, one, other, counts.single[[one, other]].min(), counts))
    return tuple(pairs)


def _together(first: Array, second: Array, chance: Array, binary: int) -> Array:
    """Return which pairs are among three selected options of which no two occur together, by more than chance."""
    is_unlikely = np.zeros(len(first), dtype=bool)
    selected = (first >= 0) & (second >= 0)
    if binary > MAX_IN_SETS or not selected.any():
        return is_unlikely
    i, j = first[selected], second[selected]
    logs = np.full((binary, binary), np.inf)
    logs[i, j] = logs[j, i] = chance[selected]
    least = np.array([(logs[a] + logs[b]).min() for a, b in zip(i.tolist(), j.tolist(), strict=True)])
    is_unlikely[selected] = least + chance[selected] <= math.log(FALSE_ALARMS / max(math.comb(binary, 3), 1))
    return is_unlikely


# A table is complete if it has all configurations of its binary options that its constraints allow. Then pairs of
# literals that no row has are constraints without the other tests, with at least this number of configurations, and
# of contradicting rows that independence predicts: designs, and tables that end early, leave out combinations of
# selected options, which look like exclusions, but no implications.
LEAST_COMPLETE, LEAST_IMPLICATIONS = 24, 2.0
# At least this share of the configurations of the binary options have different numbers of rows in independent draws.
# Combinations of designs have as many rows of each, or a few numbers where some combinations are not valid.
DIFFERENT = 0.5
MAX_CONFIGURATIONS = 2_000  # the most configurations of binary options compared with those that constraints allow
MAX_COLUMNS = 64  # tables of more columns are not compared with all configurations that their constraints allow


def mined_constraints(table: OptionRows) -> MinedConstraints:
    """Return the constraints that all rows satisfy by far more than chance, without those that others imply."""
    if len(table.selected) < 2 or not table.selected.shape[1]:
        return MinedConstraints((), len(table.selected))
    (rows, counts), found = table.binary, None
    few = len(rows) <= MAX_CONFIGURATIONS
    drawn = few and len(rows) < len(table.selected) and len(np.unique(counts)) >= DIFFERENT * len(rows)
    if drawn and not table.is_combined:
        # Those that occur in no row are about as many as those that occur in one or two; twice as many are allowed.
        likely = len(rows) + 2 * int((counts <= 2).sum())
        found = _constraints(LiteralTable(table, np.arange(len(table.selected))), likely)
    if found is None and few and len(rows) >= LEAST_COMPLETE and table.selected.shape[1] <= MAX_COLUMNS:
        found = _constraints(LiteralTable(table, rows, complete=True), len(rows))
        for each in found.constraints if found else ():
            least = LEAST_EXPECTED if each.kind in {"excludes", "either", "at most one"} else LEAST_IMPLICATIONS
            if each.expected < least * (math.comb(len(each.options), 2) if each.kind == "at most one" else 1):
                found = None
    if found is None:
        found = _constraints(LiteralTable(table, rows))
    assert found is not None
    return found


def _constraints(table: LiteralTable, most: int | None = None) -> MinedConstraints | None:
    """Return the constraints, without those that follow from others, and pairs that no row has.

    `most`: the most configurations of the binary options that they may allow; for more, None is returned.
    """
    known = ClauseSet()
    for members, parent in table.groups:
        known.add_exclusive(members)
        known.add([members if parent is None else (~parent, *members)])
        known.add((~member, parent) for member in members if parent is not None)
    stated: list[Stated] = []
    for constraint, clauses in binary_constraints(table):
        if not known.implies(clauses):
            known.add(clauses)
            stated.append((constraint, clauses))
    if most is not None and known.has_more_solutions(table.binary, most):
        return None
    needed = []
    for constraint, clauses in reversed(stated):
        if constraint.kind in {"implies", "excludes", "either", "at least one"}:
            known.remove(clauses)
            if known.implies(clauses):
                continue
            known.add(clauses)
        needed.append(constraint)
    constraints = (*reversed(needed), *value_constraints(table, known))
    return MinedConstraints(constraints, len(table.table.selected), unseen_pairs(table, known))
