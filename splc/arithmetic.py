"""The arithmetic grammar that step functions, constraints and model text share: text → syntax tree → numbers.

    expression := ['+'|'-'] product (('+'|'-') product)*
    product    := power (('*'|'/') power)*
    power      := ['+'|'-'] atom ['^' power]
    atom       := NUMBER | NAME | `NAME` | FUNCTION '(' expression ')' | '(' expression ')'

Names are matched longest first against the known names, before operators are looked for, so that `rc-lookahead`
is a name where it is an option. Nothing is ever handed to Python's own parser. Sums and products are n-ary nodes,
so that a long sum is a flat tree; nesting is bounded by `MAX_DEPTH`.
"""

from __future__ import annotations

import math
import re
from bisect import insort
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from splc.errors import ExpressionError, Problem, unknown_name_hint

MAX_DEPTH = 64
FUNCTIONS = ("log2", "log10", "ln", "log", "sqrt")
COMPARISONS = (">=", "<=", "!=", "==", "=", "<", ">")

Associate = Literal["left", "right"]
Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Number:
    """A literal number."""

    value: float


@dataclass(frozen=True)
class Name:
    """A name: an option or a parameter. `at` is its offset in the text."""

    name: str
    at: int = 0


@dataclass(frozen=True)
class Sum:
    """Addends with their signs (+1 or -1)."""

    addends: tuple[tuple[int, Node], ...]


@dataclass(frozen=True)
class Product:
    """Factors; each is multiplied (+1) or divided by (-1). `ambiguous`: the two associations differ here."""

    factors: tuple[tuple[int, Node], ...]
    ambiguous: bool = False


@dataclass(frozen=True)
class Power:
    """`base ^ exponent`."""

    base: Node
    exponent: Node


@dataclass(frozen=True)
class Call:
    """A function of one argument; `function` is one of `FUNCTIONS`. `at` is its offset in the text."""

    function: str
    argument: Node
    at: int = 0


Node = Number | Name | Sum | Product | Power | Call


@dataclass(frozen=True)
class Token:
    """One token: `kind` is 'number', 'name', 'function', 'op', 'cmp' or 'end'."""

    kind: str
    text: str
    at: int


_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_NAME = re.compile(r"[^\W\d]\w*(?:\.\w+)*")
_SPACE = re.compile(r"\s+")
_QUOTED = re.compile(r"`((?:[^`]|``)*)`(?!`)")
_OPERATORS = "+-*/^()"


def is_word(character: str) -> bool:
    """Whether a character can belong to a plain name."""
    return character.isalnum() or character == "_"


