"""UVL, the universal variability language: reading."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from splc.arithmetic.tree import Name
from splc.errors import InputError, listed, nearest, plural
from splc.formats.system.assembly import Assembly, FeatureNode, Group, always_selected, constant_of
from splc.formats.system.uvl_expressions import Cursor, ExpressionParser, UvlLine, UvlToken, lines_of, text_of
from splc.io.files import Source
from splc.io.numbers import parse_number
from splc.system.clauses import Formula, Junction, NumericAtom, joined
from splc.system.constraints import OptionLiteral
from splc.system.options import MAX_VALUES
from splc.system.variability import ROOT, VariabilityModel

TYPES = ("Boolean", "Integer", "Real", "String")
# Group → its bounds, given the number of members.
GROUPS: dict[str, Callable[[int], tuple[int, int]]] = {
    "mandatory": lambda size: (size, size),
    "optional": lambda size: (0, size),
    "or": lambda size: (1, size),
    "alternative": lambda size: (1, 1),
}


@dataclass
class _Enclosing:
    """A feature or a group whose lines have not ended."""

    indent: int
    node: FeatureNode | Group
    inner: int | None = None  # the indentation of the first line in it


def _cardinality(cursor: Cursor) -> tuple[int, int] | None:
    """Return the bounds in `[n..m]`, `[n..*]` or `[n]`, and pass them; None if there are none."""
    match [token.text for token in cursor.tokens[cursor.at : cursor.at + 5]]:
        case ["[", lower, "]", *_] if lower.isdecimal():
            upper = lower
        case ["[", lower, "..", upper, "]"] if lower.isdecimal() and (upper.isdecimal() or upper == "*"):
            cursor.at += 2
        case _:
            return None
    cursor.at += 3
    return int(lower), 10**9 if upper == "*" else int(upper)


def _attributes(cursor: Cursor) -> Iterator[tuple[str, list[UvlToken]]]:
    """Yield the names and the tokens of the values in `{…}`, which is next."""
    start, depth = cursor.at, 0
    while cursor.token.kind != "end" and (depth or cursor.at == start):
        depth += _depth(cursor.token)
        cursor.at += 1
    for part in parts_of(cursor.tokens[start + 1 : cursor.at - 1]):
        inner = Cursor(part)
        yield inner.name(), list(part[inner.at :])


def parts_of(tokens: Sequence[UvlToken]) -> list[list[UvlToken]]:
    """Return tokens, separated at commas outside of brackets."""
    parts: list[list[UvlToken]] = [[]]
    depth = 0
    for token in tokens:
        depth += _depth(token)
        if token.kind == "sign" and token.text == "," and not depth:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


def _depth(token: UvlToken) -> int:
    return 0 if token.kind != "sign" else (token.text in "{[(") - (token.text in "}])")


_MIRRORED = {">=": "<=", "<=": ">=", "<": ">", ">": "<", "=": "=", "!=": "!="}


class Domain:
    """The values of one feature, as far as constraints state them: a list, or bounds of whole numbers."""

    def __init__(self, *, whole: bool) -> None:
        self.whole = whole
        self.listed: set[float] | None = None
        self.lower, self.upper = -math.inf, math.inf

    def add(self, comparisons: Sequence[tuple[str, float]]) -> bool:
        """Take a disjunction of comparisons with numbers into account; return whether it is a list or a bound."""
        (sign, value), *further = comparisons
        if all(each == "=" for each, _ in comparisons):
            values = {value for _, value in comparisons}
            self.listed = values if self.listed is None else self.listed & values
        elif further or sign not in ((">=", "<=", ">", "<") if self.whole else (">=", "<=")):
            return False
        elif sign[0] == ">":
            bound = math.floor(value) + 1 if sign == ">" else math.ceil(value) if self.whole else value
            self.lower = max(self.lower, bound)
        else:
            bound = math.ceil(value) - 1 if sign == "<" else math.floor(value) if self.whole else value
            self.upper = min(self.upper, bound)
        return True

    def values(self) -> tuple[float, ...] | None:
        """Return the values, None if they are not known to be finitely many."""
        if self.listed is None:
            size = self.upper - self.lower
            known = self.whole and size < MAX_VALUES
            return tuple(float(self.lower) + step for step in range(math.floor(size) + 1)) if known else None
        inside = (value for value in sorted(self.listed) if self.lower <= value <= self.upper)
        return tuple(value for value in inside if not self.whole or value % 1 == 0)


def _is_domain(formula: Formula, domains: Mapping[str, Domain]) -> bool:
    """Add what a formula states about the values of a single feature to its domain; return whether it does."""
    comparisons: list[tuple[str, float]] = []
    names: set[str] = set()
    for part in formula.parts if isinstance(formula, Junction) else (formula,):
        if isinstance(part, OptionLiteral) and not part.positive:
            # A statement about a value applies only if the feature is selected.
            names.add(part.name)
            continue
        if not isinstance(part, NumericAtom):
            return False
        first, sign, second = part.left, part.comparison, part.right
        if isinstance(second, Name):
            first, sign, second = second, _MIRRORED[sign], first
        value = constant_of(second)
        if not isinstance(first, Name) or value is None or not math.isfinite(value):
            return False
        names.add(first.name)
        comparisons.append((sign, value))
    return len(names) == 1 and bool(comparisons) and (name := names.pop()) in domains and domains[name].add(comparisons)


_SECTIONS = ("namespace", "include", "imports", "features", "constraints")


def parse_uvl(source: Source) -> VariabilityModel:
    """Return the system of a feature model in UVL."""
    return _UvlReader(source.name).read(source)


class _UvlReader(Assembly):
    """Reads one file."""

    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.root: FeatureNode | None = None
        self.features: dict[str, FeatureNode] = {}
        # Feature → its type, for those that are not Boolean, and its attributes that are numbers.
        self.types: dict[str, str] = {}
        self.numbers: dict[str, dict[str, float]] = {}
        # The tokens of constraints among attributes, and the lines of features with others than `abstract`.
        self.inner_constraints: list[list[UvlToken]] = []
        self.attributes: list[int] = []
        self._open: list[_Enclosing] = []  # what encloses the next line, from outside to inside
        self._kinds: list[tuple[Group, str]] = []

    def read(self, source: Source) -> VariabilityModel:
        """Return the system."""
        name, section = "", ""
        constraints: list[Sequence[UvlToken]] = []
        for line in lines_of(source, self.problems):
            first = line.tokens[0]
            if line.indent == 0 and first.text in _SECTIONS and not first.quoted:
                section = first.text
                if section == "namespace":
                    name = Cursor(line.tokens[1:]).name()
                elif len(line.tokens) > 1:
                    self.wrong(line, f"{section!r} stands alone in its line")
            elif section == "features":
                self.add(line)
            elif section == "constraints":
                constraints.append(line.tokens)
            elif section == "imports":
                hint = "write the features of the imported model into this file"
                self.wrong(line, "imported models are not supported", hint)
            elif section != "include":
                hint = nearest(first.text, _SECTIONS) or f"sections are: {', '.join(_SECTIONS)}"
                self.wrong(line, "this line is in no section", hint)
        for group, kind in self._kinds:
            size = len(group.members)
            if kind in GROUPS:
                group.lower, group.upper = GROUPS[kind](size)
            if not size:
                self.problems.add(f"the group {kind} has no features", group.line)
            elif group.lower > min(size, group.upper):
                message = f"the group {kind} has {plural(size, 'feature', 'features')}: it can never be fulfilled"
                self.problems.add(message, group.line)
        if self.root is None:
            self.problems.add("the model has no features", hint="they are below the line 'features'")
            self.problems.raise_if_any()
            raise AssertionError
        if ROOT in self.features:
            self.features[ROOT].name = self.root_name(self.features)
        domains = {name: Domain(whole=kind == "Integer") for name, kind in self.types.items() if kind != "String"}
        formulas: list[tuple[Formula, Sequence[UvlToken]]] = []
        for tokens in (*constraints, *self.inner_constraints):
            try:
                formula = ExpressionParser(tokens, self.features, self.types, self.numbers).formula()
            except InputError as error:
                self.problems.include(error)
                continue
            # What is stated about the values of single features is in their domains.
            parts = formula.parts if isinstance(formula, Junction) and formula.conjunction else (formula,)
            formulas.append(
                (joined([part for part in parts if not _is_domain(part, domains)], conjunction=True), tokens)
            )
        self.set_values(domains)
        self.optional = self.values.keys() - always_selected(self.root)
        for formula, tokens in formulas:
            self.require(formula, tokens[0].line, text_of(tokens))
        return self.tree(name or self.root.name or self.default_name, self.root)

    def wrong(self, line: UvlLine, message: str, hint: str | None = None) -> None:
        """Add the problem of a line."""
        self.problems.add(message, line.number, text=line.text, hint=hint)

    def add(self, line: UvlLine) -> None:
        """Add a line of features."""
        while self._open and self._open[-1].indent >= line.indent:
            self._open.pop()
        parent = None
        if self._open:
            enclosing = self._open[-1]
            parent = enclosing.node
            if enclosing.inner not in {None, line.indent}:
                self.wrong(line, "the indentation differs from that of the lines before")
            enclosing.inner = enclosing.inner or line.indent
        if isinstance(parent, FeatureNode):
            self._add_group(parent, line)
        else:
            self._add_feature(parent, line)

    def _add_group(self, parent: FeatureNode, line: UvlLine) -> None:
        cursor = Cursor(line.tokens)
        bounds = _cardinality(cursor)
        kind = line.text if bounds else line.tokens[0].text
        group = Group(*(bounds or (0, 0)), [], line.number)
        self._open.append(_Enclosing(line.indent, group))
        if bounds is None and (kind not in GROUPS or line.tokens[0].quoted):
            hint = nearest(kind, GROUPS) or f"a group is one of {', '.join(GROUPS)}, [n..m]; features are below it"
            self.problems.add(f"{kind!r} below the feature {parent.name!r} is not a group", line.number, hint=hint)
            return
        cursor.at = cursor.at or 1
        self._kinds.append((group, kind))
        parent.groups.append(group)
        self._end(cursor, line)

    def _add_feature(self, parent: Group | None, line: UvlLine) -> None:
        cursor = Cursor(line.tokens)
        typed = len(line.tokens) > 1 and line.tokens[1].kind == "name"
        kind = (cursor.take(*TYPES, kind="name") if typed else None) or "Boolean"
        if not (name := cursor.name()):
            hint = "names with other characters than letters, digits and _ are in double quotes"
            self.wrong(line, "the name of a feature is missing", hint)
            name = f"line {line.number}"
        feature = FeatureNode(name, line.number)
        if parent is not None:
            parent.members.append(feature)
        elif self.root is None:
            self.root = feature
        else:
            hint = f"the root is {self.root.name!r} in line {self.root.line}; others are indented in its groups"
            self.problems.add(f"a second root feature: {name!r}", line.number, hint=hint)
        self.features.setdefault(name, feature)
        if kind != "Boolean":
            self.types[name] = kind
        self._open.append(_Enclosing(line.indent, feature))
        if cursor.take("cardinality", kind="name"):
            if (bounds := _cardinality(cursor)) is None:
                self.wrong(line, "'cardinality' is not followed by [n..m]")
            elif bounds != (1, 1):
                hint = "a feature is selected once or not at all; write several features"
                self.wrong(line, f"the cardinality of the feature {feature.name!r} is not supported", hint)
        if cursor.token.kind == "sign" and cursor.token.text == "{":
            for key, value in _attributes(cursor):
                if key == "constraint":
                    self.inner_constraints.append(value)
                elif key == "constraints":
                    self.inner_constraints += parts_of(value[1:-1])
                elif key != "abstract":
                    self.attributes.append(line.number)
                    number = parse_number("".join(token.text for token in value))
                    if [token.kind for token in value].count("number") == 1 and math.isfinite(number):
                        self.numbers.setdefault(feature.name, {})[key] = number
        self._end(cursor, line)

    def _end(self, cursor: Cursor, line: UvlLine) -> None:
        if cursor.token.kind != "end":
            text = f'"{cursor.token.text}"' if cursor.token.quoted else cursor.token.text
            self.wrong(line, f"{text!r} is not expected here")

    def set_values(self, domains: Mapping[str, Domain]) -> None:
        """Set the values of features that are numbers; note what has no effect."""
        if self.attributes:
            count = plural(len(self.attributes), "attribute is", "attributes are")
            lines = listed([str(number) for number in dict.fromkeys(self.attributes)])
            self.notes.append(f"{count} used in constraints only (in line {lines})")
        for name, kind in self.types.items():
            feature = self.features[name]
            if kind == "String":
                self.notes.append(f"line {feature.line}: the text of the feature {name!r} has no effect")
                continue
            values = domains[name].values()
            if feature.groups or feature is self.root:
                message = f"the feature {name!r} has a number, and features below it"
                self.problems.add(message, feature.line, hint="write the features beside it, and constraints")
            elif values is None:
                hint = f"state its values in a constraint: {name} == 1 | {name} == 2, or {name} >= 1 & {name} <= 8"
                message = f"the feature {name!r} has a number, which may be any one"
                self.problems.add(message, feature.line, hint=hint if kind == "Integer" else hint.partition(", or")[0])
            elif not values:
                self.problems.add(f"the constraints leave no value of the feature {name!r}", feature.line)
            else:
                feature.values = self.values[feature.name] = values
        for group in (group for parent in self.features.values() for group in parent.groups):
            chosen = group.lower not in {0, len(group.members)} or group.upper < len(group.members)
            for member in (each for each in group.members if chosen and each.name in domains):
                message = f"the feature {member.name!r} has a number, and is an alternative to others"
                self.problems.add(message, member.line, hint="write it into a group below a feature of the group")
