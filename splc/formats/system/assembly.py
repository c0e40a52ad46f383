"""Systems from feature trees, propositional constraints and comparisons, which the readers of feature models share."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np

from splc.arithmetic.functions import evaluate
from splc.arithmetic.tree import Name, Node, Number, Product, Sum, names_in, tree_text
from splc.errors import InputError, Problems, SplcError, VariabilityError, listed
from splc.io.files import STANDARD
from splc.io.numbers import number_text
from splc.models.terms import quoted
from splc.system.clauses import Atom, Formula, Junction, NumericAtom, atoms_of, clauses_of, joined, opposite
from splc.system.constraints import ArithmeticConstraint, BooleanConstraint, Constraint, OptionLiteral
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import ENABLED, ROOT, VariabilityModel

_MAX_VALUES = 512  # the most values that a numeric option loses to one constraint


def disjunction(literals: Iterable[tuple[str, bool]], line: int | None = None) -> BooleanConstraint:
    """Return the constraint that at least one literal holds."""
    parts = tuple(OptionLiteral(*literal) for literal in literals)
    text = " | ".join(("" if positive else "!") + quoted(name) for name, positive in parts)
    return BooleanConstraint(parts, False, text, line)


def comparison_of(left: Node, sign: str, right: Node, line: int | None = None) -> ArithmeticConstraint:
    """Return the constraint that a comparison holds, in which options that are not selected are 0."""
    first, second = (tree_text(node, quoted, number_text) for node in (left, right))
    return ArithmeticConstraint(left, sign, right, "mixed", "none", False, f"{first} {sign} {second}", line)


def _names(comparison: NumericAtom) -> list[str]:
    return names_in(comparison.left) + names_in(comparison.right)


def _holds(comparison: NumericAtom, value: float) -> bool:
    """Return whether a comparison over one option holds where it has this value."""
    constraint = comparison_of(comparison.left, comparison.comparison, comparison.right)
    return bool(np.all(constraint.holds(lambda _: np.array([value]))))


def constant_of(node: Node) -> float | None:
    """Return the number of an expression without names, None for others."""
    return None if names_in(node) else float(evaluate(node, lambda _: 0.0, zero_safe=True))


def _difference(comparison: NumericAtom) -> Node:
    if comparison.right == Number(0):
        return comparison.left
    return Sum(((1, comparison.left), (-1, comparison.right)))


MAX_CLAUSES = 512  # the most clauses into which one constraint is distributed

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
    kind: str = "Boolean"  # its type in UVL
    numbers: dict[str, float] = field(default_factory=dict)  # its attributes that are numbers


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
        for group in feature.groups if feature.name in selected_names else ():
            selected_names.update(member.name for member in group.members if group.lower == len(group.members))
    return selected_names


def options_of(root: FeatureNode) -> tuple[tuple[Option, ...], tuple[Constraint, ...]]:
    """Return the options of a feature tree, the root feature first, and the constraints of its groups."""
    binary, numeric, constraints = list[BinaryOption](), list[NumericOption](), list[Constraint]()
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
            for member in group.members:
                excluded: Names = tuple((name,) for name in names if exclusive and name != member.name)
                relations[id(member)] = feature.name, not needed, excluded
            if not needed and not exclusive:
                if group.lower == 1:
                    implied.append(names)
                # Readers report groups that need more features than they have.
                constraints += _cardinality(feature.name, names, min(group.lower, len(names)), upper, group.line)
        parent, optional, excluded = relations.pop(id(feature), (None, False, ()))
        if feature.values is None:
            binary.append(BinaryOption(feature.name, parent, optional, tuple(implied), excluded, line=feature.line))
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
    selected, size = Sum(tuple((1, Name(name)) for name in names)), len(names) - lower + 1
    if lower > 1 and comb(len(names), size) > MAX_CLAUSES:
        yield comparison_of(selected, ">=", Product(((1, Number(lower)), (1, Name(parent)))), line)
    elif lower > 1:
        for subset in combinations(names, size):
            yield disjunction([(parent, False), *((name, True) for name in subset)], line)
    if upper < len(names) and comb(len(names), upper + 1) > MAX_CLAUSES:
        yield comparison_of(selected, "<=", Number(upper), line)
    elif upper < len(names):
        for subset in combinations(names, upper + 1):
            yield disjunction([(name, False) for name in subset], line)


@dataclass
class Assembly:
    """The parts of one file's system, and the problems of the file."""

    file: str  # the name of the file for messages
    constraints: list[Constraint] = field(default_factory=list)  # the constraints, in file order
    notes: list[str] = field(default_factory=list)  # remarks that are not errors
    values: dict[str, tuple[float, ...]] = field(default_factory=dict)  # numeric option → its values
    optional: set[str] = field(default_factory=set)  # the numeric options that may be deselected
    features: dict[str, FeatureNode] = field(default_factory=dict)  # the features of a tree by their names in the file

    def __post_init__(self) -> None:
        self.problems = Problems(self.file)

    @property
    def default_name(self) -> str:
        """The name of a system whose file states none."""
        return "system" if self.file == STANDARD else Path(self.file.removesuffix(".gz")).stem or "system"

    def root_name(self, names: Iterable[str]) -> str:
        """Return the name that the option of a feature `root` has: that name is reserved, so it has a number."""
        if ROOT not in (used_names := set(names)):
            return ROOT
        free = free_name(ROOT, used_names)
        self.notes.append(f"the feature {ROOT!r} is named {free!r} here, because that name is reserved")
        return free

    def require(self, formula: Formula, line: int | None, text: str) -> None:
        """Add a constraint: its clauses, or one arithmetic constraint if these are too many."""
        positions = {atom: at for at, atom in reversed(list(enumerate(atoms_of(formula))))}
        clauses = clauses_of(formula, MAX_CLAUSES)
        if clauses is None and any(isinstance(atom, NumericAtom) for atom in positions):
            message = f"the constraint has more than {MAX_CLAUSES} clauses, and comparisons"
            self.problems.add(message, line, text=text, hint="write several constraints")
        elif clauses is None:
            # One comparison of products and sums, which is at least 1 where the formula holds.
            self.constraints.append(comparison_of(self._value(formula), ">=", Number(1), line))
        for clause in clauses or ():
            atoms = sorted(clause, key=lambda atom: positions.get(atom, positions.get(opposite(atom), 0)))
            try:
                self.constraints += self._constraints_of(atoms, line)
            except InputError as error:
                self.problems.include(error, line)

    def _constraints_of(self, atoms: Sequence[Atom], line: int | None) -> Iterator[Constraint]:
        """Yield the constraints that a disjunction of literals and comparisons holds; see `_guarded`."""
        literals = [atom for atom in atoms if isinstance(atom, OptionLiteral)]
        always = [literal for literal in literals if literal.name in self.values and literal.name not in self.optional]
        comparisons = [atom for atom in atoms if isinstance(atom, NumericAtom)]
        constant = [comparison for comparison in comparisons if not _names(comparison)]
        if any(literal.positive for literal in always) or any(_holds(comparison, 0.0) for comparison in constant):
            return
        literals = [literal for literal in literals if literal not in always]
        comparisons = [comparison for comparison in comparisons if comparison not in constant]
        names = {name for comparison in comparisons for name in _names(comparison)}
        # A literal must say that the disjunction holds where an option that is compared has no value.
        deselected = {literal.name for literal in literals if not literal.positive}
        if unselected := sorted(names & self.optional - deselected):
            message = f"the constraint compares {listed(unselected)}, which may not be selected"
            raise InputError(message, hint=f"say when it holds, too: !{unselected[0]} | …")
        # A comparison holds where its numeric options have no value.
        literals = [
            literal for literal in literals if literal.positive or literal.name not in names & self.values.keys()
        ]
        if not literals and not comparisons:
            raise InputError("the constraint never holds")
        if not comparisons:
            yield disjunction(literals, line)
        elif len(comparisons) == 1:
            yield self._guarded(literals, comparisons[0], line)
        elif all(comparison.comparison == "=" for comparison in comparisons):
            factors = tuple((1, _difference(each)) for each in comparisons)
            yield self._guarded(literals, NumericAtom(Product(factors), "=", Number(0)), line)
        elif len(names) == 1 and names <= self.values.keys():
            (name,) = names
            excluded = [value for value in self.values[name] if not any(_holds(each, value) for each in comparisons)]
            if len(excluded) > _MAX_VALUES:
                raise InputError(f"the constraint excludes {len(excluded):,} values of {name}")
            for value in excluded:
                yield self._guarded(literals, NumericAtom(Name(name), "!=", Number(value)), line)
        else:
            message = "alternatives among comparisons of several features are not supported"
            raise InputError(message, hint="write several constraints, each with one comparison")

    def _guarded(self, literals: Sequence[OptionLiteral], comparison: NumericAtom, line: int | None) -> Constraint:
        """Return the constraint that a comparison holds where none of the literals does.

        With g = 1 if none holds, else 0, g·(left - right) is compared with 0; for `>`, `<` and `!=` the number of
        literals that hold is added or subtracted.
        """
        sign = comparison.comparison
        if not literals:
            return comparison_of(comparison.left, sign, comparison.right, line)
        guards = tuple((1, self._value(opposite(literal))) for literal in literals)
        product: Node = Product((*guards, (1, _difference(comparison))))
        if sign in {">", "<", "!="}:
            product = Sum(((1, product), (-1 if sign == "<" else 1, self._value(joined(literals, conjunction=False)))))
        return comparison_of(product, sign, Number(0), line)

    def _value(self, formula: Formula) -> Node:
        """Return an expression that is at least 1 where a formula holds, else 0."""
        if isinstance(formula, OptionLiteral):
            # The name of a numeric option is its value.
            name = Name(ENABLED + formula.name if formula.name in self.optional else formula.name)
            return name if formula.positive else Sum(((1, Number(1)), (-1, name)))
        assert isinstance(formula, Junction)
        parts = tuple((1, self._value(part)) for part in formula.parts)
        return Product(parts) if formula.conjunction else Sum(parts)

    def tree(self, name: str, root: FeatureNode) -> VariabilityModel:
        """Return the system of a feature tree and the constraints."""
        options, groups = options_of(root)
        self.constraints[:0] = groups
        return self.system(name, options)

    def system(self, name: str, options: Sequence[Option]) -> VariabilityModel:
        """Return the system of the options and the constraints; see `tree`."""
        names = {option.name for option in options}
        for name_of_option in sorted(each for each in self.optional if f"{ENABLED}{each}" in names):
            self.problems.add(f"the name {ENABLED + name_of_option!r} is reserved: {name_of_option!r} is optional")
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
