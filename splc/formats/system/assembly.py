"""Systems from feature trees and propositional constraints, which the readers of feature models share."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from splc.arithmetic.tree import Name, Node, Number, Product, Sum
from splc.errors import Problems, SplcError, VariabilityError
from splc.formats.system.feature_tree import MOST_CLAUSES, Feature, disjunction, options_of
from splc.io.files import STANDARD, Source
from splc.models.terms import quoted
from splc.system.constraints import ArithmeticConstraint, Constraint, OptionLiteral
from splc.system.options import Option
from splc.system.propositions import Atom, Comparison, Formula, Junction, atoms_of, clauses_of
from splc.system.variability import ROOT, VariabilityModel


@dataclass
class Assembly:
    """The parts of one file's system, and the problems of the file.

    Attributes:
        file: the name of the file for messages.
        constraints: the constraints, in file order.
        notes: remarks that are not errors.
    """

    file: str
    constraints: list[Constraint] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.problems = Problems(self.file)

    def root_name(self, names: Iterable[str]) -> str:
        """Return the name that the option of a feature `root` has: that name is reserved, so it has a number."""
        known = set(names)
        if ROOT not in known:
            return ROOT
        new = free_name(ROOT, known)
        self.notes.append(f"the feature {ROOT!r} is named {new!r} here, because that name is reserved")
        return new

    def require(self, formula: Formula, line: int | None, text: str) -> None:
        """Add a propositional constraint: its clauses, or one arithmetic constraint if these are too many."""
        order = list(dict.fromkeys(atoms_of(formula)))
        if any(isinstance(atom, Comparison) for atom in order):
            self.problems.add("an arithmetic constraint, which is not supported", line, text=text)
            return
        clauses = clauses_of(formula, MOST_CLAUSES)
        if clauses is None:
            self.constraints.append(_arithmetic(formula, line))
        elif clauses and not clauses[0]:
            self.problems.add("the constraint never holds", line, text=text)
        else:
            places = {name: at for at, name in enumerate(dict.fromkeys(map(_name, order)))}
            for clause in clauses:
                literals = [atom for atom in clause if isinstance(atom, OptionLiteral)]
                self.constraints.append(disjunction(sorted(literals, key=lambda each: places[each[0]]), line))

    def tree(self, name: str, root: Feature) -> VariabilityModel:
        """Return the system of a feature tree and the constraints.

        Raises:
            VariabilityError: with all problems of the file.
        """
        options, groups = options_of(root)
        self.constraints[:0] = groups
        return self.system(name, options)

    def system(self, name: str, options: Sequence[Option]) -> VariabilityModel:
        """Return the system of the options and the constraints; see `tree`."""
        try:
            system = VariabilityModel(name, tuple(options), tuple(self.constraints), self.file, tuple(self.notes))
        except SplcError as error:
            self.problems.include(error)
        self.problems.raise_if_any(VariabilityError)
        return system


def free_name(name: str, taken: Container[str], number: int = 1) -> str:
    """Return a name followed by the first number from this one with which it is not taken."""
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def name_of(source: Source) -> str:
    """Return the name of the system in a file whose content states none."""
    if source.name == STANDARD:
        return "system"
    return Path(source.name.removesuffix(".gz")).stem or "system"


def _name(atom: Atom) -> str:
    return atom.name if isinstance(atom, OptionLiteral) else ""


def _arithmetic(formula: Formula, line: int | None) -> ArithmeticConstraint:
    """Return a formula as a comparison: 1 for an option that is selected, a product for a conjunction."""
    node, text = _value(formula)
    return ArithmeticConstraint(node, ">=", Number(1), "mixed", "none", False, f"{text} >= 1", line)


def _value(formula: Formula) -> tuple[Node, str]:
    """Return a formula as an expression that is at least 1 where it holds, and 0 elsewhere, and its text."""
    if isinstance(formula, OptionLiteral):
        node: Node = Name(formula.name)
        if formula.positive:
            return node, quoted(formula.name)
        return Sum(((1, Number(1)), (-1, node))), f"(1 - {quoted(formula.name)})"
    assert isinstance(formula, Junction)
    parts = [_value(part) for part in formula.parts]
    if formula.conjunction:
        return Product(tuple((1, part) for part, _ in parts)), "(" + " * ".join(text for _, text in parts) + ")"
    return Sum(tuple((1, part) for part, _ in parts)), "(" + " + ".join(text for _, text in parts) + ")"
