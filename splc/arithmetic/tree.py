"""Syntax trees of arithmetic text, and their text. Sums and products are n-ary: a long sum is a flat tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass


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
    """Factors, each multiplied (+1) or divided by (-1). `ambiguous`: left and right association differ."""

    factors: tuple[tuple[int, Node], ...]
    ambiguous: bool = False


@dataclass(frozen=True)
class Power:
    """`base ^ exponent`."""

    base: Node
    exponent: Node


@dataclass(frozen=True)
class Call:
    """A function; only 'max' and 'min' have several arguments. `at` is its offset in the text."""

    function: str
    arguments: tuple[Node, ...]
    at: int = 0


@dataclass(frozen=True)
class Threshold:
    """1 where a comparison of two expressions holds, else 0: `[x >= 8]`; `comparison` is one of `THRESHOLDS`."""

    comparison: str
    left: Node
    right: Node


Node = Number | Name | Sum | Product | Power | Call | Threshold


def children(node: Node) -> tuple[Node, ...]:
    """Return the parts of a tree, in order of appearance."""
    match node:
        case Sum(parts) | Product(parts):
            return tuple(part for _, part in parts)
        case Power(base, exponent):
            return base, exponent
        case Threshold(_, left, right):
            return left, right
        case Call(_, arguments):
            return arguments
        case _:
            return ()


def parts_of(node: Node) -> Iterator[Node]:
    """Yield a tree and all parts of it, in order of appearance."""
    yield node
    for child in children(node):
        yield from parts_of(child)


def names_in(node: Node) -> list[str]:
    """Return the distinct names of a tree, in order of appearance."""
    return list(dict.fromkeys(part.name for part in parts_of(node) if isinstance(part, Name)))


def is_ambiguous(node: Node) -> bool:
    """Return whether a product in the tree has another value if `*` and `/` associate the other way."""
    return any(isinstance(part, Product) and part.ambiguous for part in parts_of(node))


def tree_text(node: Node, name: Callable[[str], str], number: Callable[[float], str]) -> str:
    """Return a tree as text that any association of `*` and `/` reads as the same expression.

    Trees of model text only, such as thresholds, have no such text.
    """

    def inner(part: Node, *bracketed: type) -> str:
        text = tree_text(part, name, number)
        return f"({text})" if isinstance(part, bracketed) else text

    match node:
        case Number(value):
            return number(value) if value >= 0 else f"({number(value)})"
        case Name(spelling):
            return name(spelling)
        case Sum(addends):
            first, *further = (("-" if sign < 0 else "+", inner(part, Sum)) for sign, part in addends)
            begin = first[1] if first[0] == "+" else f"0 - {first[1]}"
            return begin + "".join(f" {sign} {text}" for sign, text in further)
        case Product(factors):
            above, below = (
                " * ".join(inner(part, Sum, Product) for side, part in factors if side == kind) for kind in (1, -1)
            )
            above = above or "1"
            if not below:
                return above
            return f"{above} / ({below})" if " * " in below else f"{above} / {below}"
        case Power(base, exponent):
            return f"{inner(base, Sum, Product, Power)}^{inner(exponent, Sum, Product, Power)}"
        case Call(function, (argument,)):
            return f"{function}({inner(argument)})"
        case _:
            raise TypeError(f"{type(node).__name__} has no text in constraints")