class NameTable:
    """Finds the longest known name at a position of a text.

    Args:
        names: spelling → the name that it stands for (usually itself).
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names: dict[str, str] = {}
        # First character → the negated lengths of the names that begin with it, ascending: the longest is tried first.
        self._lengths: dict[str, list[int]] = {}
        for spelling, name in names.items():
            self.add(spelling, name)

    def add(self, spelling: str, name: str) -> None:
        """Make a spelling known, or let it stand for another name."""
        self.names[spelling] = name
        if spelling:
            lengths = self._lengths.setdefault(spelling[0], [])
            if -len(spelling) not in lengths:
                insort(lengths, -len(spelling))

    def begins(self, character: str) -> bool:
        """Whether a known name begins with a character."""
        return character in self._lengths

    def match(self, text: str, at: int) -> str | None:
        """Return the longest known spelling that starts at `at` and ends at a word boundary, or None."""
        for length in self._lengths.get(text[at], ()):
            end = at - length
            spelling = text[at:end]
            if spelling in self.names and not (end < len(text) and is_word(text[end]) and is_word(text[end - 1])):
                return spelling
        return None


def problem_at(text: str, at: int, message: str, hint: str | None = None) -> ExpressionError:
    """Return an error that points at offset `at` of `text` by its column (1-based) and the text around it."""
    start = max(0, at - 30)
    around = ("…" if start else "") + text[start : at + 40].replace("\n", " ")
    return ExpressionError(Problem(message, column=at + 1, text=around, hint=hint))


def tokenize(text: str, names: NameTable | None, comparisons: bool = False) -> Iterator[Token]:
    """Yield the tokens of `text`, the last of kind 'end'.

    Args:
        text: the expression.
        names: the known names; None accepts every plain name.
        comparisons: whether `<`, `=` and their kin are tokens (of kind 'cmp') rather than errors.

    Raises:
        ExpressionError: at a character or a name that does not belong there.
    """
    at, length = 0, len(text)
    while at < length:
        if space := _SPACE.match(text, at):
            at = space.end()
            continue
        if text[at] == "`":
            quoted, end = unquoted(text, at)
            if names is not None and quoted not in names.names:
                raise unknown_name(text, at, quoted, names)
            yield Token("name", names.names[quoted] if names else quoted, at)
            at = end
            continue
        if text[at] in _OPERATORS and not text.startswith("**", at) and not (names and names.begins(text[at])):
            yield Token("op", text[at], at)
            at += 1
            continue
        known = names.match(text, at) if names else None
        number = _NUMBER.match(text, at)
        if number and (known is None or len(known) <= number.end() - at):
            after = text[number.end() : number.end() + 1]
            if after and is_word(after):
                raise problem_at(text, at, f"{(number.group() + after)!r} is neither a number nor a name")
            yield Token("number", number.group(), at)
            at = number.end()
            continue
        word = _NAME.match(text, at)
        if word and word.group() in FUNCTIONS and (known is None or len(known) <= len(word.group())):
            after_word = _SPACE.sub("", text[word.end() : word.end() + 40])
            if after_word.startswith("(") or known is None:
                yield Token("function", word.group(), at)
                at = word.end()
                continue
        if known is not None and names is not None:
            yield Token("name", names.names[known], at)
            at += len(known)
            continue
        if word:
            if names is not None:
                raise unknown_name(text, at, word.group(), names)
            yield Token("name", word.group(), at)
            at = word.end()
            continue
        found = next((c for c in COMPARISONS if text.startswith(c, at)), None)
        if found:
            if not comparisons:
                raise problem_at(text, at, f"{found!r} does not belong into an expression")
            yield Token("cmp", found, at)
            at += len(found)
            continue
        if text.startswith("**", at):
            raise problem_at(text, at, "'**' is not an operator here", "write powers as x^2")
        if text[at] not in _OPERATORS:
            raise problem_at(text, at, f"{text[at]!r} does not belong into an expression")
        yield Token("op", text[at], at)
        at += 1
    yield Token("end", "", length)


def unquoted(text: str, at: int) -> tuple[str, int]:
    """Return the name in backticks that starts at `at`, and where it ends; a backtick inside is written twice.

    Raises:
        ExpressionError: if the backtick is not closed.
    """
    found = _QUOTED.match(text, at)
    if found is None:
        raise problem_at(text, at, "a backtick that is not closed")
    if not found[1]:
        raise problem_at(text, at, "there is no name between the backticks")
    return found[1].replace("``", "`"), found.end()


def unknown_name(text: str, at: int, name: str, names: NameTable) -> ExpressionError:
    """Return the error for a name that is not known, with the nearest known one."""
    return problem_at(text, at, f"unknown name {name!r}", unknown_name_hint(name, sorted(names.names)))


class Parser:
    """Recursive descent over the tokens of one text. Use `parse` or `parse_comparison`."""

    def __init__(self, text: str, names: NameTable | None, associate: Associate, comparisons: bool) -> None:
        self.text = text
        self.associate = associate
        # Tokens are made as they are needed: a text that is nested too deep is refused where it is.
        self.tokens = tokenize(text, names, comparisons)
        self.token = next(self.tokens)
        self.depth = 0

    def advance(self) -> None:
        """Read on to the next token."""
        self.token = next(self.tokens)

    def accept(self, *texts: str) -> Token | None:
        """Consume the next token if it is one of these operators."""
        token = self.token
        if token.kind == "op" and token.text in texts:
            self.advance()
            return token
        return None

    def fail(self, message: str, hint: str | None = None) -> ExpressionError:
        """Return an error at the next token."""
        return problem_at(self.text, self.token.at, message, hint)

    def enter(self) -> None:
        """Go one level of nesting deeper."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.fail(f"nested more than {MAX_DEPTH} levels deep")

    def sum(self) -> Node:
        """Expression := product (('+'|'-') product)*."""
        addends = [(1, self.product())]
        while operator := self.accept("+", "-"):
            addends.append((1 if operator.text == "+" else -1, self.product()))
        return addends[0][1] if len(addends) == 1 else Sum(tuple(addends))

    def product(self) -> Node:
        """Product := power (('*'|'/') power)*, associating as `self.associate` says."""
        factors = [(1, self.power())]
        operators = ""
        side = 1
        while operator := self.accept("*", "/"):
            operators += operator.text
            if self.associate == "left":
                side = 1 if operator.text == "*" else -1
            elif operator.text == "/":
                side = -side
            factors.append((side, self.power()))
        if len(factors) == 1:
            return factors[0][1]
        return Product(tuple(factors), ambiguous="/" in operators[:-1])

    def power(self) -> Node:
        """Power := ('+'|'-')* atom ['^' power]; a sign binds weaker than a power."""
        sign = 1
        while operator := self.accept("+", "-"):
            sign = -sign if operator.text == "-" else sign
        node = self.atom()
        if self.accept("^"):
            self.enter()
            node = Power(node, self.power())
            self.depth -= 1
        if sign > 0:
            return node
        return Number(-node.value) if isinstance(node, Number) else Sum(((-1, node),))

    def atom(self) -> Node:
        """Return a number, a name, a call or a sum in parentheses."""
        token = self.token
        if token.kind == "number":
            value = float(token.text)
            if not math.isfinite(value):
                raise self.fail(f"the number {token.text} is too large")
            self.advance()
            return Number(value)
        if token.kind == "name":
            self.advance()
            return Name(token.text, token.at)
        if token.kind == "function":
            self.advance()
            if not (self.token.kind == "op" and self.token.text == "("):
                raise self.fail(f"{token.text} needs its argument in parentheses")
            return Call(token.text, self.atom(), token.at)
        if self.accept("("):
            self.enter()
            node = self.sum()
            if not self.accept(")"):
                raise self.fail(f"the parenthesis opened at column {token.at + 1} is not closed")
            self.depth -= 1
            return node
        if token.kind == "end":
            raise self.fail("the expression ends too early" if self.text.strip() else "the expression is empty")
        raise self.fail(f"{token.text!r} is not expected here")


