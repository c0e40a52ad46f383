"""Notations of models: model text with logarithms to the base 2, LaTeX, and Python.

Terms hold logarithms to the base 10: `a * log10(x)^b` is `a * log10(2)^b * log2(x)^b`, so that only the coefficient
changes. Terms whose influence is 0 are left out. In a formula an option that a configuration has not selected has no
value: unlike in a model, its terms do not vanish by themselves.
"""

from __future__ import annotations

import keyword
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING

from splc.arithmetic.functions import FUNCTION
from splc.errors import OutputError
from splc.io.latex import SMALL_GREEK, latex_escaped, latex_number
from splc.io.numbers import number_text, percentage, rounded_text
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Addends, CallOf, Derived, PowerOf, SumOf, ThresholdOf, by_name
from splc.models.terms import CONSTANT, Exponent, Factor, exponent, exponent_text, place_in, quoted

if TYPE_CHECKING:
    from splc.scaling.result import ScalingModel

# log10(2) to 60 digits, so that coefficients are rounded once.
_LOG10_2 = Decimal("0.301029995663981195213738894724493026768189881462108541310427")
# The largest relative error of two roundings of a coefficient.
_ROUNDINGS = Decimal(2) ** -51
# Percentages below this are shown as `< 0.001 %`.
_LEAST = 0.001


def log2_text(model: InfluenceModel, digits: int | None = None) -> str:
    """Return a model with logarithms to the base 2: `1.37 + 6.7 * log2(y)^2`; `digits`: significant ones, None: all."""
    return Notation(model, digits).text()


def log2_terms(model: InfluenceModel) -> list[tuple[str, float]]:
    """Return the text of each term of a sum, and its coefficient, with logarithms to the base 2."""
    notation = Notation(model)
    parts = (notation.sum((addend,), with_ones=True).partition(notation.times) for addend in model.terms)
    return [(text or "1", float(coefficient)) for coefficient, _, text in parts]


def latex_text(model: InfluenceModel, digits: int | None = 4) -> str:
    r"""Return a model as mathematics in LaTeX, without the dollars around it: `1.37 + 6.698 \cdot \log_{2}^{2}(y)`.

    Single letters, also with a number, and names of Greek letters are set as symbols, other names in italics. No
    package is needed. `digits`: significant digits of coefficients; None: as many as read the same number back.
    """
    return _LatexNotation(model, digits).text()


def python_text(model: InfluenceModel, digits: int | None = None) -> str:
    """Return a model as a Python expression of the variables `python_names`: `1.37 + 6.698 * math.log2(y)**2`."""
    return _PythonNotation(model, digits).text()


def scaling_text(model: ScalingModel, digits: int | None = None) -> str:
    """Return a scaling model as `log2_text` does; with two segments, both."""
    upper = log2_text(model.model, digits)
    if model.below is None or model.change is None:
        return upper
    return f"{log2_text(model.below.model, digits)} up to {model.changing} = {model.change:g}, then {upper}"


def base2(influence: float, logs: Iterable[Exponent]) -> float:
    """Return the coefficient of a product when its logarithms get the base 2 instead of 10.

    The result is rounded to 15 digits if that is within the rounding error: 6.698 is 6.698 again after a conversion
    to log10 and back.

    `influence`: the coefficient with logarithms to the base 10.
    """
    power = sum((Fraction(log_power) for log_power in logs), Fraction(0))
    if not math.isfinite(influence):
        raise OutputError(f"an influence is {influence}, which is not a finite number")
    if power == 0:
        return influence
    with localcontext() as context:
        context.prec = 60
        exact = Decimal(influence) * _LOG10_2 ** (Decimal(power.numerator) / Decimal(power.denominator))
        rounded = Decimal(f"{exact:.15g}")
        nearest_value = rounded if abs(rounded - exact) <= _ROUNDINGS * abs(exact) else exact
    result = float(nearest_value)
    if not math.isfinite(result):
        raise OutputError("a coefficient is too large with logarithms to the base 2")
    return result


