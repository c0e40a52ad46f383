"""Exponents of PMNF terms x^power * log2(x)^log, and the sets of them that learners search."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from splc.errors import SpecError

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
