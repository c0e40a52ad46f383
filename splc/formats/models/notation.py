"""Model text with logarithms to the base 2, and the base class of the notations of other programs.

Terms hold logarithms to the base 10: `a * log10(x)^b` is `a * log10(2)^b * log2(x)^b`, so that only the coefficient
changes. Terms whose influence is 0 are left out. In a formula an option that a configuration has not selected has no
value: unlike in a model, its terms do not vanish by themselves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING

from splc.errors import OutputError
from splc.io.numbers import number_text, percentage, rounded_text
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Addends, CallOf, Derived, PowerOf, SumOf, ThresholdOf, by_name
from splc.models.terms import CONSTANT, Exponent, Factor, exponent, exponent_text, quoted

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
    # The text of a model with one term only has the coefficient of logarithms to the base 2.
    single = (InfluenceModel.from_terms([entry], model.order) for entry in model.terms)
    parts = (log2_text(model).partition(" * ") for model in single)
    return [(text or "1", float(coefficient)) for coefficient, _, text in parts]


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
    """Sums of terms as model text; other notations override how single parts are written."""

    times = " * "

    def __init__(self, model: InfluenceModel, digits: int | None) -> None:
        self.model = model
        self.order = model.order
        self.positions = {name: position for position, name in enumerate(model.order)}
        self.derived: dict[str, Derived] = by_name(model.derived)
        self.digits = digits

    def text(self) -> str:
        """Return the model: a sum with all its coefficients, or the exponential of one."""
        total = self._sum(self.model.terms, self.product)
        return self.called("exp", [total]) if self.model.link == "log" else total

    def argument_text(self, addends: Addends) -> str:
        """Return a sum inside of a function, in which a product has no coefficient 1."""
        unit_factor = self.number(1.0) + self.times
        return self._sum(addends, lambda size, factors: self.product(size, factors).removeprefix(unit_factor))

    def _sum(self, addends: Addends, product_text: Callable[[float, Iterable[Factor]], str]) -> str:
        parts: list[str] = []
        for term, influence in addends:
            value = base2(influence, (factor.log for factor in term.factors))
            if value != 0:
                product = product_text(abs(value), term.factors)
                sign = (" - " if value < 0 else " + ") if parts else ("-" if value < 0 else "")
                parts.append(sign + product)
        return "".join(parts) or "0"

    def product(self, size: float, factors: Iterable[Factor]) -> str:
        """Return a coefficient, which is positive, times factors."""
        parts = [self.number(size)]
        for factor in sorted(factors, key=lambda f: (self.positions.get(f.option, len(self.positions)), f.option)):
            if factor.power != 0:
                parts.append(self.power(self.atom(factor.option), factor.power))
            if factor.log != 0:
                parts.append(self.logarithm(factor.option, factor.log))
        return self.times.join(parts)

    def atom(self, name: str) -> str:
        """Return the base of a factor, in a form that can be raised to a power."""
        derived = self.derived.get(name)
        if isinstance(derived, SumOf):
            return self.enclosed(self.argument_text(derived.terms))
        if isinstance(derived, PowerOf):
            return self.enclosed(self.raised(self.argument_text(derived.base), self.argument_text(derived.exponent)))
        if isinstance(derived, CallOf):
            return self.called(derived.function, [self.argument_text(argument) for argument in derived.arguments])
        if isinstance(derived, ThresholdOf):
            bound = self.argument_text(((CONSTANT, derived.bound),))
            return self.threshold(self.argument_text(derived.terms), derived.comparison, bound)
        return self.name(name)

    def argument(self, name: str) -> str:
        """Return the argument of a logarithm, in parentheses."""
        derived = self.derived.get(name)
        return self.atom(name) if isinstance(derived, (SumOf, PowerOf)) else f"({self.atom(name)})"

    def number(self, size: float) -> str:
        """Return a coefficient."""
        return number_text(size) if self.digits is None else f"{size:.{self.digits}g}"

    def name(self, name: str) -> str:
        """Return an option or a parameter."""
        return quoted(name, self.order)

    def enclosed(self, text: str) -> str:
        """Return a text in parentheses."""
        return f"({text})"

    def power(self, base: str, exponent: Exponent) -> str:
        """Return a power of a base that needs no parentheses."""
        return base + exponent_text(exponent)

    def raised(self, base: str, exponent: str) -> str:
        """Return a power of a sum whose exponent is a sum."""
        return f"({base})^({exponent})"

    def called(self, function: str, texts: Sequence[str]) -> str:
        """Return a function of sums."""
        return f"{function}({', '.join(texts)})"

    def threshold(self, text: str, comparison: str, bound: str) -> str:
        """Return a comparison that is 1 where it holds, else 0."""
        return f"[{text} {comparison} {bound}]"

    def logarithm(self, name: str, exponent: Exponent) -> str:
        """Return a power of a logarithm."""
        return f"log2{self.argument(name)}{exponent_text(exponent)}"


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
