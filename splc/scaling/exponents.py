"""Exponents of PMNF terms x^power * log2(x)^log, the sets of them that learners search, and their values at points.

The values of terms at the measured points are the columns of design matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from splc.errors import SpecError
from splc.types import Array

Rational = Fraction | int | float | str


class Exponents(NamedTuple):
    """The exponents of x^power * log2(x)^log; both 0 is the constant."""

    power: Fraction
    log: Fraction

    @property
    def is_constant(self) -> bool:
        """True if the term is the constant 1."""
        return self.power == 0 and self.log == 0


CONSTANT = Exponents(Fraction(0), Fraction(0))


def exponents(power: Rational, log: Rational = 0) -> Exponents:
    """Return exponents as exact fractions; a float becomes the simplest fraction that rounds to it."""
    return Exponents(rational(power), rational(log))


def rational(value: Rational) -> Fraction:
    """Return a number, or text such as '2/3', as a fraction."""
    try:
        exact = Fraction(value)
    except (ValueError, TypeError, OverflowError, ZeroDivisionError):
        raise SpecError(f"{value!r} is not an exponent", hint="write a number or a fraction such as '2/3'") from None
    if isinstance(value, float):
        simple = exact.limit_denominator(1000)
        return simple if float(simple) == value else exact
    return exact


def grid(powers: Iterable[Rational], logs: Iterable[Rational]) -> tuple[Exponents, ...]:
    """Return all combinations of powers and logarithms except the constant, ordered by logarithm, then by power."""
    unique = sorted({rational(power) for power in powers})
    combinations = [Exponents(power, log) for log in sorted({rational(log) for log in logs}) for power in unique]
    return tuple(term for term in combinations if not term.is_constant)


def _of(*powers: str, logs: tuple[int, ...]) -> tuple[Exponents, ...]:
    return tuple(exponents(power, log) for power in powers for log in logs)


# Following the Blind Seer, section 4: the default search space of Extra-P when it was published.
PAPER = grid([Fraction(i, 4) for i in range(13)], [0, 1, 2])

# Extra-P 4.2.5, in its order: of equal hypotheses the first one wins.
EXTRAP = (
    *_of("0", logs=(1, 2)),
    *_of("1/4", "1/3", "1/2", "2/3", "3/4", "1", "3/2", "2", "5/2", logs=(0, 1, 2)),
    *_of("5/4", "4/3", "3", logs=(0, 1)),
    *_of("4/5", "5/3", "7/4", "9/4", "7/3", "8/3", "11/4", logs=(0,)),
)

# Strong scaling: work that n processes share.
FALLING = (
    *_of("-1", "-1/2", "-2", "-1/3", "-2/3", "-3/2", "-3", "-1/4", "-3/4", logs=(0,)),
    *_of("-1", "-1/2", "-2", logs=(1,)),
)

SETS = {"paper": PAPER, "extrap": EXTRAP}


# A product of one factor per parameter.
Product = tuple[Exponents, ...]


def column(exponents: Exponents, x: Array) -> Array:
    """Return x^power * log2(x)^log, with x's shape; not finite where it is not defined."""
    return power_columns(np.array(float(exponents.power)), np.array(float(exponents.log)), x)


def columns(terms: Sequence[Exponents], x: Array) -> Array:
    """Return the columns of terms of one parameter, shape (terms, n)."""
    return power_columns(*exponent_columns(terms), x)


def exponent_columns(terms: Sequence[Exponents]) -> tuple[Array, Array]:
    """Return the powers and the powers of logarithms of terms as numbers, each of shape (terms, 1)."""
    numbers = np.array([(float(term.power), float(term.log)) for term in terms]).reshape(-1, 2).T[:, :, None]
    return numbers[0], numbers[1]


def power_columns(powers: Array, logs: Array, x: Array) -> Array:
    """Return x^power * log2(x)^log for exponents that are broadcast to x; not finite where not defined."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        values = np.where(powers == 0, 1.0, np.power(x, powers))
        # In this order: 0 * inf, at x = 0, is not defined.
        return np.asarray(np.where(logs == 0, values, values * np.power(np.log2(x), logs)))


def hypothesis_columns(factors: Sequence[tuple[Array, Array, Array | float, Array]]) -> Callable[[Array], Array]:
    """Return points (n, parameters) → the columns of hypotheses, (hypotheses, most columns, n).

    Each is a product of one factor per parameter. `factors`: of each parameter the exponents of terms and the divisors
    of their values, shape (terms, 1), and the term of each column as a position, -1 for the factor 1.
    """
    tables = []
    for powers, logs, sizes, places in factors:
        table = np.zeros((3, len(powers) + 1, 1))
        table[0, :-1], table[1, :-1], table[2, :-1], table[2, -1] = powers, logs, sizes, 1.0
        tables.append((*table, np.where(places < 0, len(powers), places)))

    def values(points: Array) -> Array:
        columns = np.ones(1)
        with np.errstate(invalid="ignore", over="ignore"):
            for (powers, logs, sizes, places), x in zip(tables, points.T, strict=True):
                columns = columns * (power_columns(powers, logs, x) / sizes)[places]
        return columns

    return values


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
    """Return the terms that have a finite value at each x and several values, in their order.

    Logarithms are left out where some x is below 1, where their sign changes (Extra-P's rule).
    """
    logs = bool((x >= 1).all())
    usable_terms = []
    for exponents in terms:
        values = column(exponents, x)
        if (logs or exponents.log == 0) and np.isfinite(values).all() and np.ptp(values) > 0:
            usable_terms.append(exponents)
    return tuple(usable_terms)
