"""The term algebra: products of powers and logarithms of options, without coefficients."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from splc.arithmetic.tokens import FUNCTIONS, PLAIN_NAME
from splc.types import Array

Exponent = int | Fraction

# A numerator up to a thousand times as large is still exact as a float, so that texts can hold the fraction.
MAX_DENOMINATOR = 10**12


class Subexpression(str):
    """Model text that stands where the name of an option stands in a term: `(nx + ny)` (see `subexpressions`)."""

    __slots__ = ()


def exponent(value: Exponent | float) -> Exponent:
    """Return an exponent in lowest terms, as an int where it is whole.

    A float is taken for the fraction with a denominator up to a million that rounds to it, as 0.333… for 1/3, else
    for the decimal number that it prints as. So is a fraction with a denominator beyond `MAX_DENOMINATOR`; all others
    are kept exactly.
    """
    if isinstance(value, int):
        return value
    fraction = Fraction(value)
    if isinstance(value, float) or fraction.denominator > MAX_DENOMINATOR:
        near = fraction.limit_denominator(10**6)
        fraction = near if float(near) == float(value) else Fraction(repr(float(value)))
    return fraction.numerator if fraction.denominator == 1 else fraction


@dataclass(frozen=True, order=True)
class Factor:
    """`option^power * log10(option)^log`; not both exponents are 0."""

    option: str
    power: Exponent = 1
    log: Exponent = 0


@dataclass(frozen=True)
class Term:
    """A product of factors, at most one per option, ordered by option name; the empty product is the constant 1.

    Equality and hash are those of the factors, so equal products are equal terms.
    """

    factors: tuple[Factor, ...] = ()

    @cached_property
    def _hash(self) -> int:
        return hash(self.factors)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type[Term], tuple[tuple[Factor, ...]]]:
        # Strings hash differently in every process: a pickled hash would make the term unequal to its equals there.
        return Term, (self.factors,)

    @property
    def options(self) -> frozenset[str]:
        """The options it is about (its equivalence class)."""
        return frozenset(factor.option for factor in self.factors)

    @property
    def is_constant(self) -> bool:
        """Whether it is the constant 1."""
        return not self.factors

    def __mul__(self, other: Term) -> Term:
        """Multiply: exponents of the same option add up."""
        if not other.factors:
            return self
        if not self.factors:
            return other
        return product_of((*self.factors, *other.factors))

    def __pow__(self, power: Exponent) -> Term:
        """Raise to a power: every exponent is multiplied by it."""
        return product_of(Factor(f.option, f.power * power, f.log * power) for f in self.factors)

    def reduced(self, binary: Iterable[str], constant: Iterable[str] = ()) -> Term:
        """Return the term with powers of 0/1 options reduced to the option itself and constant options left out."""
        binary, constant = frozenset(binary), frozenset(constant)
        if not any(f.option in constant or (f.option in binary and f.power != 1) for f in self.factors):
            return self
        return Term(
            tuple(
                Factor(f.option, 1, f.log) if f.option in binary and f.power > 0 else f
                for f in self.factors
                # The logarithm of an option that is always 1 is 0, not 1.
                if f.option not in constant or f.log != 0
            )
        )

    def sort_key(self, positions: Mapping[str, int]) -> tuple[Any, ...]:
        """Return the canonical order: fewer options first, then by option order, then by exponents."""
        places = sorted((positions.get(f.option, len(positions)), f.option, f.power, f.log) for f in self.factors)
        return (len(places), places)

    def evaluate(self, column: Callable[[str], Array]) -> Array:
        """Return its values, shape (n,); 0 where one of its options is deselected (NaN in its column).

        Where an option's value is 0 and its power negative, or a logarithm is not defined, the result is not finite.
        """
        values: Array = np.ones(1)
        deselected: Array = np.zeros(1, dtype=bool)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            for factor in self.factors:
                x = column(factor.option)
                values = values * factor_values(factor, x)
                deselected = deselected | np.isnan(x)
        return np.where(deselected, 0.0, values)

    def text(self, order: Sequence[str] = ()) -> str:
        """Return it as model text: `nx^2 * log10(px)`, factors in the order of `order`, the constant as `1`."""
        if not self.factors:
            return "1"
        positions = {name: position for position, name in enumerate(order)}
        parts = []
        for factor in sorted(self.factors, key=lambda f: (positions.get(f.option, len(positions)), f.option)):
            whole = isinstance(factor.option, Subexpression)
            name = factor.option if whole else quoted(factor.option, order)
            if factor.power != 0:
                parts.append(name + exponent_text(factor.power))
            if factor.log != 0:
                argument = name if whole and name.startswith("(") else f"({name})"
                parts.append(f"log10{argument}{exponent_text(factor.log)}")
        return " * ".join(parts)


CONSTANT = Term()


def factor_values(factor: Factor, x: Array) -> Array:
    """Return x^power * log10(x)^log."""
    values = x if factor.power == 1 else np.power(x, float(factor.power)) if factor.power != 0 else np.ones_like(x)
    if factor.log != 0:
        logarithm = np.log10(x)
        if factor.log < 0:
            # One by the logarithm of 0 is not 0.
            logarithm = np.where(np.isinf(logarithm), np.nan, logarithm)
        values = values * (logarithm if factor.log == 1 else np.power(logarithm, float(factor.log)))
    return values


def product_of(factors: Iterable[Factor]) -> Term:
    """Return the term that is the product of factors, in canonical form."""
    powers: dict[str, tuple[Exponent, Exponent]] = {}
    for factor in factors:
        power, log = powers.get(factor.option, (0, 0))
        powers[factor.option] = (power + factor.power, log + factor.log)
    return Term(
        tuple(
            Factor(option, exponent(power), exponent(log))
            for option, (power, log) in sorted(powers.items())
            if power != 0 or log != 0
        )
    )


def option_term(option: str, power: Exponent = 1) -> Term:
    """Return `option^power`."""
    return Term((Factor(option, power),)) if power != 0 else CONSTANT


def log_term(option: str) -> Term:
    """Return `log10(option)`."""
    return Term((Factor(option, 0, 1),))


def exponent_text(value: Exponent) -> str:
    """Return `^2`, `^-1`, `^(1/2)`, `^0.8471236`, or nothing for 1."""
    if value == 1:
        return ""
    if isinstance(value, int):
        return f"^{value}"
    decimal = repr(float(value))
    return f"^{decimal}" if value.denominator > 1000 and Fraction(decimal) == value else f"^({value})"


def quoted(name: str, known: Iterable[str] = ()) -> str:
    """Return a name as model text: in backticks where it is not a plain name.

    So is a plain name that, with what may follow it in a text, begins another of the `known` names: `x` where `x^2`
    is an option.
    """
    end = len(name)
    begins_another = any(len(other) > end and other[end] in "^ )" and other.startswith(name) for other in known)
    if PLAIN_NAME.fullmatch(name) and name not in FUNCTIONS and not begins_another:
        return name
    return "`" + name.replace("`", "``") + "`"
