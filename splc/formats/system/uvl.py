"""UVL, the universal variability language: reading."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from splc.arithmetic.tree import Name, Node, Number, Product, Sum
from splc.errors import InputError, listed, nearest, plural
from splc.formats.system.assembly import Assembly, FeatureNode, always_selected, constant_of, features_of, name_of
from splc.formats.system.uvl_expressions import ExpressionParser, Names, UvlToken, lines_of, text_of
from splc.formats.system.uvl_features import Cursor, FeatureLines
from splc.io.files import Source
from splc.system.constraints import OptionLiteral
from splc.system.options import MAX_VALUES
from splc.system.propositions import Formula, Junction, NumericAtom, joined
from splc.system.variability import ROOT, VariabilityModel

_MIRRORED = {">=": "<=", "<=": ">=", "<": ">", ">": "<", "=": "=", "!=": "!="}


class Domain:
    """The values of one feature, as far as constraints state them: a list, or bounds of whole numbers."""

    def __init__(self, *, whole: bool) -> None:
        self.whole = whole
        self.listed: set[float] | None = None
        self.lower, self.upper = -math.inf, math.inf

    def add(self, comparisons: Sequence[tuple[str, float]]) -> bool:
        """Take a disjunction of comparisons with numbers into account; return whether it is a list or a bound."""
        if all(sign == "=" for sign, _ in comparisons):
            values = {value for _, value in comparisons}
            self.listed = values if self.listed is None else self.listed & values
            return True
        if len(comparisons) > 1:
            return False
        ((sign, value),) = comparisons
        if sign in {">=", "<="} or (self.whole and sign in {">", "<"}):
            if sign[0] == ">":
                bound = math.ceil(value) if sign == ">=" and self.whole else value
                self.lower = max(self.lower, math.floor(value) + 1 if sign == ">" else bound)
            else:
                bound = math.floor(value) if sign == "<=" and self.whole else value
                self.upper = min(self.upper, math.ceil(value) - 1 if sign == "<" else bound)
            return True
        return False

    def values(self) -> tuple[float, ...] | None:
        """Return the values, None if they are not known to be finitely many."""
        if self.listed is None:
            size = self.upper - self.lower
            if not self.whole or not size < MAX_VALUES:
                return None
            return tuple(float(self.lower) + step for step in range(int(size) + 1)) if size >= 0 else ()
        ordered = sorted(self.listed)
        return tuple(
            value for value in ordered if self.lower <= value <= self.upper and (not self.whole or value % 1 == 0)
        )


def stated_values(formula: Formula, domains: Mapping[str, Domain]) -> Formula:
    """Add what a formula states about the values of single features to their domains; return what it states beside."""
    parts = formula.parts if isinstance(formula, Junction) and formula.conjunction else (formula,)
    other_parts = []
    for part in parts:
        statement = _statement(part)
        if statement is None or statement[0] not in domains or not domains[statement[0]].add(statement[1]):
            other_parts.append(part)
    return joined(other_parts, conjunction=True)


def _statement(formula: Formula) -> tuple[str, list[tuple[str, float]]] | None:
    """Return the feature whose values a formula states, and the comparisons with numbers one of which holds."""
    parts = formula.parts if isinstance(formula, Junction) else (formula,)
    comparisons: list[tuple[str, float]] = []
    names: set[str] = set()
    for part in parts:
        if isinstance(part, OptionLiteral) and not part.positive:
            # A statement about a value applies only if the feature is selected.
            names.add(part.name)
            continue
        if not isinstance(part, NumericAtom):
            return None
        first, sign, second = part.left, part.comparison, part.right
        if isinstance(second, Name):
            first, sign, second = second, _MIRRORED[sign], first
        value = constant_of(second)
        if not isinstance(first, Name) or value is None or not math.isfinite(value):
            return None
        names.add(first.name)
        comparisons.append((sign, value))
    return (names.pop(), comparisons) if len(names) == 1 and comparisons else None


class FeatureValues:
    """The meaning of names in arithmetic expressions.

    Args:
        features: name → feature.
        types: feature → its type, for those that are not Boolean.
        numbers: feature → its attributes that are numbers.
    """

    def __init__(
        self,
        features: Mapping[str, FeatureNode],
        types: Mapping[str, str],
        numbers: Mapping[str, Mapping[str, float]],
    ) -> None:
        self.features = features
        self.types = types
        self.numbers = numbers

    def value(self, name: str) -> Node | None:
        """Return the value of a feature that is a number, or of an attribute: 0 where its feature is not selected."""
        if self.types.get(name) in {"Integer", "Real"}:
            return Name(self.features[name].name)
        owner, _, attribute = name.rpartition(".")
        number = self.numbers.get(owner, {}).get(attribute)
        return None if number is None else self._weighted(owner, number)

    def total(self, function: str, references: Sequence[str]) -> Node | None:
        """Return the sum or the mean of an attribute of the selected features, all or those below one."""
        if function not in {"sum", "avg"} or len(references) > 2:
            return None
        features_named = [name for name in references if name in self.features]
        names = [name for name in references if name not in self.features]
        if len(names) != 1:
            return None
        selected_features = list(self.features.items())
        if features_named:
            descendants = {id(feature) for feature in features_of(self.features[features_named[0]])}
            selected_features = [(name, feature) for name, feature in selected_features if id(feature) in descendants]
        weights = [
            (name, self.numbers[name][names[0]])
            for name, _ in selected_features
            if names[0] in self.numbers.get(name, ())
        ]
        if not weights or any(name in self.types for name, _ in weights):
            return None
        total = Sum(tuple((1, self._weighted(name, weight)) for name, weight in weights))
        if function == "sum":
            return total
        count = Sum(tuple((1, Name(self.features[name].name)) for name, _ in weights))
        return Product(((1, total), (-1, count)))

    def _weighted(self, name: str, weight: float) -> Node:
        return Product(((1, Number(weight)), (1, Name(self.features[name].name))))


_SECTIONS = ("namespace", "include", "imports", "features", "constraints")


def parse_uvl(source: Source) -> VariabilityModel:
    """Return the system of a feature model in UVL."""
    assembly = Assembly(source.name)
    problems = assembly.problems
    features = FeatureLines(problems)
    name = ""
    section = ""
    constraint_tokens: list[Sequence[UvlToken]] = []
    for line in lines_of(source, problems):
        first = line.tokens[0]
        if line.indent == 0 and first.text in _SECTIONS and not first.quoted:
            section = first.text
            if section == "namespace":
                name = Cursor(line.tokens[1:]).name()
            elif len(line.tokens) > 1:
                problems.add(f"{section!r} stands alone in its line", line.number, text=line.text)
        elif section == "features":
            features.add(line)
        elif section == "constraints":
            constraint_tokens.append(line.tokens)
        elif section == "imports":
            hint = "write the features of the imported model into this file"
            problems.add("imported models are not supported", line.number, text=line.text, hint=hint)
        elif section != "include":
            hint = nearest(first.text, _SECTIONS) or f"sections are: {', '.join(_SECTIONS)}"
            problems.add("this line is in no section", line.number, text=line.text, hint=hint)
    features.finish()
    if features.root is None:
        problems.add("the model has no features", hint="they are below the line 'features'")
        problems.raise_if_any()
    assert features.root is not None
    if ROOT in features.features:
        features.features[ROOT].name = assembly.root_name(features.features)
    values = FeatureValues(features.features, features.types, features.numbers)
    names = _names(features, values)
    formulas: list[tuple[Formula, Sequence[UvlToken]]] = []
    for tokens in (*constraint_tokens, *features.constraints):
        try:
            formulas.append((ExpressionParser(tokens, names).formula(), tokens))
        except InputError as error:
            problems.include(error)
    domains = {name: Domain(whole=kind == "Integer") for name, kind in features.types.items() if kind != "String"}
    formulas = [(stated_values(formula, domains), tokens) for formula, tokens in formulas]
    _set_values(features, domains, assembly)
    assembly.optional = assembly.values.keys() - always_selected(features.root)
    for formula, tokens in formulas:
        assembly.require(formula, tokens[0].line, text_of(tokens))
    return assembly.tree(name or features.root.name or name_of(source), features.root)


def _set_values(features: FeatureLines, domains: Mapping[str, Domain], assembly: Assembly) -> None:
    """Set the values of features that are numbers; note what has no effect."""
    problems = assembly.problems
    if features.attributes:
        count = plural(len(features.attributes), "attribute is", "attributes are")
        lines = listed([str(number) for number in dict.fromkeys(features.attributes)])
        assembly.notes.append(f"{count} used in constraints only (in line {lines})")
    for name, kind in features.types.items():
        feature = features.features[name]
        if kind == "String":
            assembly.notes.append(f"line {feature.line}: the text of the feature {name!r} has no effect")
            continue
        values = domains[name].values()
        if feature.groups or feature is features.root:
            message = f"the feature {name!r} has a number, and features below it"
            problems.add(message, feature.line, hint="write the features beside it, and constraints")
        elif values is None:
            hint = f"state its values in a constraint: {name} == 1 | {name} == 2, or {name} >= 1 & {name} <= 8"
            message = f"the feature {name!r} has a number, which may be any one"
            problems.add(message, feature.line, hint=hint if kind == "Integer" else hint.partition(", or")[0])
        elif not values:
            problems.add(f"the constraints leave no value of the feature {name!r}", feature.line)
        else:
            feature.values = assembly.values[feature.name] = values
    for parent in features.features.values():
        for group in parent.groups:
            if group.lower not in {0, len(group.members)} or group.upper < len(group.members):
                for member in group.members:
                    if member.name in domains:
                        message = f"the feature {member.name!r} has a number, and is an alternative to others"
                        problems.add(message, member.line, hint="write it into a group below a feature of the group")


def _names(features: FeatureLines, values: FeatureValues) -> Names:
    """Return the meaning of names in constraints."""

    def literal(name: str) -> Formula | None:
        feature = features.features.get(name)
        return None if feature is None else OptionLiteral(feature.name, True)

    return Names(literal, values.value, values.total, lambda name: nearest(name, features.features))
