"""UVL, the universal variability language: reading and writing."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from splc.arithmetic.tree import Call, Name, Node, Number, Power, Product, Sum, tree_text
from splc.errors import InputError, OutputError, Problem, Problems, listed, nearest, plural
from splc.formats.system.assembly import Assembly, FeatureNode, Group, always_selected, constant_of
from splc.formats.system.feature_models import structure_of
from splc.formats.system.uvl_parser import Cursor, Domain, UvlParser, UvlToken, is_domain, lines_of, text_of
from splc.io.files import Source, write_whole
from splc.io.numbers import number_text, parse_number
from splc.system.clauses import Formula, Junction, NumericAtom, joined, opposite
from splc.system.constraints import ArithmeticConstraint
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import ROOT, VariabilityModel

TYPES = ("Boolean", "Integer", "Real", "String")
# Group → its bounds, given the number of members.
GROUPS: dict[str, Callable[[int], tuple[int, int]]] = {
    "mandatory": lambda size: (size, size),
    "optional": lambda size: (0, size),
    "or": lambda size: (1, size),
    "alternative": lambda size: (1, 1),
}


_CARDINALITY = re.compile(r"\[\n(\d+)\n(?:\.\.\n(\d+|\*)\n)?\]")


def _cardinality(cursor: Cursor) -> tuple[int, int] | None:
    """Return the bounds in `[n..m]`, `[n..*]` or `[n]`, and pass them; None if there are none."""
    text = "\n".join(token.text for token in cursor.tokens[cursor.at : cursor.at + 5])
    if (match := _CARDINALITY.match(text)) is None:
        return None
    cursor.at += 5 if match[2] else 3
    return int(match[1]), 10**9 if match[2] == "*" else int(match[2] or match[1])


def _attributes(cursor: Cursor) -> Iterator[tuple[str, list[UvlToken]]]:
    """Yield the names and the tokens of the values in `{…}`, which is next."""
    start, depth = cursor.at, 0
    while cursor.token.kind != "end" and (depth or cursor.at == start):
        depth += cursor.token.depth
        cursor.at += 1
    for part in parts_of(cursor.tokens[start + 1 : cursor.at - 1]):
        inner = Cursor(part)
        yield inner.name(), list(part[inner.at :])


def parts_of(tokens: Sequence[UvlToken]) -> list[list[UvlToken]]:
    """Return tokens, separated at commas outside of brackets."""
    parts, depth = list[list[UvlToken]]([[]]), 0
    for token in tokens:
        depth += token.depth
        if token.kind == "sign" and token.text == "," and not depth:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


_SECTIONS = ("namespace", "include", "imports", "features", "constraints")


class _UvlReader(Assembly):
    """Reads one file."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.root: FeatureNode | None = None
        # The tokens of constraints among attributes, and the lines of features with others than `abstract`.
        self.inner_constraints, self.attributes = list[list[UvlToken]](), list[int]()

    def wrong(self, line: Cursor, message: str, hint: str | None = None) -> None:
        """Add the problem of a line."""
        self.problems.add(message, line.line, text=line.text, hint=hint)

    def add(self, lines: Iterable[Cursor]) -> None:
        """Add the features in lines, each with the groups or features in the lines that are indented below it."""
        enclosing, top = list[Cursor](), list[Cursor]()
        for line in lines:
            while enclosing and enclosing[-1].indent >= line.indent:
                enclosing.pop()
            beside = enclosing[-1].below if enclosing else top
            if enclosing and beside and beside[0].indent != line.indent:
                self.wrong(line, "the indentation differs from that of the lines before")
            beside.append(line)
            enclosing.append(line)
        pending: list[tuple[FeatureNode | Group | None, Cursor]] = [(None, line) for line in reversed(top)]
        while pending:
            parent, line = pending.pop()
            node = self._group(parent, line) if isinstance(parent, FeatureNode) else self._feature(parent, line)
            pending += [(node, inner) for inner in reversed(line.below)]

    def _group(self, parent: FeatureNode, line: Cursor) -> Group:
        bounds, size = _cardinality(line), len(line.below)
        kind = line.text if bounds else line.tokens[0].text
        if bounds is None and (kind not in GROUPS or line.tokens[0].quoted):
            hint = nearest(kind, GROUPS) or f"a group is one of {', '.join(GROUPS)}, [n..m]; features are below it"
            self.problems.add(f"{kind!r} below the feature {parent.name!r} is not a group", line.line, hint=hint)
            return Group(0, 0, [], line.line)
        lower, upper = bounds or GROUPS[kind](size)
        if not size:
            self.problems.add(f"the group {kind} has no features", line.line)
        elif lower > min(size, upper):
            members = plural(size, "feature", "features")
            self.problems.add(f"the group {kind} has {members}: it can never be fulfilled", line.line)
        parent.groups.append(Group(lower, upper, [], line.line))
        line.at = line.at or 1
        self._end(line)
        return parent.groups[-1]

    def _feature(self, parent: Group | None, line: Cursor) -> FeatureNode:
        typed = line.tokens[1].kind == "name"
        kind = (line.take(*TYPES, kind="name") if typed else None) or "Boolean"
        if not (name := line.name()):
            hint = "names with other characters than letters, digits and _ are in double quotes"
            self.wrong(line, "the name of a feature is missing", hint)
            name = f"line {line.line}"
        feature = FeatureNode(name, line.line)
        if parent is not None:
            parent.members.append(feature)
        elif self.root is None:
            self.root = feature
        else:
            hint = f"the root is {self.root.name!r} in line {self.root.line}; others are indented in its groups"
            self.problems.add(f"a second root feature: {name!r}", line.line, hint=hint)
        self.features.setdefault(name, feature)
        feature.kind = kind
        if line.take("cardinality", kind="name"):
            if (bounds := _cardinality(line)) is None:
                self.wrong(line, "'cardinality' is not followed by [n..m]")
            elif bounds != (1, 1):
                hint = "a feature is selected once or not at all; write several features"
                self.wrong(line, f"the cardinality of the feature {feature.name!r} is not supported", hint)
        if line.token.kind == "sign" and line.token.text == "{":
            for key, value in _attributes(line):
                if key == "constraint":
                    self.inner_constraints.append(value)
                elif key == "constraints":
                    self.inner_constraints += parts_of(value[1:-1])
                elif key != "abstract":
                    self.attributes.append(line.line)
                    number = parse_number("".join(token.text for token in value))
                    if [token.kind for token in value].count("number") == 1 and math.isfinite(number):
                        feature.numbers[key] = number
        self._end(line)
        return feature

    def _end(self, line: Cursor) -> None:
        if line.token.kind != "end":
            text = f'"{line.token.text}"' if line.token.quoted else line.token.text
            self.wrong(line, f"{text!r} is not expected here")

    def set_values(self, domains: Mapping[str, Domain]) -> None:
        """Set the values of features that are numbers; note what has no effect."""
        if self.attributes:
            count = plural(len(self.attributes), "attribute is", "attributes are")
            lines = listed([str(number) for number in dict.fromkeys(self.attributes)])
            self.notes.append(f"{count} used in constraints only (in line {lines})")
        for name, feature in ((name, each) for name, each in self.features.items() if each.kind != "Boolean"):
            if feature.kind == "String":
                self.notes.append(f"line {feature.line}: the text of the feature {name!r} has no effect")
                continue
            values = domains[name].values()
            if feature.groups or feature is self.root:
                message = f"the feature {name!r} has a number, and features below it"
                self.problems.add(message, feature.line, hint="write the features beside it, and constraints")
            elif values is None:
                hint = f"state its values in a constraint: {name} == 1 | {name} == 2"
                hint += f", or {name} >= 1 & {name} <= 8" if feature.kind == "Integer" else ""
                self.problems.add(f"the feature {name!r} has a number, which may be any one", feature.line, hint=hint)
            elif not values:
                self.problems.add(f"the constraints leave no value of the feature {name!r}", feature.line)
            else:
                feature.values = self.values[feature.name] = values
        for group in (group for parent in self.features.values() for group in parent.groups):
            chosen = group.lower not in {0, len(group.members)} or group.upper < len(group.members)
            for member in (each for each in group.members if chosen and each.name in domains):
                message = f"the feature {member.name!r} has a number, and is an alternative to others"
                self.problems.add(message, member.line, hint="write it into a group below a feature of the group")


