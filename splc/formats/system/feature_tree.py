"""Feature trees: the hierarchy of a feature model, and the system that it stands for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, groupby
from math import comb
from operator import itemgetter

from splc.arithmetic.tree import Name, Node, Number, Product, Sum
from splc.formats.system.constraint_forms import comparison_of, disjunction
from splc.system.constraints import Constraint
from splc.system.options import BinaryOption, NumericOption, Option

# The most clauses into which one constraint is distributed.
MAX_CLAUSES = 512

Names = tuple[tuple[str, ...], ...]


@dataclass
class Group:
    """Features below one feature; if that is selected, `lower` to `upper` of them are."""

    lower: int
    upper: int
    members: list[FeatureNode]
    line: int | None = None


@dataclass
class FeatureNode:
    """A feature, with the groups of features below it; `values` are those of a feature that is a number."""

    name: str
    line: int | None = None
    groups: list[Group] = field(default_factory=list)
    values: tuple[float, ...] | None = None


def children(members: Iterable[tuple[FeatureNode, bool]]) -> list[Group]:
    """Return the groups of features below one feature, each with whether it is mandatory, in their order."""
    groups = []
    for needed, run in groupby(members, key=itemgetter(1)):
        features = [feature for feature, _ in run]
        groups.append(Group(len(features) if needed else 0, len(features), features))
    return groups


def features_of(root: FeatureNode) -> Iterator[FeatureNode]:
    """Yield a feature and all features below it, each before those below it."""
    pending = [root]
    while pending:
        feature = pending.pop()
        yield feature
        pending += [member for group in reversed(feature.groups) for member in reversed(group.members)]


def always_selected(root: FeatureNode) -> set[str]:
    """Return the names of the features that the tree selects in every configuration."""
    selected_names = {root.name}
    for feature in features_of(root):
        for group in feature.groups:
            if group.lower == len(group.members) and feature.name in selected_names:
                selected_names.update(member.name for member in group.members)
    return selected_names


def options_of(root: FeatureNode) -> tuple[tuple[Option, ...], tuple[Constraint, ...]]:
    """Return the options of a feature tree, the root feature first, and the constraints of its groups.

    A feature that is a number is a numeric option, which can be deselected unless the root needs it. Such features have
    no children, and are mandatory or optional members of their groups.
    """
    binary: list[BinaryOption] = []
    numeric: list[NumericOption] = []
    constraints: list[Constraint] = []
    # Feature → its parent, whether it is optional below this parent, and the features that it excludes.
    relations: dict[int, tuple[str, bool, Names]] = {}
    always = always_selected(root)
    for feature in features_of(root):
        implied = []
        for group in feature.groups:
            names = tuple(member.name for member in group.members)
            upper = min(group.upper, len(names))
            needed = group.lower == len(names) or group.lower == upper == 1
            exclusive = upper == 1 < len(names)
            single_names: Names = tuple((name,) for name in names)
            for at, member in enumerate(group.members):
                excluded = (*single_names[:at], *single_names[at + 1 :]) if exclusive else ()
                relations[id(member)] = feature.name, not needed, excluded
            if not needed and not exclusive:
                if group.lower == 1:
                    implied.append(names)
                # Readers report groups that need more features than they have.
                lower = min(group.lower, len(names))
                constraints += _cardinality(feature.name, names, lower, upper, group.line)
        parent, optional, excluded = relations.pop(id(feature), (None, False, ()))
        if feature.values is None:
            option = BinaryOption(feature.name, parent, optional, tuple(implied), excluded, line=feature.line)
            binary.append(option)
            continue
        flag = None if feature.name in always else min(-1.0, feature.values[0] - 1)
        numeric.append(NumericOption(feature.name, feature.values, deselected_flag=flag, line=feature.line))
        if flag is not None and parent is not None:
            constraints.append(disjunction([(feature.name, False), (parent, True)], feature.line))
            if not optional:
                constraints.append(disjunction([(parent, False), (feature.name, True)], feature.line))
    return (*binary, *numeric), tuple(constraints)


def _cardinality(parent: str, names: Sequence[str], lower: int, upper: int, line: int | None) -> Iterator[Constraint]:
    """Yield the constraints that a parent needs `lower` to `upper` of its members, as far as its options lack them."""
    if lower > 1:
        size = len(names) - lower + 1
        if comb(len(names), size) <= MAX_CLAUSES:
            for subset in combinations(names, size):
                yield disjunction([(parent, False), *((name, True) for name in subset)], line)
        else:
            yield _count(names, ">=", lower, parent, line)
    if upper < len(names):
        if comb(len(names), upper + 1) <= MAX_CLAUSES:
            for subset in combinations(names, upper + 1):
                yield disjunction([(name, False) for name in subset], line)
        else:
            yield _count(names, "<=", upper, None, line)


def _count(names: Sequence[str], sign: str, bound: int, parent: str | None, line: int | None) -> Constraint:
    """Return the comparison of the number of selected options with a bound, which holds without the parent."""
    count_bound: Node = Number(bound)
    if parent is not None:
        count_bound = Product(((1, count_bound), (1, Name(parent))))
    return comparison_of(Sum(tuple((1, Name(name)) for name in names)), sign, count_bound, line)
