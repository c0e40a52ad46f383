"""Models as formulas for other programs: as a Python expression, in LaTeX, and as text, with logarithms to the base 2.

Terms hold logarithms to the base 10: `a * log10(x)^b` is `a * log10(2)^b * log2(x)^b`, so that the coefficient is all
that changes. Terms whose influence is 0 are left out. What a configuration has not selected has no value in a formula:
unlike in a model, the terms about it do not vanish by themselves.
"""

from __future__ import annotations

import keyword
import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import reduce
from typing import Literal

from splc.errors import OutputError
from splc.io.latex import latex_escaped, latex_number
from splc.io.numbers import number_text
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Addends, Derived, E, ExtremeOf, PowerOf, RoundOf, SumOf
from splc.models.terms import Exponent, Factor, exponent_text, quoted

Module = Literal["math", "np"]

# log10(2) to 60 digits, so that coefficients are rounded once.
_LOG10_2 = Decimal("0.301029995663981195213738894724493026768189881462108541310427")
# What two roundings of a coefficient can be off, relative to it.
_ROUNDINGS = Decimal(2) ** -51
_TAKEN = frozenset({"math", "np", "round", "max", "min"})
_GREEK = frozenset(
    (
        *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu"),
        *("xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"),
    )
)


def python_text(model: InfluenceModel, module: Module = "math", digits: int | None = None) -> str:
    """Return a model as a Python expression: `1.37 + 6.698 * math.log2(y)**2`.

    Options, and parameters that are kept as names, are variables, named as `python_names` says.

    Args:
        model: the model.
        module: where functions come from: 'math' for numbers, 'np' (numpy) for arrays.
        digits: significant digits of coefficients; None gives as many as tell the numbers apart.

    Raises:
        OutputError: if an influence is no finite number.
    """
    text = _Python(model, digits, module).total(model.terms)
    return f"{module}.exp({text})" if model.link == "log" else text


def python_names(model: InfluenceModel) -> dict[str, str]:
    """Return option or parameter → the variable that it is in `python_text`: its name, where Python allows it."""
    names = [*model.order, *sorted(model.options | {each.name for each in model.parameters})]
    found = {name: name for name in names if _is_variable(name)}
    used = {*found.values(), *_TAKEN}
    for name in names:
        if name in found:
            continue
        plain = re.sub(r"\W", "_", name, flags=re.ASCII)
        plain = plain if plain and not plain[0].isdigit() and not keyword.iskeyword(plain) else f"_{plain}"
        while plain in used:
            plain += "_"
        used.add(plain)
        found[name] = plain
    return {name: found[name] for name in names}


def _is_variable(name: str) -> bool:
    # Python reads identifiers in their NFKC form.
    normal = unicodedata.normalize("NFKC", name) == name
    return name.isidentifier() and normal and not keyword.iskeyword(name) and name not in _TAKEN


def latex_text(model: InfluenceModel, digits: int | None = 4) -> str:
    r"""Return a model as LaTeX's mathematics, without the dollars around it: `1.37 + 6.698 \cdot \log_{2}^{2}(y)`.

    Names of a letter, perhaps with a number, and of Greek letters are set as such, others in italics. No package
    is needed.

    Args:
        model: the model.
        digits: significant digits of coefficients; None gives as many as tell the numbers apart.

    Raises:
        OutputError: if an influence is no finite number.
    """
    text = _Latex(model, digits).total(model.terms)
    return rf"\exp\left({text}\right)" if model.link == "log" else text


def log2_text(model: InfluenceModel, digits: int | None = None) -> str:
    """Return a model as model text with logarithms to the base 2: `1.37 + 6.698 * log2(y)^2`.

    Args:
        model: the model.
        digits: significant digits of coefficients; None gives as many as tell the numbers apart.

    Raises:
        OutputError: if an influence is no finite number, or for a model with a link, which model text cannot say.
    """
    if model.link != "identity":
        message = f"a model with the link {model.link!r} cannot be written as model text"
        raise OutputError(message, hint="write it as Python, LaTeX or JSON")
    return _Text(model, digits).total(model.terms)


def base2(influence: float, logs: Iterable[Exponent]) -> float:
    """Return the coefficient of a product of logarithms to the base 2 in place of those to the base 10.

    Where a number of 15 digits is as near as roundings tell, it is that number: 6.698 becomes 6.698 again after it was
    turned into the coefficient of log10.

    Args:
        influence: the coefficient with logarithms to the base 10.
        logs: the exponents of the logarithms.

    Raises:
        OutputError: if it is no finite number.
    """
    power = sum((Fraction(each) for each in logs), Fraction(0))
    if not math.isfinite(influence):
        raise OutputError(f"an influence is {influence}, which is no finite number")
    if power == 0:
        return influence
    with localcontext() as context:
        context.prec = 60
        exact = Decimal(influence) * _LOG10_2 ** (Decimal(power.numerator) / Decimal(power.denominator))
        short = Decimal(f"{exact:.15g}")
        near = short if abs(short - exact) <= _ROUNDINGS * abs(exact) else exact
    result = float(near)
    if not math.isfinite(result):
        raise OutputError("a coefficient is too large to be a number with logarithms to the base 2")
    return result