def parse_uvl(source: Source) -> VariabilityModel:
    """Return the system of a feature model in UVL."""
    reader = _UvlReader(source.name)
    name, section, features, constraints = "", "", list[Cursor](), list[Sequence[UvlToken]]()
    for line in lines_of(source, reader.problems):
        first = line.tokens[0]
        if line.indent == 0 and first.text in _SECTIONS and not first.quoted:
            section = first.text
            if section == "namespace":
                line.at = 1
                name = line.name()
            elif line.tokens[1].kind != "end":
                reader.wrong(line, f"{section!r} stands alone in its line")
        elif section == "features":
            features.append(line)
        elif section == "constraints":
            constraints.append(line.tokens[:-1])
        elif section == "imports":
            hint = "write the features of the imported model into this file"
            reader.wrong(line, "imported models are not supported", hint)
        elif section != "include":
            hint = nearest(first.text, _SECTIONS) or f"sections are: {', '.join(_SECTIONS)}"
            reader.wrong(line, "this line is in no section", hint)
    reader.add(features)
    if reader.root is None:
        reader.problems.add("the model has no features", hint="they are below the line 'features'")
        reader.problems.raise_if_any()
        raise AssertionError
    if ROOT in reader.features:
        reader.features[ROOT].name = reader.root_name(reader.features)
    kinds = {name: feature.kind for name, feature in reader.features.items()}
    domains = {name: Domain(whole=kind == "Integer") for name, kind in kinds.items() if kind in ("Integer", "Real")}
    formulas: list[tuple[Formula, Sequence[UvlToken]]] = []
    for tokens in (*constraints, *reader.inner_constraints):
        try:
            formula = UvlParser(tokens, reader.features).formula()
        except InputError as error:
            reader.problems.include(error)
            continue
        # What is stated about the values of single features is in their domains.
        parts = formula.parts if isinstance(formula, Junction) and formula.conjunction else (formula,)
        others = [part for part in parts if not is_domain(part, domains)]
        formulas.append((joined(others, conjunction=True), tokens))
    reader.set_values(domains)
    reader.optional = reader.values.keys() - always_selected(reader.root)
    for formula, tokens in formulas:
        reader.require(formula, tokens[0].line, text_of(tokens))
    return reader.tree(name or reader.root.name or reader.default_name, reader.root)


