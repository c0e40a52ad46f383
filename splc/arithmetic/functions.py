"""The functions of arithmetic text.

To add a function, add an entry to `TABLE`: model text, its evaluation and its derivatives, bounds, logs, LaTeX,
learners and programs follow. Programs call what Python's `math`, C's `math.h` and JavaScript's `Math` call by this
name; a power of its argument, such as x^(2/3), needs no such name.
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


def rounded(function: str, values: Array) -> Array:
    """Return values rounded up ('ceil') or down; values within rounding errors of an integer become that integer."""
    near = np.round(values)
    exact = np.isclose(values, near, rtol=1e-12, atol=1e-12)
    return np.where(exact, near, np.ceil(values) if function == "ceil" else np.floor(values))


def _rounding(name: str) -> Function:
    """Return a rounding; in Python a number within rounding errors of an integer is that integer, too."""
    return Function(
        name,
        partial(rounded, name),
        lambda number: float(rounded(name, np.array(number))),
        everywhere=True,
        latex=rf"\left\l{name} {{x}} \right\r{name}",
        python=f"{{module}}.{name}({{round}}({{x}}, 12))",
    )


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
