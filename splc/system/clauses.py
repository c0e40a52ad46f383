"""Clauses over the values of options, derived from the hierarchy and the boolean constraints.

Rules (SPL Conqueror's, completed): a child needs its parent; a parent needs each non-optional child that excludes
nothing; non-optional siblings that exclude each other are an alternative group, of which the parent needs exactly one;
every exclusion holds in both directions; an implication needs one option of each group it names.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from splc.arithmetic.tree import Node
from splc.system.constraints import BooleanConstraint, OptionLiteral
from splc.system.options import BinaryOption
from splc.system.variability import ROOT, VariabilityModel
from splc.types import Array


@dataclass(frozen=True)
class NumericAtom:
    """`left comparison right`; the comparison is one of >= <= != = < >."""

    left: Node
    comparison: str
    right: Node


@dataclass(frozen=True)
class Junction:
    """A conjunction or a disjunction of formulas; without parts, it is true or false.

    Negations are at the atoms only, so that every formula is in negation normal form.
    """

    conjunction: bool
    parts: tuple[Formula, ...]


Atom = OptionLiteral | NumericAtom
Formula = Atom | Junction
# A clause as a set: at least one of its atoms holds.
AtomSet = frozenset[Atom]

_OPPOSITES = {">=": "<", "<=": ">", "!=": "=", "<": ">=", ">": "<=", "=": "!="}


def opposite(atom: Atom) -> Atom:
    """Return the atom that holds where another one does not."""
    if isinstance(atom, OptionLiteral):
        return OptionLiteral(atom.name, not atom.positive)
    return NumericAtom(atom.left, _OPPOSITES[atom.comparison], atom.right)


def negation(formula: Formula) -> Formula:
    """Return the negation of a formula."""
    if isinstance(formula, Junction):
        return Junction(not formula.conjunction, tuple(map(negation, formula.parts)))
    return opposite(formula)


def joined(parts: Iterable[Formula], *, conjunction: bool) -> Formula:
    """Return the conjunction or disjunction of formulas, those of the same kind merged into it."""
    flat: list[Formula] = []
    for part in parts:
        flat += part.parts if isinstance(part, Junction) and part.conjunction == conjunction else (part,)
    return flat[0] if len(flat) == 1 else Junction(conjunction, tuple(flat))


def implication(premise: Formula, conclusion: Formula) -> Formula:
    """Return the formula `premise => conclusion`."""
    return joined((negation(premise), conclusion), conjunction=False)


def equivalence(first: Formula, second: Formula) -> Formula:
    """Return the formula `one <=> other`."""
    return joined((implication(first, second), implication(second, first)), conjunction=True)


def atoms_of(formula: Formula) -> Iterator[Atom]:
    """Yield the atoms of a formula, from left to right."""
    pending = [formula]
    while pending:
        part = pending.pop()
        if isinstance(part, Junction):
            pending += reversed(part.parts)
        else:
            yield part


def clauses_of(formula: Formula, limit: int) -> list[AtomSet] | None:
    """Return clauses whose conjunction is equivalent to a formula, None if distribution gives more than `limit`.

    Clauses that always hold, and those that another clause implies, are left out. Without clauses the formula always
    holds; an empty clause never does.
    """
    if not isinstance(formula, Junction):
        return [frozenset({formula})]
    result: list[AtomSet] = [] if formula.conjunction else [frozenset()]
    for part in formula.parts:
        clauses = clauses_of(part, limit)
        if clauses is None:
            return None
        if formula.conjunction:
            result += clauses
        elif len(result) * len(clauses) > 4 * limit:
            return None
        else:
            result = _reduced(first | second for first in result for second in clauses)
        if len(result) > limit:
            return None
    return _reduced(result) if formula.conjunction else result


def _reduced(clauses: Iterable[AtomSet]) -> list[AtomSet]:
    """Return clauses without those that always hold or that another one implies, in their order."""
    distinct = [clause for clause in dict.fromkeys(clauses) if not any(opposite(atom) in clause for atom in clause)]
    if len(distinct) < 2:
        return distinct
    minimal: dict[AtomSet, None] = {}
    containing: dict[Atom, list[AtomSet]] = {}  # one atom of each kept clause → the clause
    for clause in sorted(distinct, key=len):
        if not clause:
            return [clause]
        if not any(other <= clause for atom in clause for other in containing.get(atom, ())):
            minimal[clause] = None
            containing.setdefault(next(iter(clause)), []).append(clause)
    return [clause for clause in distinct if clause in minimal]


# Pairs of an option's position and, for each of its values, whether it satisfies a clause.
Literals = tuple[tuple[int, tuple[bool, ...]], ...]


@dataclass(frozen=True)
class Clause:
    """A disjunction: at least one literal holds."""

    literals: Literals  # the values of options that satisfy it
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
    hierarchy: dict[Literals, Clause] = {}
    for stated, reason in _hierarchy(system):
        if (literals := _literals(system, stated)) is not None:
            hierarchy.setdefault(literals, Clause(literals, None, reason))
    constraints = (
        Clause(literals, constraint, constraint.text.strip())
        for constraint in system.constraints
        if isinstance(constraint, BooleanConstraint)
        for group in ([*zip(constraint.literals)] if constraint.conjunction else [constraint.literals])
        if (literals := _literals(system, group)) is not None
    )
    return (*hierarchy.values(), *constraints)


def _literals(system: VariabilityModel, stated: Iterable[tuple[str, bool]]) -> Literals | None:
    """Return the values of options that satisfy one of some literals, None if one always holds."""
    merged: dict[int, tuple[bool, ...]] = {}
    for name, positive in stated:
        if name == ROOT:
            if positive:
                return None
            continue
        position, enabled = system.switches[name] if name in system.switches else (system.positions[name], True)
        option, selected = system.options[position], enabled == positive
        if isinstance(option, BinaryOption):
            allowed: tuple[bool, ...] = (not selected, selected)
        else:
            allowed = (*[selected] * len(option.values), *[not selected] * option.optional)
        merged[position] = allowed = tuple(map(operator.or_, merged.get(position, (False,) * option.size), allowed))
        if all(allowed):
            return None
    return tuple(sorted(merged.items()))


def _hierarchy(system: VariabilityModel) -> Iterator[tuple[list[tuple[str, bool]], str]]:
    """Yield the rules of the hierarchy as literals, one of which holds, with what they say."""
    groups: set[frozenset[str]] = set()
    for option in system.binary_options:
        name, parent = option.name, option.parent or ROOT
        yield [(name, False), (parent, True)], f"{name} needs its parent {parent}"
        siblings = system.alternatives(option)
        if not option.optional and not system.exclusions[name]:
            yield [(parent, False), (name, True)], f"{parent} needs {name}"
        elif siblings and frozenset(group := [name, *siblings]) not in groups:
            groups.add(frozenset(group))
            needs = [(parent, False), *((member, True) for member in group)]
            yield needs, f"{parent} needs one of {', '.join(group)}"
        for other in system.exclusions[name]:
            if system.positions[other] > system.positions[name]:
                yield [(name, False), (other, False)], f"{name} excludes {other}"
        for alternatives in option.implied:
            needs = [(name, False), *((other, True) for other in alternatives)]
            yield needs, f"{name} implies {' or '.join(alternatives)}"
