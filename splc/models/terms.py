"""Terms: products of powers and logarithms of options, without coefficients."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from splc.arithmetic.tokens import FUNCTIONS, PLAIN_NAME
from splc.types import Array

Exponent = int | Fraction

MAX_DENOMINATOR = 10**12  # numerators up to a thousand times as large are exact as floats, so that text is the fraction


class Subexpression(str):
    """Model text that a factor has instead of an option's name: `(nx + ny)` (see `splc.models.subexpressions`)."""

    __slots__ = ()


def exponent(value: Exponent | float) -> Exponent:
    """Return an exponent as a fraction in lowest terms, or as an int if it is whole.

    A float, or a fraction of a larger denominator than `MAX_DENOMINATOR`, becomes the one of a denominator up to a
    million that rounds to it (0.333… becomes 1/3), otherwise the decimal number that it prints as.
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
    """`option^power * log10(option)^log`; at least one exponent is not 0."""

    option: str
    power: Exponent = 1
    log: Exponent = 0


@dataclass(frozen=True)
class Term:
    """A product of powers and logarithms of options, without a coefficient; the empty product is the constant 1.

    Equal products are equal terms with equal hashes: `log_term`, `option_term` and `product_of` build terms in this
    canonical form; `*` multiplies and `**` raises to a power.
    """

    factors: tuple[Factor, ...] = ()  # at most one factor per option, ordered by option name

    @cached_property
    def _hash(self) -> int:
        return hash(self.factors)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type[Term], tuple[tuple[Factor, ...]]]:
        # Strings hash differently in every process, so a pickled hash would be wrong in another process.
        return Term, (self.factors,)

    @property
    def options(self) -> frozenset[str]:
        """The options it contains (its equivalence class)."""
        return frozenset(factor.option for factor in self.factors)

    @property
    def occurrences(self) -> int:
        """The number of option occurrences: `x * x * log10(y)` has 3; a fractional exponent is rounded up."""
        exponents = (exponent for factor in self.factors for exponent in (factor.power, factor.log))
        return sum(math.ceil(abs(float(exponent))) for exponent in exponents)

    @property
    def is_constant(self) -> bool:
        """True if it is the constant 1."""
        return not self.factors

    def __mul__(self, other: Term) -> Term:
        """Return the product: exponents of the same option are added."""
        if not other.factors:
            return self
        if not self.factors:
            return other
        return product_of((*self.factors, *other.factors))

    def __pow__(self, power: Exponent) -> Term:
        """Return the term raised to a power: every exponent is multiplied by it."""
        return product_of(Factor(f.option, f.power * power, f.log * power) for f in self.factors)

    def reduced(self, binary: Iterable[str], constant: Iterable[str] = ()) -> Term:
        """Return it with powers of `binary` options (0/1) as the option, and without `constant` ones (1)."""
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
        """Return a key for the canonical order: by number of options, then by option order, then by exponents."""
        places = sorted((*place_in(f.option, positions), f.power, f.log) for f in self.factors)
        return (len(places), places)

    def evaluate(self, column: Callable[[str], Array]) -> Array:
        """Return its values, shape (n,); 0 where an option is deselected (NaN), not finite where undefined."""
        values: Array = np.ones(1)
        deselected: Array = np.zeros(1, dtype=bool)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            for factor in self.factors:
                x = column(factor.option)
                values = values * factor_values(factor, x)
                deselected = deselected | np.isnan(x)
        return np.where(deselected, 0.0, values) if deselected.any() else values

    def text(self, order: Sequence[str] = ()) -> str:
        """Return it as model text, such as `nx^2 * log10(px)` or `1`, in an order of options, others after them."""
        parts = []
        for factor in self.ordered(order):
            is_subexpression = isinstance(factor.option, Subexpression)
            name = factor.option if is_subexpression else quoted(factor.option, order)
            if factor.power != 0:
                parts.append(name + exponent_text(factor.power))
            if factor.log != 0:
                argument = name if is_subexpression and name.startswith("(") else f"({name})"
                parts.append(f"log10{argument}{exponent_text(factor.log)}")
        return " * ".join(parts) or "1"

    def ordered(self, order: Sequence[str]) -> list[Factor]:
        """Return the factors in the order of options; options not in it follow alphabetically."""
        positions = {name: position for position, name in enumerate(order)}
        return sorted(self.factors, key=lambda factor: place_in(factor.option, positions))


CONSTANT = Term()


def factor_values(factor: Factor, x: Array) -> Array:
    """Return x^power * log10(x)^log, at 0 its limit if both exponents are positive."""
    values = x if factor.power == 1 else np.power(x, float(factor.power)) if factor.power != 0 else np.ones_like(x)
    if factor.log != 0:
        logarithm = np.log10(x)
        if factor.log < 0 or factor.power > 0:
            # 1 / log10(0) is undefined, not 0; the limit of x * log10(x) is 0.
            logarithm = np.where(x == 0, np.nan if factor.log < 0 else 0.0, logarithm)
        values = values * (logarithm if factor.log == 1 else np.power(logarithm, float(factor.log)))
    return values


def product_of(factors: Iterable[Factor]) -> Term:
    """Return the product of factors as a term in canonical form."""
    powers: dict[str, tuple[Exponent, Exponent]] = {}
    for factor in factors:
        power, log = powers.get(factor.option, (0, 0))
        powers[factor.option] = (power + factor.power, log + factor.log)
    nonzero = ((option, power, log) for option, (power, log) in sorted(powers.items()) if power != 0 or log != 0)
    return Term(tuple(Factor(option, exponent(power), exponent(log)) for option, power, log in nonzero))


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


def place_in(name: str, positions: Mapping[str, int]) -> tuple[int, str]:
    """Return the place of an option in the system's order; unknown ones come last, by name."""
    return positions.get(name, len(positions)), name


def names_in(options: Iterable[str], order: Iterable[str]) -> tuple[str, ...]:
    """Return options in the system's order; see `place_in`."""
    positions = {name: position for position, name in enumerate(order)}
    return tuple(sorted(options, key=lambda name: place_in(name, positions)))


def quoted(name: str, known: Iterable[str] = ()) -> str:
    """Return a name as model text: in backticks unless it is a plain name.

    Backticks are also needed if the name, with an operator that may follow it, is the beginning of another name in
    `known`: `x` if `x^2` is an option.
    """
    end = len(name)
    begins_another = any(len(other) > end and other[end] in "^ )" and other.startswith(name) for other in known)
    if PLAIN_NAME.fullmatch(name) and name not in FUNCTIONS and not begins_another:
        return name
    return "`" + name.replace("`", "``") + "`"