class Notation:
    """Sums of terms as model text; the other notations differ in templates, and in how single parts are written."""

    times = " * "
    shows_one = True  # whether products have a coefficient of 1
    parentheses, threshold = "({})", "[{} {} {}]"
    raised = "{}^({})"  # a power of an expression in parentheses
    comparisons: Mapping[str, str] = {}  # how comparisons are written, if otherwise than in model text

    def __init__(self, model: InfluenceModel, digits: int | None = None) -> None:
        self.model = model
        self.positions = {name: position for position, name in enumerate(model.order)}
        self.derived: dict[str, Derived] = by_name(model.derived)
        self.digits = digits

    def text(self) -> str:
        """Return the model: a sum with all its coefficients, or the exponential of one."""
        total = self.sum(self.model.terms, with_ones=self.shows_one)
        return self.called("exp", [total]) if self.model.link == "log" else total

    def sum(self, addends: Addends, *, with_ones: bool = False) -> str:
        """Return a sum, inside of a function without the coefficients that are 1."""
        parts: list[str] = []
        unit = "" if with_ones else self.number(1.0) + self.times
        for term, influence in addends:
            value = base2(influence, (factor.log for factor in term.factors))
            if value != 0:
                sign = (" - " if value < 0 else " + ") if parts else ("-" if value < 0 else "")
                parts.append(sign + self.product(abs(value), term.factors).removeprefix(unit))
        return "".join(parts) or "0"

    def product(self, size: float, factors: Iterable[Factor]) -> str:
        """Return a coefficient, which is positive, times factors."""
        parts = [self.number(size)]
        for factor in sorted(factors, key=lambda factor: place_in(factor.option, self.positions)):
            if factor.power != 0:
                parts.append(self.power(self.atom(factor.option), factor.power))
            if factor.log != 0:
                parts.append(self.logarithm(factor.option, factor.log))
        return self.times.join(parts)

    def atom(self, name: str) -> str:
        """Return the base of a factor, in a form that can be raised to a power."""
        match self.derived.get(name):
            case SumOf(_, terms):
                return self.parentheses.format(self.sum(terms))
            case PowerOf(_, base, exponent):
                power = self.raised.format(self.parentheses.format(self.sum(base)), self.sum(exponent))
                return self.parentheses.format(power)
            case CallOf(_, function, arguments):
                return self.called(function, [self.sum(argument) for argument in arguments])
            case ThresholdOf(_, comparison, terms, bound):
                sign = self.comparisons.get(comparison, comparison)
                return self.threshold.format(self.sum(terms), sign, self.sum(((CONSTANT, bound),)))
        return self.name(name)

    def argument(self, name: str) -> str:
        """Return the argument of a logarithm, in parentheses."""
        return self.atom(name) if isinstance(self.derived.get(name), (SumOf, PowerOf)) else f"({self.atom(name)})"

    def number(self, size: float) -> str:
        """Return a coefficient."""
        return number_text(size) if self.digits is None else f"{size:.{self.digits}g}"

    def name(self, name: str) -> str:
        """Return an option or a parameter."""
        return quoted(name, self.model.order)

    def power(self, base: str, exponent: Exponent) -> str:
        """Return a power of a base that needs no parentheses."""
        return base + exponent_text(exponent)

    def called(self, function: str, texts: Sequence[str]) -> str:
        """Return a function of sums."""
        return f"{function}({', '.join(texts)})"

    def logarithm(self, name: str, exponent: Exponent) -> str:
        """Return a power of a logarithm."""
        return self.power(f"log2{self.argument(name)}", exponent)


