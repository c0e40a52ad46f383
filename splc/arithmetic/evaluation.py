"""Evaluation of syntax trees: over numbers and columns of numbers, and exactly for exponents such as `x^(1/3)`."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from splc.arithmetic.functions import FUNCTION, greatest
from splc.arithmetic.tree import Call, Extremum, Name, Node, Number, Power, Product, Sum, Threshold
from splc.types import Array

# Numerators and denominators beyond this serve no exponent.
_LARGEST_PART = 10**30


def evaluate(node: Node, value_of: Callable[[str], Any], zero_safe: bool = False) -> Any:
    """Evaluate a tree over numbers or arrays.

    `value_of`: returns the value of a name, a float or an array of shape (n,). `zero_safe`: whether division by 0 and
    the logarithm of 0 give 0, as in SPL Conqueror; otherwise they give infinities or NaN, as in IEEE arithmetic.

    Returns: A float or an array of shape (n,).
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
            definition = FUNCTION[function]
            result = definition.values(inner)
            return np.where(inner == 0, 0.0, result) if zero_safe and definition.base is not None else result
        case Extremum(function, arguments):
            return greatest(function, [_evaluate(child, value_of, zero_safe) for child in arguments])
        case Threshold(comparison, left, right):
            return compared(comparison, *(_evaluate(child, value_of, zero_safe) for child in (left, right)))


def compared(comparison: str, left: Any, right: Any) -> Array:
    """Return 1 where a comparison of `THRESHOLDS` holds, else 0; NaN where one side is NaN.

    Values within rounding errors of each other are equal.
    """
    near = np.isclose(left, right, rtol=1e-12, atol=0.0)
    beyond = np.greater(left, right) if comparison.startswith(">") else np.less(left, right)
    holds = near | beyond if comparison.endswith("=") else beyond & ~near
    return np.where(np.isnan(left) | np.isnan(right), np.nan, holds)


def fraction_of(node: Node) -> Fraction | None:
    """Return the exact value of a tree of numbers, None for other trees and for fractions of too many digits."""
    value = Fraction(0)
    match node:
        case Number(number):
            value = Fraction(repr(number))
        case Sum(addends):
            for sign, child in addends:
                part = fraction_of(child)
                if part is None or value.denominator > _LARGEST_PART:
                    return None
                value += sign * part
        case Product(factors):
            value = Fraction(1)
            for side, child in factors:
                part = fraction_of(child)
                if not part or max(abs(value.numerator), value.denominator) > _LARGEST_PART:
                    return None
                value = value * part if side > 0 else value / part
        case _:
            return None
    return value