_PLAIN = re.compile(r"[A-Za-z]\w*", re.ASCII)
_RESERVED = {*GROUPS, *TYPES, "namespace", "include", "imports", "features", "constraints", "constraint", "cardinality"}
_RESERVED |= {"as", "sum", "avg", "len", "floor", "ceil", "true", "false", "Type", "Arithmetic"}
VALUE = "value"  # the attribute of features that stand for 1 in comparisons
MAX_FACTORS = 8  # the highest power that is written as a product


def write_uvl(system: VariabilityModel, path: str | Path) -> tuple[str, ...]:
    """Write a system as a feature model in UVL; a constraint states the values of a feature that is a number."""
    problems, structure = Problems(system.source), structure_of(system, several=True)
    names = {name: _quoted(name) for name in (structure.root.name, *system.names)}
    if len(set(names.values())) < len(names):
        problems.add("names that differ in their quotes only cannot be written in UVL", hint="rename them")
    comparisons, compared = list[str](), set[str]()
    for constraint in system.arithmetic_constraints:
        try:
            compared.update(constraint.names)
            comparisons.append(_comparison(constraint, system, names))
        except OutputError as error:
            problems.include(error, constraint.line)
    problems.raise_if_any(OutputError)
    lines = [f"namespace {_quoted(system.name)}", "", "features"]
    valued = (each.name for each in system.binary_options if each.name in compared)
    shown = names | {name: f"{names[name]} {{{VALUE} 1}}" for name in valued}
    lines += _tree(structure.root, system, shown, added=structure.added)
    constraints = [
        *(_domain(option, names[option.name]) for option in system.numeric_options),
        *(" | ".join(("" if positive else "!") + names[name] for name, positive in each) for each in structure.clauses),
        *comparisons,
    ]
    lines += ["", "constraints", *(f"\t{text}" for text in constraints)] if constraints else []
    write_whole(path, "\n".join(lines) + "\n")
    renamed = [f"{name} → {names[name]}" for name in names if '"' in name]
    notes = [f"UVL has no double quotes in names: {', '.join(renamed)}"] if renamed else []
    notes += ["some programs do not read names with a point"] if any("." in name for name in names) else []
    return (*structure.notes, *notes)


def _quoted(name: str) -> str:
    """Return a name in UVL, which has no double quotes in names."""
    if _PLAIN.fullmatch(name) and name not in _RESERVED:
        return name
    return '"' + name.replace('"', "'") + '"'


