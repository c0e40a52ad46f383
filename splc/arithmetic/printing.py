"""Syntax trees as text."""

from __future__ import annotations

from collections.abc import Callable

from splc.arithmetic.tree import Call, Name, Node, Number, Power, Product, Sum
from splc.io.numbers import number_text


def tree_text(node: Node, name: Callable[[str], str]) -> str:
    """Return a tree as text that any association of `*` and `/` reads as the same expression.

    `name`: returns a name as text, in quotes where it needs them. Trees of model text only, such as thresholds, have no
    such text.
    """
    match node:
        case Number(value):
            return number_text(value) if value >= 0 else f"({number_text(value)})"
        case Name(found):
            return name(found)
        case Sum(addends):
            first, *others = (("-" if sign < 0 else "+", _inner(part, name, Sum)) for sign, part in addends)
            begin = first[1] if first[0] == "+" else f"0 - {first[1]}"
            return begin + "".join(f" {sign} {text}" for sign, text in others)
        case Product(factors):
            above, below = (
                " * ".join(_inner(part, name, Sum, Product) for side, part in factors if side == wanted)
                for wanted in (1, -1)
            )
            above = above or "1"
            if not below:
                return above
            return f"{above} / ({below})" if " * " in below else f"{above} / {below}"
        case Power(base, exponent):
            return f"{_inner(base, name, Sum, Product, Power)}^{_inner(exponent, name, Sum, Product, Power)}"
        case Call(function, argument):
            return f"{function}({tree_text(argument, name)})"
        case _:
            raise TypeError(f"{type(node).__name__} has no text in constraints")


def _inner(node: Node, name: Callable[[str], str], *bracketed: type) -> str:
    """Return a part of a tree as text, in brackets if it is of one of these types."""
    text = tree_text(node, name)
    return f"({text})" if isinstance(node, bracketed) else text
