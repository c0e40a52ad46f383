"""Constraints of UVL: tokens in lines by indentation, a parser of constraints, and what these say of values."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from splc.arithmetic.tree import Call, Name, Node, Number, Product, Sum
from splc.errors import InputError, Problem, Problems, nearest
from splc.formats.system.assembly import FeatureNode, constant_of, features_of
from splc.io.files import Source
from splc.system.clauses import Formula, Junction, NumericAtom, equivalence, implication, joined, negation
from splc.system.constraints import OptionLiteral
from splc.system.options import MAX_VALUES

_TOKEN = re.compile(
    r"""(?P<space>[^\S\n]+|//[^\n]*)
    |(?P<comment>/\*.*?(?:\*/|\Z))
    |(?P<newline>\n)
    |(?P<name>"[^"\n]*"|(?!\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w))\w[\w#§%?\\';]*)
    |(?P<text>'[^'\n]*')
    |(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    |(?P<sign><=>|=>|==|!=|<=|>=|\.\.|[()\[\]{},.!&|<>+\-*/])
    |(?P<wrong>.)""",
    re.VERBOSE | re.DOTALL,
)
_TAB = 8


@dataclass(frozen=True, slots=True)
class UvlToken:
    """A token: `kind` is 'name', 'text', 'number', 'sign' or 'end'; a name has no quotes."""

    kind: str
    text: str
    line: int
    quoted: bool = False
    spaced: bool = False  # whether something without a meaning, such as a space, stands before it

    @property
    def depth(self) -> int:
        """By how much a bracket increases the depth."""
        return 0 if self.kind != "sign" else (self.text in "{[(") - (self.text in "}])")


def text_of(tokens: Iterable[UvlToken]) -> str:
    """Return tokens as text."""
    texts = ((each, '"' if each.quoted else "'" if each.kind == "text" else "") for each in tokens)
    return "".join(f"{' ' * each.spaced}{quote}{each.text}{quote}" for each, quote in texts).strip()


def lines_of(source: Source, problems: Problems) -> Iterator[Cursor]:
    """Yield the lines of a file that are not empty; add a problem for each sign that has no meaning."""
    text = source.text().replace("\r\n", "\n").replace("\r", "\n")
    number, indent, depth, end, rows = 1, 0, 0, 0, text.split("\n")
    tokens, opened = list[UvlToken](), UvlToken("end", "", 0)
    for match in _TOKEN.finditer(text):
        kind, value = str(match.lastgroup), match[0]
        if kind == "newline":
            if not depth and tokens:
                yield Cursor(tokens, indent)
                tokens = []
            number += 1
        elif kind == "comment":
            if not value.endswith("*/") or len(value) < 4:
                problems.add("the comment is not closed", number, text=value, hint="end it with */")
            number += value.count("\n")
        elif kind == "wrong":
            reason = "the quote is not closed" if value in "\"'" else f"{value!r} has no meaning in UVL"
            problems.add(reason, number, text=rows[number - 1].strip())
        elif kind != "space":
            if not tokens:
                indent = len(text[text.rfind("\n", 0, match.start()) + 1 : match.start()].expandtabs(_TAB))
            quoted = kind == "name" and value.startswith('"')
            plain = " ".join(value[1:-1].split()) if quoted else value[1:-1] if kind == "text" else value
            tokens.append(UvlToken(kind, plain, number, quoted, match.start() > end))
            end = match.end()
            opened = opened if depth else tokens[-1]
            depth = max(depth + tokens[-1].depth, 0)
    if depth:
        problems.add(f"{opened.text!r} is not closed", opened.line, text=rows[opened.line - 1].strip())
    elif tokens:
        yield Cursor(tokens, indent)


# Formulas are refused beyond this depth of brackets, and this number of names (`<=>` doubles what it joins).
MAX_DEPTH, MAX_SIZE = 40, 50_000
_COMPARISONS = {"==": "=", "!=": "!=", "<": "<", ">": ">", "<=": "<=", ">=": ">="}
# The operators by level of binding, and the levels of comparisons and sums.
_LEVELS = (("<=>",), ("=>",), ("|",), ("&",), (*_COMPARISONS,), ("+", "-"), ("*", "/"))
_COMPARISON, _SUM = 4, 5


# A text is a name, which is an option or a value, depending on what follows.
_Parsed = Formula | Node | str


class Cursor:
    """A position in the tokens of a line, which brackets continue over several lines of the file."""

    def __init__(self, tokens: Sequence[UvlToken], indent: int = 0) -> None:
        self.tokens = [*tokens, UvlToken("end", "", tokens[-1].line if tokens else 0)]
        self.at, self.indent, self.line = 0, indent, self.tokens[0].line
        self.below: list[Cursor] = []  # the lines that are indented below this one

    @property
    def text(self) -> str:
        """The line as text."""
        return text_of(self.tokens[:-1])

    @property
    def token(self) -> UvlToken:
        """The next token."""
        return self.tokens[self.at]

    def take(self, *texts: str, kind: str = "sign") -> str | None:
        """Return the text of the next token, and pass it, if it is one of these."""
        token = self.token
        if token.kind != kind or token.quoted or token.text not in texts:
            return None
        self.at += 1
        return token.text

    def name(self) -> str:
        """Return a name, whose parts are joined by points; an empty text if there is none."""
        parts: list[str] = []
        while self.token.kind == "name":
            parts.append(self.token.text)
            self.at += 1
            if not self.take("."):
                break
        return ".".join(parts)


def _weighted(feature: FeatureNode, attribute: str) -> Node:
    """Return an attribute where its feature is selected, else 0."""
    return Product(((1, Number(feature.numbers[attribute])), (1, Name(feature.name))))


class UvlParser(Cursor):
    """Parses one constraint."""

    def __init__(self, tokens: Sequence[UvlToken], features: Mapping[str, FeatureNode]) -> None:
        super().__init__(tokens)
        self.features, self.depth, self.size = features, 0, 0

    def formula(self) -> Formula:
        """Return the formula of the tokens."""
        formula = self.truth(self.level(0))
        if self.token.kind != "end":
            raise self.wrong(f"{self.token.text!r} is not expected here")
        return formula

    def wrong(self, message: str, hint: str | None = None) -> InputError:
        """Return an error at the next token."""
        return InputError(Problem(message, line=self.token.line, text=self.text, hint=hint))

    def level(self, level: int) -> _Parsed:
        """Parse operators of one level of binding and all that bind more strongly."""
        if level == len(_LEVELS):
            return self.operand()
        if level == _COMPARISON and self.take("!"):
            return negation(self.truth(self.inner(level)))
        operand: Callable[[_Parsed], Any] = self.truth if level < _COMPARISON else self.number
        negative = level == _SUM and self.take("-")
        first, depth_before = self.level(level + 1), self.depth
        parts = [(-1, operand(first))] if negative else []
        while (sign := self.take(*_LEVELS[level])) is not None:
            further = self.level(level + 1)
            parts = parts or [(1, operand(first))]
            parts.append((-1 if sign in {"-", "/"} else 1, operand(further)))
            if level == _COMPARISON:
                return NumericAtom(parts[0][1], _COMPARISONS[sign], parts[1][1])
            if sign in {"=>", "<=>"}:
                # Implications are left-associative, so that each encloses the previous one.
                self.deeper()
                # An equivalence has both sides twice.
                self.size = self.size if sign == "=>" else 2 * self.size + 1
                if self.size > MAX_SIZE and sign == "<=>":
                    raise self.wrong("the constraint is too large", "write several constraints")
                parts = [(1, (implication if sign == "=>" else equivalence)(parts[0][1], parts[1][1]))]
        self.depth = depth_before
        if not parts:
            return first
        if level > _COMPARISON:
            return (Sum if level == _SUM else Product)(tuple(parts))
        return joined((part for _, part in parts), conjunction=_LEVELS[level] == ("&",))

    def operand(self) -> _Parsed:
        """Parse a bracket, a number, a function or a name."""
        token = self.token
        if self.take("("):
            inner = self.inner(0)
            self.close()
            return inner
        if token.kind == "text":
            raise self.wrong("constraints over texts are not supported", "numbers and selected features are")
        if token.kind == "number":
            value = float(token.text)
            if math.isinf(value):
                raise self.wrong(f"the number {token.text} is too large")
            self.at += 1
            return Number(value)
        if token.kind != "name":
            raise self.wrong("a name is missing" if token.kind == "end" else f"{token.text!r} is not expected here")
        if not token.quoted and self.tokens[self.at + 1].text == "(":
            return self.function(token.text)
        return self.reference()

    def function(self, name: str) -> Node:
        """Parse a function and its arguments."""
        self.at += 2
        if name in {"floor", "ceil"}:
            argument = self.number(self.inner(_SUM))
            self.close()
            return Call(name, (argument,))
        if name not in {"sum", "avg", "len"}:
            raise self.wrong(f"the function {name!r} is not known", "known are: sum, avg, len, floor, ceil")
        references = [self.reference()]
        while self.take(","):
            references.append(self.reference())
        self.close()
        # The sum or the mean of an attribute of the selected features, all or those below one.
        above = [self.features[each] for each in references if each in self.features]
        attributes = [each for each in references if each not in self.features]
        below = {id(feature) for feature in (features_of(above[0]) if above else self.features.values())}
        having = [each for each in self.features.values() if {*attributes} & each.numbers.keys() and id(each) in below]
        is_number = name != "len" and len(references) < 3 and len(attributes) == 1 and having
        if not is_number or any(each.kind != "Boolean" for each in having):
            raise self.wrong(f"{name}({', '.join(references)}) cannot be expressed")
        total = Sum(tuple((1, _weighted(each, attributes[0])) for each in having))
        count = Sum(tuple((1, Name(each.name)) for each in having))
        return total if name == "sum" else Product(((1, total), (-1, count)))

    def reference(self) -> str:
        """Parse a name; a point joins those of imported models and of attributes."""
        name = self.name()
        self.size += name.count(".") + 1
        if self.tokens[self.at - 1].kind != "name":
            raise self.wrong("a name is missing")
        return name

    def close(self) -> None:
        """Take a closing bracket."""
        if not self.take(")"):
            raise self.wrong("a closing bracket is missing")

    def inner(self, level: int) -> _Parsed:
        """Parse operators of a level in a bracket, or after a negation."""
        self.deeper()
        parsed = self.level(level)
        self.depth -= 1
        return parsed

    def deeper(self) -> None:
        """Count a bracket, or an implication that encloses another one."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.wrong(f"more than {MAX_DEPTH} conditions in each other", "write several constraints")

    def truth(self, parsed: _Parsed) -> Formula:
        """Return what was parsed as a formula."""
        if isinstance(parsed, str):
            if parsed not in self.features:
                raise self.wrong(f"unknown feature {parsed!r}", nearest(parsed, self.features))
            return OptionLiteral(self.features[parsed].name, True)
        if isinstance(parsed, OptionLiteral | NumericAtom | Junction):
            return parsed
        raise self.wrong("a number stands where a feature or a comparison is expected")

    def number(self, parsed: _Parsed) -> Node:
        """Return what was parsed as an arithmetic expression."""
        if isinstance(parsed, str):
            if (feature := self.features.get(parsed)) is not None and feature.kind in {"Integer", "Real"}:
                return Name(feature.name)
            owner, _, attribute = parsed.rpartition(".")
            if (above := self.features.get(owner)) is not None and attribute in above.numbers:
                return _weighted(above, attribute)
            hint = "it is a Boolean feature, which is selected or not" if feature else nearest(parsed, self.features)
            raise self.wrong(f"{parsed!r} has no number", hint)
        if isinstance(parsed, OptionLiteral | NumericAtom | Junction):
            raise self.wrong("a condition stands where a number is expected")
        return parsed


_MIRRORED = {">=": "<=", "<=": ">=", "<": ">", ">": "<", "=": "=", "!=": "!="}


@dataclass
class Domain:
    """The values of one feature, as far as constraints state them: a list, or bounds of whole numbers."""

    whole: bool
    stated: list[Sequence[tuple[str, float]]] = field(default_factory=list)  # disjunctions of comparisons with numbers

    def add(self, comparisons: Sequence[tuple[str, float]]) -> bool:
        """Take a disjunction into account if it is a list or a bound; return whether it is."""
        signs = {sign for sign, _ in comparisons}
        is_bound = len(comparisons) == 1 and signs <= ({">=", "<=", ">", "<"} if self.whole else {">=", "<="})
        self.stated += [comparisons] if is_bound or signs == {"="} else []
        return is_bound or signs == {"="}

    def values(self) -> tuple[float, ...] | None:
        """Return the values, None if they are not known to be finitely many."""
        bounds = [each[0] for each in self.stated if each[0][0] != "="]
        lower = max((value for sign, value in bounds if sign[0] == ">"), default=-math.inf)
        upper = min((value for sign, value in bounds if sign[0] == "<"), default=math.inf)
        if listed := [{value for _, value in each} for each in self.stated if each[0][0] == "="]:
            candidates = sorted(set.intersection(*listed))
        elif self.whole and upper - lower < MAX_VALUES:
            candidates = [*map(float, range(math.ceil(lower), math.floor(upper) + 1))]
        else:
            return None
        outside = {value for sign, value in bounds if sign in "<>"}
        inside = (value for value in candidates if lower <= value <= upper and value not in outside)
        return tuple(value for value in inside if not self.whole or value % 1 == 0)


def is_domain(formula: Formula, domains: Mapping[str, Domain]) -> bool:
    """Add what a formula states about the values of a single feature to its domain; return whether it does."""
    comparisons, names = list[tuple[str, float]](), set[str]()
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
