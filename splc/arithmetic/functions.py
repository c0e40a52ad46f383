"""The functions of arithmetic text, and the evaluation of syntax trees over numbers and columns of numbers.

To add a function, add an entry to `TABLE`: model text, its evaluation and its derivatives, bounds, logs, LaTeX,
learners and programs follow. Programs call what Python's `math` and JavaScript's `Math` call by this name; a power of
its argument, such as x^(2/3), needs no such name. Exponents such as `x^(1/3)` are evaluated exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from types import MappingProxyType
from typing import Any

import numpy as np

from splc.arithmetic.tree import Call, Name, Node, Number, Power, Product, Sum, Threshold
from splc.types import Array

# Functions of several arguments. They exist in model text and parameters only.
SEVERAL = ("max", "min")


@dataclass(frozen=True)
class Function:
    """A function of one number.

    Logarithms and roots of products are split into terms with logarithms and powers; other functions are subexpressions
    of terms, with their text as name.
    """

    name: str  # the name in texts
    values: Callable[[Array], Array]  # its values at an array
    number: Callable[[float], float]  # its value at a number
    slope: Callable[[Array], Array] | None = None  # its derivative at an array; None for functions of steps
    # its least and its greatest value; None for functions that never fall, whose values at the ends of an interval
    # bound those inside
    bounds: tuple[float, float] | None = None
    base: float | None = None  # of a logarithm, the base
    power: Fraction | None = None  # of a root or another power, the exponent
    everywhere: bool = False  # whether it exists in logs and constraints too, where other functions are ordinary names
    latex: str = ""  # its text in LaTeX, in which `{x}` is the argument; by default the name in upright letters
    python: str = ""  # its text in Python, in which `{module}` is 'math' or 'np', and `{round}` rounds to some digits

    def latex_text(self, argument: str) -> str:
        """Return a call in LaTeX."""
        return (self.latex or rf"\mathrm{{{self.name}}}\left({{x}}\right)").replace("{x}", argument)

    def python_text(self, argument: str, module: str) -> str:
        """Return a call in Python."""
        text = self.python or f"{{module}}.{self.name}({{x}})"
        return text.format(module=module, round="np.round" if module == "np" else "round", x=argument)


def rounded(function: str, values: Array | float) -> Array:
    """Return values rounded up ('ceil') or down; values within rounding errors of an integer become that integer."""
    near = np.round(values)
    exact = np.isclose(values, near, rtol=1e-12, atol=1e-12)
    return np.where(exact, near, np.ceil(values) if function == "ceil" else np.floor(values))


def _rounding(name: str) -> Function:
    """Return a rounding; in Python a number within rounding errors of an integer is that integer, too."""
    latex, python = rf"\left\l{name} {{x}} \right\r{name}", f"{{module}}.{name}({{round}}({{x}}, 12))"
    values = partial(rounded, name)
    return Function(name, values, lambda number: float(values(number)), everywhere=True, latex=latex, python=python)


TABLE = (
    Function("log2", np.log2, math.log2, base=2, everywhere=True),
    Function("log10", np.log10, math.log10, base=10, everywhere=True),
    Function("ln", np.log, math.log, base=math.e, everywhere=True),
    Function("log", np.log, math.log, base=math.e, everywhere=True),
    Function("sqrt", np.sqrt, math.sqrt, power=Fraction(1, 2), everywhere=True),
    _rounding("ceil"),
    _rounding("floor"),
    Function("exp", np.exp, math.exp, slope=np.exp, latex=r"\exp\left({x}\right)"),
)
FUNCTION = MappingProxyType({function.name: function for function in TABLE})


def greatest(function: str, values: Sequence[Any]) -> Any:
    """Return the maximum ('max') or minimum of several numbers or columns, NaN where one of them is NaN."""
    return reduce(np.maximum if function == "max" else np.minimum, values)


def limits(function: str, intervals: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return bounds of a function of arguments in intervals; NaN where an end is."""
    lows, highs = zip(*intervals, strict=True)
    if any(map(math.isnan, (*lows, *highs))):
        return math.nan, math.nan
    if function in SEVERAL:
        return float(greatest(function, lows)), float(greatest(function, highs))
    definition = FUNCTION[function]
    if definition.bounds is not None:
        return definition.bounds
    with np.errstate(all="ignore"):
        least, most = definition.values(np.array([*lows, *highs])).tolist()
    return least, most


# Numerators and denominators beyond this serve no exponent.
_LARGEST_PART = 10**30


def evaluate(node: Node, value_of: Callable[[str], Any], zero_safe: bool = False) -> Any:
    """Evaluate a tree over numbers or arrays.

    `value_of`: returns the value of a name, a float or an array of shape (n,). `zero_safe`: whether division by 0 and
    the logarithm of 0 give 0, as in SPL Conqueror; otherwise they give infinities or NaN, as in IEEE arithmetic.
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
            sides: dict[int, Any] = {1: np.float64(1.0), -1: np.float64(1.0)}
            for side, child in factors:
                sides[side] = sides[side] * _evaluate(child, value_of, zero_safe)
            above, below = sides[1], sides[-1]
            ratio = np.true_divide(above, below)
            return np.where(below == 0, 0.0, ratio) if zero_safe else ratio
        case Power(base, exponent):
            below = np.asarray(_evaluate(base, value_of, zero_safe), dtype=float)
            above = np.asarray(_evaluate(exponent, value_of, zero_safe), dtype=float)
            power = np.power(below, above)
            return np.where((below == 0) & (above < 0), 0.0, power) if zero_safe else power
        case Call(function, (argument,)):
            inner = np.asarray(_evaluate(argument, value_of, zero_safe), dtype=float)
            definition = FUNCTION[function]
            result = definition.values(inner)
            return np.where(inner == 0, 0.0, result) if zero_safe and definition.base is not None else result
        case Call(function, arguments):
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
