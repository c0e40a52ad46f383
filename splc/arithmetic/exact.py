"""Exact values of trees of numbers, for exponents: `x^(1/3)`."""

from __future__ import annotations

from fractions import Fraction

from splc.arithmetic.parser import Node, Number, Product, Sum

_LARGEST = 10**30


def fraction_of(node: Node) -> Fraction | None:
    """Return the exact value of a tree of numbers, None for other trees and beyond any use as an exponent."""
    value = Fraction(0)
    match node:
        case Number(number):
            value = Fraction(repr(number))
        case Sum(addends):
            for sign, child in addends:
                part = fraction_of(child)
                if part is None or value.denominator > _LARGEST:
                    return None
                value += sign * part
        case Product(factors):
            value = Fraction(1)
            for side, child in factors:
                part = fraction_of(child)
                if not part or max(abs(value.numerator), value.denominator) > _LARGEST:
                    return None
                value = value * part if side > 0 else value / part
        case _:
            return None
    return value
