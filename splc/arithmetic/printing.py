"""Syntax trees as text."""

from __future__ import annotations

from collections.abc import Callable

from splc.arithmetic.tree import Call, Name, Node, Number, Power, Product, Sum


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
        case Call(function, argument):
            return f"{function}({inner(argument)})"
        case _:
            raise TypeError(f"{type(node).__name__} has no text in constraints")