def parse(text: str, names: NameTable | None = None, associate: Associate = "left") -> Node:
    """Parse an expression.

    Args:
        text: the expression.
        names: the known names; None accepts every plain name.
        associate: 'left' as in mathematics; 'right' as SPL Conqueror reads `*` and `/`: `a / b * c` is `a / (b * c)`.

    Raises:
        ExpressionError: where the text is not an expression, with its column.
    """
    parser = Parser(text, names, associate, comparisons=False)
    node = parser.sum()
    if parser.token.kind != "end":
        raise parser.fail(f"{parser.token.text!r} is not expected here")
    return node


def parse_comparison(
    text: str, names: NameTable | None = None, associate: Associate = "right"
) -> tuple[Node, str, Node]:
    """Parse `expression CMP expression`; CMP is one of `COMPARISONS` ('==' is returned as '=').

    Raises:
        ExpressionError: where the text is not a comparison.
    """
    parser = Parser(text, names, associate, comparisons=True)
    left = parser.sum()
    token = parser.token
    if token.kind != "cmp":
        raise parser.fail("a comparison is expected here", "one of >= <= != = < >")
    parser.advance()
    right = parser.sum()
    if parser.token.kind != "end":
        raise parser.fail(f"{parser.token.text!r} is not expected here")
    return left, "=" if token.text == "==" else token.text, right


def names_in(node: Node) -> list[str]:
    """Return the distinct names of a tree, in order of appearance."""
    found: dict[str, None] = {}
    stack = [node]
    while stack:
        here = stack.pop()
        match here:
            case Name(name):
                found.setdefault(name)
            case Sum(addends):
                stack.extend(child for _, child in reversed(addends))
            case Product(factors):
                stack.extend(child for _, child in reversed(factors))
            case Power(base, exponent):
                stack.extend((exponent, base))
            case Call(_, argument):
                stack.append(argument)
    return list(found)


def is_ambiguous(node: Node) -> bool:
    """Whether some product in the tree means something else when `*` and `/` associate the other way."""
    match node:
        case Sum(addends):
            return any(is_ambiguous(child) for _, child in addends)
        case Product(factors, ambiguous):
            return ambiguous or any(is_ambiguous(child) for _, child in factors)
        case Power(base, exponent):
            return is_ambiguous(base) or is_ambiguous(exponent)
        case Call(_, argument):
            return is_ambiguous(argument)
        case _:
            return False


def evaluate(node: Node, value_of: Callable[[str], Any], zero_safe: bool = False) -> Any:
    """Evaluate a tree over numbers or arrays.

    Args:
        node: the tree.
        value_of: the value (a float or an array of shape (n,)) of a name.
        zero_safe: SPL Conqueror's arithmetic, in which division by 0 and the logarithm of 0 give 0;
            otherwise they give infinities or NaN, as in IEEE arithmetic.

    Returns:
        A float or an array of shape (n,).
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return _evaluate(node, value_of, zero_safe)


def _evaluate(node: Node, value_of: Callable[[str], Any], zero_safe: bool) -> Any:
    match node:
        case Number(value):
            return np.float64(value)
        case Name(name):
            return value_of(name)
        case Sum(addends):
            total: Any = 0.0
            for sign, child in addends:
                total = total + sign * _evaluate(child, value_of, zero_safe)
            return total
        case Product(factors):
            above: Any = np.float64(1.0)
            below: Any = np.float64(1.0)
            for side, child in factors:
                if side > 0:
                    above = above * _evaluate(child, value_of, zero_safe)
                else:
                    below = below * _evaluate(child, value_of, zero_safe)
            ratio = np.true_divide(above, below)
            return np.where(below == 0, 0.0, ratio) if zero_safe else ratio
        case Power(base, exponent):
            below = np.asarray(_evaluate(base, value_of, zero_safe), dtype=float)
            above = np.asarray(_evaluate(exponent, value_of, zero_safe), dtype=float)
            power = np.power(below, above)
            return np.where((below == 0) & (above < 0), 0.0, power) if zero_safe else power
        case Call(function, argument):
            inner = np.asarray(_evaluate(argument, value_of, zero_safe), dtype=float)
            result = _FUNCTION_VALUES[function](inner)
            return np.where(inner == 0, 0.0, result) if zero_safe and function != "sqrt" else result


_FUNCTION_VALUES: Mapping[str, Callable[[Any], Any]] = {
    "log2": np.log2,
    "log10": np.log10,
    "ln": np.log,
    "log": np.log,
    "sqrt": np.sqrt,
}
