"""The feature tree and the clauses in which a system can be written, for formats that have no others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from splc.errors import OutputError, Problems, plural
from splc.formats.system.assembly import FeatureNode, Group, children, free_name, options_of
from splc.system.clauses import Clause, clauses
from splc.system.constraints import ArithmeticConstraint
from splc.system.options import BinaryOption, NumericOption, Option, Presentation
from splc.system.variability import ROOT, VariabilityModel

Literals = tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class Structure:
    """A system as a feature tree and clauses."""

    root: FeatureNode  # the root feature; numeric options are not in the tree
    added: bool  # whether the root feature, which is always selected, is not an option of the system
    clauses: tuple[Literals, ...]  # the clauses that the tree lacks, in the order of the system

    def notes(self, system: VariabilityModel) -> tuple[str, ...]:
        """Return what a file of this structure has beside the system, and what it lacks."""
        added = (f"the root feature {self.root.name!r} is added, which is always selected",) if self.added else ()
        return (*added, *notes_of_presentations(system))


def notes_of_presentations(system: VariabilityModel) -> tuple[str, ...]:
    """Return the note of what a file about features lacks of the options of a system."""
    if all(option.presentation == Presentation() for option in system.options):
        return ()
    return ("how options are written on a command line (outputString, prefix, postfix) is left out",)


def structure_of(system: VariabilityModel, *, several: bool) -> Structure:
    """Return a system as a feature tree and clauses.

    `several`: whether a feature can have groups beside others; otherwise the clauses state these groups.
    """
    features = {option.name: FeatureNode(option.name) for option in system.binary_options}
    children_of_parent: dict[str | None, list[BinaryOption]] = {}
    for option in system.binary_options:
        children_of_parent.setdefault(option.parent, []).append(option)
    top = children_of_parent.get(None, [])
    if len(top) == 1 and top[0].name in system.mandatory:
        root, added = features[top[0].name], False
    else:
        name = system.name if system.name.strip() and system.name not in features else free_name("system", features)
        root, added = FeatureNode(name), True
        root.groups = _groups(system, top, (), features, several=several)
    for option in system.binary_options:
        members = children_of_parent.get(option.name, [])
        features[option.name].groups = _groups(system, members, option.implied, features, several=several)
    in_tree = {frozenset(clause) for clause in _tree_clauses(root, system)}
    needed = (literals_of(clause, system) for clause in clauses(system))
    missing = (literals or ((root.name, False),) for literals in needed if frozenset(literals) not in in_tree)
    return Structure(root, added, tuple(missing))


def literals_of(clause: Clause, system: VariabilityModel) -> Literals:
    """Return a clause as names of options and whether they are selected."""
    # A literal allows either the selected values of an option or the deselected one.
    restrictions = ((system.options[position], allowed) for position, allowed in clause.literals)
    return tuple(
        (option.name, allowed[1] if isinstance(option, BinaryOption) else allowed[0])
        for option, allowed in restrictions
        if any(allowed)
    )


def _groups(
    system: VariabilityModel,
    members: Sequence[BinaryOption],
    implied: Sequence[tuple[str, ...]],
    features: dict[str, FeatureNode],
    *,
    several: bool,
) -> list[Group]:
    """Return the groups of the features below one feature."""
    names = {member.name for member in members}
    groups: list[Group] = []
    grouped: set[str] = set()
    for member in members:
        alternatives_of_member = system.alternatives(member)
        group = {member.name, *alternatives_of_member}
        if alternatives_of_member and member.name not in grouped and _is_clique(system, group):
            member_names = [option.name for option in members if option.name in group]
            groups.append(Group(1, 1, [features[name] for name in member_names]))
            grouped |= group
    for alternatives in implied:
        ungrouped = [option for option in members if option.name in set(alternatives) - grouped]
        whole = len(ungrouped) == len(alternatives) > 1 and set(alternatives) <= names
        if whole and all(option.optional for option in ungrouped):
            groups.append(Group(1, len(ungrouped), [features[option.name] for option in ungrouped]))
            grouped.update(alternatives)
    if groups and not several and (len(groups) > 1 or len(grouped) < len(members)):
        groups, grouped = [], set()
    solitary = [
        (features[option.name], not option.optional and not system.exclusions[option.name])
        for option in members
        if option.name not in grouped
    ]
    return [*children(sorted(solitary, key=lambda entry: not entry[1])), *groups]


def _is_clique(system: VariabilityModel, names: set[str]) -> bool:
    """Return whether the alternatives of every option in a set are the others in it."""
    options = (option for option in system.binary_options if option.name in names)
    return all({option.name, *system.alternatives(option)} == names for option in options)


def _tree_clauses(root: FeatureNode, system: VariabilityModel) -> Iterator[Literals]:
    """Yield the clauses of a tree, in which a root that was added is true."""
    tree = VariabilityModel(system.name, *options_of(root))
    for clause in clauses(tree):
        literals = literals_of(clause, tree)
        if root.name in system.positions:
            yield literals
        elif (root.name, True) not in literals:
            yield tuple(literal for literal in literals if literal != (root.name, False))


# The most options of a constraint that becomes clauses.
MAX_OPTIONS = 10
_UVL = "write UVL, which has numbers: --to uvl"


def binary_clauses(system: VariabilityModel, form: str) -> list[Literals]:
    """Return the clauses of the arithmetic constraints of a system that has binary options only."""
    problems = Problems(system.source)
    for option in system.numeric_options:
        problems.add(f"{form} has no numeric options: {option.name}", option.line, hint=_UVL)
    numeric = {option.name for option in system.numeric_options} | system.switches.keys()
    found_clauses: list[Literals] = []
    for constraint in system.arithmetic_constraints:
        names = [name for name in constraint.names if name != ROOT]
        if numeric & set(names):
            problems.add(f"{form} has no arithmetic constraints", constraint.line, text=constraint.text, hint=_UVL)
        elif len(names) > MAX_OPTIONS:
            count = plural(len(names), "option", "options")
            message = f"{form} has no arithmetic constraints, and this one has {count}"
            problems.add(message, constraint.line, text=constraint.text, hint=_UVL)
        else:
            rows = violations(constraint, [system.option(name) for name in names])
            found_clauses += [tuple(zip(names, (value == 0 for value in row), strict=True)) for row in rows]
    problems.raise_if_any(OutputError)
    return found_clauses


def violations(constraint: ArithmeticConstraint, options: Sequence[Option]) -> Iterator[list[float]]:
    """Yield each combination of values of a constraint's options, those besides the root, that violates it."""
    lists = [option.values if isinstance(option, NumericOption) else (0.0, 1.0) for option in options]
    rows = np.array([*product(*lists)]).reshape(math.prod(map(len, lists)), len(lists))
    columns = {ROOT: np.ones(len(rows)), **{option.name: rows[:, at] for at, option in enumerate(options)}}
    holds = np.broadcast_to(constraint.holds(columns.__getitem__), len(rows))
    if constraint.requires == "all":
        binary = [isinstance(option, BinaryOption) for option in options]
        holds = holds | (rows[:, np.array(binary, dtype=bool)] == 0).any(axis=1)
    yield from rows[~holds].tolist()
