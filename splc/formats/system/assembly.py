"""Systems from feature trees and propositional constraints, which the readers of feature models share."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from splc.errors import InputError, Problems, SplcError, VariabilityError
from splc.formats.system.constraint_forms import constraints_of, selection
from splc.formats.system.feature_tree import MAX_CLAUSES, FeatureNode, options_of
from splc.io.files import STANDARD, Source
from splc.system.constraints import Constraint
from splc.system.options import Option
from splc.system.propositions import Formula, NumericAtom, atoms_of, clauses_of, opposite
from splc.system.variability import ENABLED, ROOT, VariabilityModel


@dataclass
class Assembly:
    """The parts of one file's system, and the problems of the file."""

    file: str  # the name of the file for messages
    constraints: list[Constraint] = field(default_factory=list)  # the constraints, in file order
    notes: list[str] = field(default_factory=list)  # remarks that are not errors
    values: dict[str, tuple[float, ...]] = field(default_factory=dict)  # numeric option → its values
    optional: set[str] = field(default_factory=set)  # the numeric options that may be deselected

    def __post_init__(self) -> None:
        self.problems = Problems(self.file)

    def root_name(self, names: Iterable[str]) -> str:
        """Return the name that the option of a feature `root` has: that name is reserved, so it has a number."""
        used_names = set(names)
        if ROOT not in used_names:
            return ROOT
        free = free_name(ROOT, used_names)
        self.notes.append(f"the feature {ROOT!r} is named {free!r} here, because that name is reserved")
        return free

    def require(self, formula: Formula, line: int | None, text: str) -> None:
        """Add a constraint: its clauses, or one arithmetic constraint if these are too many."""
        positions = {atom: at for at, atom in reversed(list(enumerate(atoms_of(formula))))}
        clauses = clauses_of(formula, MAX_CLAUSES)
        if clauses is None:
            if any(isinstance(atom, NumericAtom) for atom in positions):
                message = f"the constraint has more than {MAX_CLAUSES} clauses, and comparisons"
                self.problems.add(message, line, text=text, hint="write several constraints")
            else:
                self.constraints.append(selection(formula, self.optional, line))
            return
        for clause in clauses:
            atoms = sorted(clause, key=lambda atom: positions.get(atom, positions.get(opposite(atom), 0)))
            try:
                self.constraints += constraints_of(atoms, self.values, self.optional, line)
            except InputError as error:
                self.problems.include(error.at(self.file, line))

    def tree(self, name: str, root: FeatureNode) -> VariabilityModel:
        """Return the system of a feature tree and the constraints."""
        options, groups = options_of(root)
        self.constraints[:0] = groups
        return self.system(name, options)

    def system(self, name: str, options: Sequence[Option]) -> VariabilityModel:
        """Return the system of the options and the constraints; see `tree`."""
        names = {option.name for option in options}
        for hidden in (f"{ENABLED}{option_name}" for option_name in sorted(self.optional)):
            if hidden in names:
                self.problems.add(f"the name {hidden!r} is reserved: {hidden.removeprefix(ENABLED)!r} is optional")
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
