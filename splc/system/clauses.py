"""Clauses over the values of options, derived from the hierarchy and the boolean constraints.

Rules (SPL Conqueror's, completed): a child needs its parent; a parent needs each non-optional child that excludes
nothing; non-optional siblings that exclude each other are an alternative group, of which the parent needs exactly one;
every exclusion holds in both directions; an implication needs one option of each group it names.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from splc.system.constraints import BooleanConstraint
from splc.system.options import BinaryOption
from splc.system.variability import ROOT, VariabilityModel
from splc.types import Array


@dataclass(frozen=True)
class Clause:
    """A disjunction: at least one literal holds."""

    # pairs of an option's position and, for each of its values, whether it satisfies the clause
    literals: tuple[tuple[int, tuple[bool, ...]], ...]
    origin: BooleanConstraint | None  # the constraint that states the clause, None for the hierarchy
    reason: str  # a description of the rule or constraint, for messages

    def holds(self, indices: Array) -> Array:
        """Return which configurations satisfy the clause, (n,) bool; `indices`: value indices, shape (n, options)."""
        result = np.zeros(len(indices), dtype=bool)
        for position, allowed in self.literals:
            result |= np.asarray(allowed)[indices[:, position]]
        return result


def clauses(system: VariabilityModel) -> tuple[Clause, ...]:
    """Return all clauses of a model, hierarchy first, then boolean constraints in file order."""
    return (*_hierarchy(system), *_stated(system))


def _literal(system: VariabilityModel, name: str, positive: bool) -> tuple[int, tuple[bool, ...]] | bool:
    """Return the values of an option that satisfy a literal; for the root, whether the literal is true."""
    if name == ROOT:
        return positive
    if name in system.switches:
        position, enabled = system.switches[name]
        size = system.options[position].size
        satisfied = enabled == positive
        return position, (*[satisfied] * (size - 1), not satisfied)
    position = system.positions[name]
    option = system.options[position]
    if isinstance(option, BinaryOption):
        return position, (not positive, positive)
    return position, (*[positive] * len(option.values), *[not positive] * option.optional)


def _clause(
    system: VariabilityModel, literals: Iterable[tuple[str, bool]], reason: str, origin: BooleanConstraint | None = None
) -> list[Clause]:
    """Return the clause over these literals, or no clause if it always holds."""
    merged: dict[int, tuple[bool, ...]] = {}
    for name, positive in literals:
        literal = _literal(system, name, positive)
        if isinstance(literal, bool):
            if literal:
                return []
            continue
        position, allowed = literal
        if position in merged:
            allowed = tuple(map(operator.or_, merged[position], allowed))
        if all(allowed):
            return []
        merged[position] = allowed
    return [Clause(tuple(sorted(merged.items())), origin, reason)]


def _hierarchy(system: VariabilityModel) -> list[Clause]:
    clauses_of_rules: list[Clause] = []
    groups: set[frozenset[str]] = set()
    for option in system.binary_options:
        name, parent = option.name, option.parent or ROOT
        clauses_of_rules += _clause(system, [(name, False), (parent, True)], f"{name} needs its parent {parent}")
        siblings = system.alternatives(option)
        if not option.optional and not system.exclusions[name]:
            clauses_of_rules += _clause(system, [(parent, False), (name, True)], f"{parent} needs {name}")
        elif siblings:
            group = [name, *siblings]
            if frozenset(group) not in groups:
                groups.add(frozenset(group))
                needs = [(parent, False), *((member, True) for member in group)]
                clauses_of_rules += _clause(system, needs, f"{parent} needs one of {', '.join(group)}")
        for other in system.exclusions[name]:
            if system.positions[other] > system.positions[name]:
                clauses_of_rules += _clause(system, [(name, False), (other, False)], f"{name} excludes {other}")
        for alternatives in option.implied:
            clauses_of_rules += _clause(
                system,
                [(name, False), *((other, True) for other in alternatives)],
                f"{name} implies {' or '.join(alternatives)}",
            )
    unique: dict[tuple[tuple[int, tuple[bool, ...]], ...], Clause] = {}
    for clause in clauses_of_rules:
        unique.setdefault(clause.literals, clause)
    return list(unique.values())


def _stated(system: VariabilityModel) -> list[Clause]:
    stated: list[Clause] = []
    for constraint in system.boolean_constraints:
        literals = constraint.literals
        for group in [[literal] for literal in literals] if constraint.conjunction else [literals]:
            stated += _clause(system, group, constraint.text.strip(), constraint)
    return stated
