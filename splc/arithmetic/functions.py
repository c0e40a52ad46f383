"""The functions of arithmetic text, and the evaluation of syntax trees over numbers and columns of numbers.

To add a function, add an entry to `TABLE`: model text, its evaluation and its derivatives, bounds, logs, LaTeX,
learners and programs follow. Programs call what Python's `math` and JavaScript's `Math` call by this name; a power of
its argument, such as x^(2/3), needs no such name. Exponents such as `x^(1/3)` are evaluated exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from splc.arithmetic.tree import Call, Name, Node, Number, Power, Product, Sum, Threshold
from splc.types import Array

SEVERAL = ("max", "min")  # functions of several arguments. They exist in model text and parameters only.
THRESHOLDS = (">=", "<=", ">", "<")  # comparisons of thresholds (`[x >= 8]`), where the additional functions exist
# Operations that have no name in texts: a sum in parentheses, and base^exponent.
SUM, POWER = "sum", "power"


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
    bounds: tuple[float, float] | None = None  # its least and greatest value; None: it never falls, so ends bound it
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
FUNCTION: Mapping[str, Function] = {function.name: function for function in TABLE}


def applied(operation: str, arguments: Sequence[Any]) -> Any:
    """Return the values of a function, of a comparison of `THRESHOLDS`, of `SUM` or of `POWER`."""
    if operation in SEVERAL:
        # NaN where one of them is NaN.
        return (np.maximum if operation == "max" else np.minimum).reduce(np.broadcast_arrays(*arguments))
    if operation in THRESHOLDS:
        return compared(operation, *arguments)
    if operation in (SUM, POWER):
        return np.power(*arguments) if operation == POWER else arguments[0]
    return FUNCTION[operation].values(*arguments)


def compared(comparison: str, left: Any, right: Any) -> Array:
    """Return 1 where a comparison of `THRESHOLDS` holds, else 0; NaN where one side is NaN.

    Values within rounding errors of each other are equal.
    """
    near = np.isclose(left, right, rtol=1e-12, atol=0.0)
    beyond = np.greater(left, right) if comparison.startswith(">") else np.less(left, right)
    holds = near | beyond if comparison.endswith("=") else beyond & ~near
    return np.where(np.isnan(left) | np.isnan(right), np.nan, holds)


def limits(operation: str, intervals: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return bounds of an operation (see `applied`) on arguments in intervals; NaN where an end is NaN."""
    lows, highs = zip(*intervals, strict=True)
    if any(map(math.isnan, (*lows, *highs))):
        return (0.0, 1.0) if operation in THRESHOLDS else (math.nan, math.nan)
    if operation == POWER and lows[0] < 0:
        return -math.inf, math.inf
    if operation in FUNCTION and (bounds := FUNCTION[operation].bounds) is not None:
        return bounds
    # All others only rise or only fall in each argument; extrema of many arguments rise in all.
    corners = (lows, highs) if operation in SEVERAL else product(*intervals)
    with np.errstate(all="ignore"):
        values = [float(applied(operation, corner)) for corner in corners]
    return min(values), max(values)


_LARGEST_PART = 10**30  # numerators and denominators beyond this serve no exponent


def evaluate(node: Node, value_of: Callable[[str], Any], zero_safe: bool = False) -> Any:
    """Evaluate a tree over numbers or arrays.

    `value_of`: returns the value of a name, a float or an array of shape (n,). `zero_safe`: whether division by 0 and
    the logarithm of 0 give 0, as in SPL Conqueror; otherwise they give infinities or NaN, as in IEEE arithmetic.
    """

    def of(node: Node) -> Any:
        match node:
            case Number(value):
                return np.float64(value)
            case Name(name):
                return value_of(name)
            case Sum(addends):
                return sum(sign * of(child) for sign, child in addends)
            case Product(factors):
                sides: dict[int, Any] = {1: np.float64(1.0), -1: np.float64(1.0)}
                for side, child in factors:
                    sides[side] = sides[side] * of(child)
                ratio = np.true_divide(sides[1], sides[-1])
                return np.where(sides[-1] == 0, 0.0, ratio) if zero_safe else ratio
            case Power(base, exponent):
                below, above = (np.asarray(of(child), dtype=float) for child in (base, exponent))
                power = np.power(below, above)
                return np.where((below == 0) & (above < 0), 0.0, power) if zero_safe else power
            case Call(function, arguments):
                inner = [np.asarray(of(argument), dtype=float) for argument in arguments]
                is_logarithm = function in FUNCTION and FUNCTION[function].base is not None
                result = applied(function, inner)
                return np.where(inner[0] == 0, 0.0, result) if zero_safe and is_logarithm else result
            case Threshold(comparison, left, right):
                return compared(comparison, of(left), of(right))

    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return of(node)


def fraction_of(node: Node) -> Fraction | None:
    """Return the exact value of a tree of numbers, None for other trees and for fractions of too many digits."""
    match node:
        case Number(number):
            return Fraction(repr(number))
        case Sum(pairs) | Product(pairs):
            is_sum = isinstance(node, Sum)
            value = Fraction(0 if is_sum else 1)
            for side, child in pairs:
                part = fraction_of(child)
                if part is None or not (is_sum or part) or max(abs(value.numerator), value.denominator) > _LARGEST_PART:
                    return None
                value = value + side * part if is_sum else value * part**side
            return value
    return None