def _tree(root: FeatureNode, system: VariabilityModel, names: Mapping[str, str], *, added: bool) -> Iterator[str]:
    """Yield the lines of the features, numeric options below the root."""
    yield f"\t{names[root.name]}{' {abstract}' if added else ''}"
    for kind in ("mandatory", "optional"):
        if options := [option for option in system.numeric_options if option.optional == (kind == "optional")]:
            yield f"\t\t{kind}"
            yield from (f"\t\t\t{_type(option)} {names[option.name]}" for option in options)
    pending: list[tuple[int, FeatureNode | Group]] = [(2, group) for group in reversed(root.groups)]
    while pending:
        depth, node = pending.pop()
        if isinstance(node, Group):
            bounds = (node.lower, node.upper)
            yield "\t" * depth + next(kind for kind, of in GROUPS.items() if of(len(node.members)) == bounds)
            pending += [(depth + 1, member) for member in reversed(node.members)]
        else:
            yield "\t" * depth + names[node.name]
            pending += [(depth + 1, group) for group in reversed(node.groups)]


def _type(option: NumericOption) -> str:
    return "Integer" if all(value.is_integer() for value in option.values) else "Real"


def _domain(option: NumericOption, name: str) -> str:
    """Return the constraint that states the values of a numeric option."""
    values = option.values
    if _type(option) == "Integer" and len(values) == values[-1] - values[0] + 1 and len(values) > 2:
        return f"{name} >= {_number(values[0])} & {name} <= {_number(values[-1])}"
    return " | ".join(f"{name} == {_number(value)}" for value in values)


def _comparison(constraint: ArithmeticConstraint, system: VariabilityModel, names: Mapping[str, str]) -> str:
    """Return an arithmetic constraint in UVL, in which a binary option is its attribute: 1, or 0 without the option."""
    numbers, guards = {ROOT: "1"}, list[str]()
    truths = {ROOT, *(option.name for option in system.binary_options)}
    nonzero = {option.name for option in system.numeric_options if 0 not in option.values}

    def inexpressible(message: str) -> OutputError:
        return OutputError(Problem(message, line=constraint.line, text=constraint.text.strip()))

    def in_uvl(node: Node) -> Node:
        """Return a tree with products instead of powers of small numbers, and of divisions by binary options."""
        match node:
            case Number() | Name():
                return node
            case Sum(addends):
                return Sum(tuple((sign, in_uvl(addend)) for sign, addend in addends))
            case Product(factors):
                parts = [(side, in_uvl(factor)) for side, factor in factors]
                # What is divided by 0 is 0: a division by an option that is 0 or 1 is a product with it.
                if any(side < 0 and constant_of(part) == 0 for side, part in parts):
                    return Number(0)
                sides = [1 if isinstance(part, Name) and part.name in truths else side for side, part in parts]
                for side, (_, part) in zip(sides, parts, strict=True):
                    if side < 0 and constant_of(part) is None and not (isinstance(part, Name) and part.name in nonzero):
                        raise inexpressible("UVL does not say what a division by 0 is")
                return Product(tuple(zip(sides, (part for _, part in parts), strict=True)))
            case Power(base, Number(exponent)) if exponent in range(1, MAX_FACTORS + 1):
                return Product(((1, in_uvl(base)),) * int(exponent))
            case Call("floor" | "ceil" as function, arguments):
                return Call(function, tuple(map(in_uvl, arguments)))
        lacking = f"the function {node.function}" if isinstance(node, Call) else "powers"
        raise inexpressible(f"UVL does not have {lacking}")

    for name in (name for name in constraint.names if name != ROOT):
        if name not in system.positions:
            raise inexpressible(f"UVL has no {name} in comparisons")
        option = system.option(name)
        is_binary = isinstance(option, BinaryOption)
        numbers[option.name] = f"{names[option.name]}.{VALUE}" if is_binary else names[option.name]
        # The constraint says nothing without the option.
        if constraint.requires == "all" if is_binary else option.optional:
            guards.append(f"!{names[option.name]}")
    comparison: Any = NumericAtom(constraint.left, constraint.comparison, constraint.right)
    comparison = opposite(comparison) if constraint.negated else comparison
    sign = "==" if comparison.comparison == "=" else comparison.comparison
    sides = (in_uvl(side) for side in (comparison.left, comparison.right))
    return " | ".join((*guards, f" {sign} ".join(tree_text(side, numbers.__getitem__, _number) for side in sides)))


def _number(value: float) -> str:
    """Return a number without an exponent, which UVL lacks."""
    text = number_text(value)
    return format(Decimal(text), "f") if "e" in text else text
