"""Syntax trees of arithmetic text. Sums and products are n-ary, so that a long sum is a flat tree."""

from __future__ import annotations

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
    """A function of one argument; `function` is one of `MODEL_FUNCTIONS`. `at` is its offset in the text."""

    function: str
    argument: Node
    at: int = 0


@dataclass(frozen=True)
class Extremum:
    """The greatest ('max') or the least ('min') of several arguments. `at` is its offset in the text."""

    function: str
    arguments: tuple[Node, ...]
    at: int = 0


Node = Number | Name | Sum | Product | Power | Call | Extremum


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
            case Extremum(_, arguments):
                stack.extend(reversed(arguments))
    return list(found)


def is_ambiguous(node: Node) -> bool:
    """Whether a product in the tree has another value if `*` and `/` associate the other way."""
    match node:
        case Sum(addends):
            return any(is_ambiguous(child) for _, child in addends)
        case Product(factors, ambiguous):
            return ambiguous or any(is_ambiguous(child) for _, child in factors)
        case Power(base, exponent):
            return is_ambiguous(base) or is_ambiguous(exponent)
        case Call(_, argument):
            return is_ambiguous(argument)
        case Extremum(_, arguments):
            return any(map(is_ambiguous, arguments))
        case _:
            return False
