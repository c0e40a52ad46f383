"""Propositional formulas over options and comparisons, and their clauses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from splc.arithmetic.tree import Node
from splc.system.constraints import OptionLiteral


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
    # One atom of each kept clause → the clause: a clause that contains it has that atom.
    containing: dict[Atom, list[AtomSet]] = {}
    for clause in sorted(distinct, key=len):
        if not clause:
            return [clause]
        if not any(other <= clause for other in chain.from_iterable(containing.get(atom, ()) for atom in clause)):
            minimal[clause] = None
            containing.setdefault(next(iter(clause)), []).append(clause)
    return [clause for clause in distinct if clause in minimal]
