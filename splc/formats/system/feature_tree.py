"""Feature trees: the hierarchy of a feature model, and the system that it stands for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, groupby
from math import comb
from operator import itemgetter

from splc.arithmetic.tree import Name, Node, Number, Product, Sum
from splc.models.terms import quoted
from splc.system.constraints import ArithmeticConstraint, BooleanConstraint, Constraint, OptionLiteral
from splc.system.options import BinaryOption

# The most clauses into which one constraint is distributed.
MOST_CLAUSES = 512

Names = tuple[tuple[str, ...], ...]


@dataclass
class Group:
    """Features below one feature; if that is selected, `lower` to `upper` of them are."""

    lower: int
    upper: int
    members: list[Feature]
    line: int | None = None


@dataclass
class Feature:
    """A feature, with the groups of features below it."""

    name: str
    line: int | None = None
    groups: list[Group] = field(default_factory=list)


def children(members: Iterable[tuple[Feature, bool]]) -> list[Group]:
    """Return the groups of features below one feature, each with whether it is mandatory, in their order."""
    groups = []
    for needed, run in groupby(members, key=itemgetter(1)):
        features = [feature for feature, _ in run]
        groups.append(Group(len(features) if needed else 0, len(features), features))
    return groups


def features_of(root: Feature) -> Iterator[Feature]:
    """Yield a feature and all features below it, each before those below it."""
    pending = [root]
    while pending:
        feature = pending.pop()
        yield feature
        pending += [member for group in reversed(feature.groups) for member in reversed(group.members)]


def options_of(root: Feature) -> tuple[tuple[BinaryOption, ...], tuple[Constraint, ...]]:
    """Return the options of a feature tree, the root feature first, and the constraints of its groups."""
    options: list[BinaryOption] = []
    constraints: list[Constraint] = []
    below: dict[int, tuple[str, bool, Names]] = {}
    for feature in features_of(root):
        implied = []
        for group in feature.groups:
            names = tuple(member.name for member in group.members)
            upper = min(group.upper, len(names))
            needed = group.lower == len(names) or group.lower == upper == 1
            exclusive = upper == 1 < len(names)
            alone: Names = tuple((name,) for name in names)
            for at, member in enumerate(group.members):
                excluded = (*alone[:at], *alone[at + 1 :]) if exclusive else ()
                below[id(member)] = feature.name, not needed, excluded
            if not needed and not exclusive:
                if group.lower == 1:
                    implied.append(names)
                constraints += _cardinality(feature.name, names, group.lower, upper, group.line)
        parent, optional, excluded = below.pop(id(feature), (None, False, ()))
        options.append(BinaryOption(feature.name, parent, optional, tuple(implied), excluded, line=feature.line))
    return tuple(options), tuple(constraints)


def _cardinality(parent: str, names: Sequence[str], lower: int, upper: int, line: int | None) -> Iterator[Constraint]:
    """Yield the constraints that a parent needs `lower` to `upper` of its members, as far as its options lack them."""
    if lower > 1:
        size = len(names) - lower + 1
        if comb(len(names), size) <= MOST_CLAUSES:
            for subset in combinations(names, size):
                yield disjunction([(parent, False), *((name, True) for name in subset)], line)
        else:
            yield _count(names, ">=", lower, parent, line)
    if upper < len(names):
        if comb(len(names), upper + 1) <= MOST_CLAUSES:
            for subset in combinations(names, upper + 1):
                yield disjunction([(name, False) for name in subset], line)
        else:
            yield _count(names, "<=", upper, None, line)


def _count(names: Sequence[str], comparison: str, bound: int, parent: str | None, line: int | None) -> Constraint:
    """Return the comparison of the number of selected options with a bound, which holds without the parent."""
    left = Sum(tuple((1, Name(name)) for name in names))
    right: Node = Number(bound)
    text = f"{' + '.join(map(quoted, names))} {comparison} {bound}"
    if parent is not None:
        right = Product(((1, right), (1, Name(parent))))
        text += f" * {quoted(parent)}"
    return ArithmeticConstraint(left, comparison, right, "mixed", "none", False, text, line)


def disjunction(literals: Iterable[tuple[str, bool]], line: int | None = None) -> BooleanConstraint:
    """Return the constraint that at least one literal holds."""
    parts = tuple(OptionLiteral(*literal) for literal in literals)
    text = " | ".join(("" if positive else "!") + quoted(name) for name, positive in parts)
    return BooleanConstraint(parts, False, text, line)