class _LatexNotation(Notation):
    """LaTeX's mathematics."""

    times, shows_one = r" \cdot ", False
    parentheses, threshold, raised = r"\left({}\right)", r"\left[{} {} {}\right]", "{}^{{{}}}"
    comparisons: Mapping[str, str] = {">=": r"\geq", "<=": r"\leq"}

    def number(self, size: float) -> str:
        return latex_number(super().number(size))

    def name(self, name: str) -> str:
        if re.fullmatch("[A-Za-z]", name):
            return name
        if name in SMALL_GREEK:
            return f"\\{name}"
        if indexed := re.fullmatch(r"([A-Za-z])(\d+)", name, re.ASCII):
            return f"{indexed[1]}_{{{indexed[2]}}}"
        return rf"\textit{{{latex_escaped(name)}}}"

    def power(self, base: str, exponent: Exponent) -> str:
        return base if exponent == 1 else self.raised.format(base, exponent)

    def called(self, function: str, texts: Sequence[str]) -> str:
        if function in FUNCTION:
            return FUNCTION[function].latex_text(texts[0])
        return rf"\{function}\left({', '.join(texts)}\right)"

    def logarithm(self, name: str, exponent: Exponent) -> str:
        if exponent > 0:
            return self.power(r"\log_{2}", exponent) + self.argument(name)
        # An exponent of -1 at the name of a function would denote the inverse function.
        return self.power(self.parentheses.format(rf"\log_{{2}}{self.argument(name)}"), exponent)


class _PythonNotation(Notation):
    """Python expressions that use the module math."""

    threshold, raised = "({} {} {})", "{}**({})"

    def __init__(self, model: InfluenceModel, digits: int | None = None) -> None:
        super().__init__(model, digits)
        self.names = python_names(model)

    def name(self, name: str) -> str:
        return self.names.get(name, name)

    def power(self, base: str, exponent: Exponent) -> str:
        if exponent == 1:
            return base
        return f"{base}**{exponent}" if isinstance(exponent, int) else self.raised.format(base, exponent)

    def called(self, function: str, texts: Sequence[str]) -> str:
        if function in FUNCTION:
            return FUNCTION[function].python_text(texts[0], "math")
        return super().called(function, texts)

    def logarithm(self, name: str, exponent: Exponent) -> str:
        return f"math.{super().logarithm(name, exponent)}"


# Names that Python reads as something else than an option.
_TAKEN = frozenset({*keyword.kwlist, "math", "np", "round", "max", "min"})


def python_names(model: InfluenceModel) -> dict[str, str]:
    """Return option or parameter → its variable in Python: its name, if Python allows it."""
    names = [*model.order, *sorted(model.options | {parameter.name for parameter in model.parameters})]
    # Python reads identifiers in their NFKC form.
    plain = {name for name in names if name.isidentifier() and unicodedata.normalize("NFKC", name) == name} - _TAKEN
    variables: dict[str, str] = {}
    for name in dict.fromkeys(names):
        identifier = re.sub(r"\W", "_", name, flags=re.ASCII)
        if not identifier or identifier[0].isdigit() or keyword.iskeyword(identifier):
            identifier = f"_{identifier}"
        while identifier in plain | _TAKEN | {*variables.values()}:
            identifier += "_"
        variables[name] = name if name in plain else identifier
    return variables


def lead_text(model: ScalingModel) -> str:
    """Return the lead term of a model, with logarithms to the base 2: `p^(3/2) * log2(p)`; `1` if it is constant."""
    parts = []
    for name, (power, log) in model.lead.items():
        name_text = quoted(name, model.names)
        if power != 0:
            parts.append(name_text + exponent_text(exponent(power)))
        if log != 0:
            parts.append(f"log2({name_text}){exponent_text(exponent(log))}")
    return " * ".join(parts) or "1"


def facts_text(model: ScalingModel) -> str:
    """Return the data of a scaling model, of both segments if two: `SMAPE 1.2 % at 5 points, p = 2 … 32`."""
    ranges = [
        f"{name} = {' … '.join(dict.fromkeys(rounded_text(end, 6) for end in (low, high)))}"
        for name, (low, high) in zip(model.names, model.ranges, strict=True)
    ]
    points = f"{model.points} point{'' if model.points == 1 else 's'}"
    explained = "" if model.adjusted_r2 is None else f", adjusted R² {model.adjusted_r2:.6g}"
    segment_text = f"SMAPE {percent_text(model.smape)}{explained} at {points}, {', '.join(ranges)}"
    return segment_text if model.below is None else f"{facts_text(model.below)}; {segment_text}"


def percent_text(value: float, digits: int = 3) -> str:
    """Return a percentage; very small ones are shown as `< 0.001 %`."""
    return percentage(value, digits) if value == 0 or value >= _LEAST else f"< {_LEAST:g} %"
