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
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from splc.errors import ExpressionError, shorten
from splc.tokens import COMPARISONS, FUNCTIONS, NameTable, Token, problem_at, tokenize

__all__ = [
    "COMPARISONS",
    "FUNCTIONS",
    "MAX_DEPTH",
    "Associate",
    "Call",
    "Name",
    "NameTable",
    "Node",
    "Number",
    "Power",
    "Product",
    "Sum",
    "evaluate",
    "is_ambiguous",
    "names_in",
    "parse",
    "parse_comparison",
    "rounded",
]

MAX_DEPTH = 64

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
                raise self.fail(f"the number {shorten(token.text, 60)} is too large")
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


def rounded(function: str, values: Array) -> Array:
    """Return values rounded up ('ceil') or down; what a few roundings are off a whole number is that number."""
    near = np.round(values)
    exact = np.isclose(values, near, rtol=1e-12, atol=1e-12)
    return np.where(exact, near, np.ceil(values) if function == "ceil" else np.floor(values))


_FUNCTION_VALUES: Mapping[str, Callable[[Any], Any]] = {
    "log2": np.log2,
    "log10": np.log10,
    "ln": np.log,
    "log": np.log,
    "sqrt": np.sqrt,
    "ceil": lambda values: rounded("ceil", values),
    "floor": lambda values: rounded("floor", values),
}
