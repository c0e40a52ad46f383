"""The values of PMNF terms at the measured points: the columns of design matrices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from splc.scaling.exponents import Exponents
from splc.types import Array

# A product of one factor per parameter.
Product = tuple[Exponents, ...]


def column(exponents: Exponents, x: Array) -> Array:
    """Return x^power * log2(x)^log, with x's shape; not finite where it is not defined."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        values = np.power(x, float(exponents.power)) if exponents.power != 0 else np.ones_like(x)
        if exponents.log != 0:
            # In this order: 0 * inf, at x = 0, is not defined.
            values = values * np.power(np.log2(x), float(exponents.log))
    return np.asarray(values, dtype=float)


def columns(terms: Sequence[Exponents], x: Array) -> Array:
    """Return the columns of terms of one parameter, shape (terms, n)."""
    return power_columns(*exponent_columns(terms), x)


def exponent_columns(terms: Sequence[Exponents]) -> tuple[Array, Array]:
    """Return the powers and the powers of logarithms of terms as numbers, each of shape (terms, 1)."""
    numbers = np.array([(float(term.power), float(term.log)) for term in terms]).reshape(-1, 2).T[:, :, None]
    return numbers[0], numbers[1]


def power_columns(powers: Array, logs: Array, x: Array) -> Array:
    """Return x^power * log2(x)^log; not finite where it is not defined.

    `powers`, `logs`: shape (terms, 1). `x`: shape (n,).

    Returns: shape (terms, n).
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        values = np.where(powers == 0, 1.0, np.power(x, powers))
        # In this order: 0 * inf, at x = 0, is not defined.
        return np.where(logs == 0, values, values * np.power(np.log2(x), logs))


@dataclass(frozen=True, eq=False)
class Factors:
    """The factors that one parameter has in the columns of hypotheses.

    Attributes:
        powers, logs: the exponents of the factors, the last one being 1, each of shape (factors, 1).
        sizes: the divisors of their values, shape (factors, 1).
        places: the factor of each column, as a position, shape (hypotheses, most columns).
    """

    powers: Array
    logs: Array
    sizes: Array
    places: Array

    @classmethod
    def of(cls, powers: Array, logs: Array, sizes: Array | float, places: Array) -> Factors:
        """Return the factors of terms.

        `powers`, `logs`: shape (terms, 1). `sizes`: the divisors of their values. `places`: -1 is for the factor 1.
        """
        table = np.zeros((3, len(powers) + 1, 1))
        table[0, :-1], table[1, :-1], table[2, :-1, 0], table[2, -1] = powers, logs, sizes, 1.0
        return cls(table[0], table[1], table[2], np.where(places < 0, len(powers), places))

    def values(self, x: Array) -> Array:
        """Return their values at x (n,) in each column, shape (hypotheses, most columns, n)."""
        return np.asarray((power_columns(self.powers, self.logs, x) / self.sizes)[self.places])


@dataclass(frozen=True, eq=False)
class HypothesisColumns:
    """The columns of hypotheses, each a product of one factor per parameter."""

    factors: tuple[Factors, ...]

    def __call__(self, x: Array) -> Array:
        """Return their values at points x (n, parameters), shape (hypotheses, most columns, n)."""
        first, *further = (factors.values(x[:, parameter]) for parameter, factors in enumerate(self.factors))
        with np.errstate(invalid="ignore", over="ignore"):
            for factor_values in further:
                first *= factor_values
        return first


def product_columns(terms: Sequence[Product], points: Array) -> Array:
    """Return the columns of products at points (n, parameters), shape (terms, n)."""
    columns_of_terms = np.ones((len(terms), len(points)))
    with np.errstate(invalid="ignore", over="ignore"):
        for row, term in enumerate(terms):
            for parameter, exponents in enumerate(term):
                if not exponents.is_constant:
                    columns_of_terms[row] *= column(exponents, points[:, parameter])
    return columns_of_terms


def usable(terms: Iterable[Exponents], x: Array) -> tuple[Exponents, ...]:
    """Return the terms that can be fitted at points x, in their order.

    Logarithms are left out where some x is below 1, where their sign changes (Extra-P's rule), and so are terms that
    have no finite value at some x, or the same value at all of them.
    """
    logs = bool((x >= 1).all())
    usable_terms = []
    for exponents in terms:
        values = column(exponents, x)
        if (logs or exponents.log == 0) and np.isfinite(values).all() and np.ptp(values) > 0:
            usable_terms.append(exponents)
    return tuple(usable_terms)