class _Text:
    """Writes sums of terms as model text; other notations differ in how single things are written."""

    times = " * "

    def __init__(self, model: InfluenceModel, digits: int | None) -> None:
        self.order = model.order
        self.places = {name: place for place, name in enumerate(model.order)}
        self.derived: dict[str, Derived] = {each.name: each for each in model.derived}
        self.digits = digits

    def total(self, addends: Addends) -> str:
        """Return a sum."""
        parts: list[str] = []
        for term, influence in addends:
            value = base2(influence, (factor.log for factor in term.factors))
            if value != 0:
                product = self.product(abs(value), term.factors)
                sign = (" - " if value < 0 else " + ") if parts else ("-" if value < 0 else "")
                parts.append(sign + product)
        return "".join(parts) or "0"

    def product(self, size: float, factors: Iterable[Factor]) -> str:
        """Return a coefficient, which is positive, times factors."""
        parts = [self.number(size)]
        for factor in sorted(factors, key=lambda f: (self.places.get(f.option, len(self.places)), f.option)):
            if factor.power != 0:
                parts.append(self.power(self.atom(factor.option), factor.power))
            if factor.log != 0:
                parts.append(self.logarithm(factor.option, factor.log))
        return self.times.join(parts)

    def atom(self, name: str) -> str:
        """Return what a factor is about, as something that can be raised to a power."""
        found = self.derived.get(name)
        if isinstance(found, SumOf):
            return self.enclosed(self.total(found.terms))
        if isinstance(found, PowerOf) and found.base == E:
            return self.called("exp", [self.total(found.exponent)])
        if isinstance(found, PowerOf):
            return self.enclosed(self.raised(self.total(found.base), self.total(found.exponent)))
        if isinstance(found, RoundOf):
            return self.rounded(found.function, self.total(found.terms))
        if isinstance(found, ExtremeOf):
            return self.called(found.function, [self.total(argument) for argument in found.arguments])
        return self.name(name)

    def argument(self, name: str) -> str:
        """Return what a logarithm is of, in parentheses."""
        found = self.derived.get(name)
        own = isinstance(found, SumOf) or (isinstance(found, PowerOf) and found.base != E)
        return self.atom(name) if own else f"({self.atom(name)})"

    def number(self, size: float) -> str:
        """Return a coefficient."""
        return number_text(size) if self.digits is None else f"{size:.{self.digits}g}"

    def name(self, name: str) -> str:
        """Return an option or a parameter."""
        return quoted(name, self.order)

    def enclosed(self, text: str) -> str:
        """Return something in parentheses."""
        return f"({text})"

    def power(self, base: str, exponent: Exponent) -> str:
        """Return a power of something that stands for itself."""
        return base + exponent_text(exponent)

    def raised(self, base: str, exponent: str) -> str:
        """Return a power of a sum whose exponent is a sum."""
        return f"({base})^({exponent})"

    def rounded(self, function: str, text: str) -> str:
        """Return a sum rounded up ('ceil') or down."""
        return f"{function}({text})"

    def called(self, function: str, texts: Sequence[str]) -> str:
        """Return 'max', 'min' or 'exp' of sums."""
        return f"{function}({', '.join(texts)})"

    def logarithm(self, name: str, exponent: Exponent) -> str:
        """Return a power of a logarithm."""
        return f"log2{self.argument(name)}{exponent_text(exponent)}"


class _Python(_Text):
    """Writes Python."""

    def __init__(self, model: InfluenceModel, digits: int | None, module: Module) -> None:
        super().__init__(model, digits)
        self.module = module
        self.names = python_names(model)

    def name(self, name: str) -> str:
        return self.names.get(name, name)

    def power(self, base: str, exponent: Exponent) -> str:
        if exponent == 1:
            return base
        return f"{base}**{exponent}" if isinstance(exponent, int) else f"{base}**({exponent})"

    def raised(self, base: str, exponent: str) -> str:
        return f"({base})**({exponent})"

    def rounded(self, function: str, text: str) -> str:
        # As in a model, what roundings are off a whole number is that number.
        near = f"np.round({text}, 12)" if self.module == "np" else f"round({text}, 12)"
        return f"{self.module}.{function}({near})"

    def called(self, function: str, texts: Sequence[str]) -> str:
        if function == "exp":
            return f"{self.module}.{super().called(function, texts)}"
        if self.module == "math":
            return super().called(function, texts)
        return reduce(lambda nested, text: f"np.{function}imum({nested}, {text})", texts)

    def logarithm(self, name: str, exponent: Exponent) -> str:
        return self.power(f"{self.module}.log2{self.argument(name)}", exponent)


class _Latex(_Text):
    """Writes LaTeX's mathematics."""

    times = r" \cdot "

    def product(self, size: float, factors: Iterable[Factor]) -> str:
        text = super().product(size, factors)
        return text.removeprefix(rf"1{self.times}")

    def number(self, size: float) -> str:
        return latex_number(super().number(size))

    def name(self, name: str) -> str:
        if re.fullmatch("[A-Za-z]", name):
            return name
        if name in _GREEK:
            return f"\\{name}"
        if indexed := re.fullmatch(r"([A-Za-z])(\d+)", name, re.ASCII):
            return f"{indexed[1]}_{{{indexed[2]}}}"
        return rf"\textit{{{latex_escaped(name)}}}"

    def enclosed(self, text: str) -> str:
        return rf"\left({text}\right)"

    def power(self, base: str, exponent: Exponent) -> str:
        return base if exponent == 1 else f"{base}^{{{exponent}}}"

    def raised(self, base: str, exponent: str) -> str:
        return rf"\left({base}\right)^{{{exponent}}}"

    def rounded(self, function: str, text: str) -> str:
        return rf"\left\l{function} {text} \right\r{function}"

    def called(self, function: str, texts: Sequence[str]) -> str:
        return rf"\{function}\left({', '.join(texts)}\right)"

    def logarithm(self, name: str, exponent: Exponent) -> str:
        argument = self.argument(name)
        if exponent > 0:
            return self.power(r"\log_{2}", exponent) + argument
        # An exponent of -1 at the function's name would be its inverse.
        return self.power(self.enclosed(rf"\log_{{2}}{argument}"), exponent)
