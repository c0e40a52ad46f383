"""Bounds of the values of terms, for too many combinations of option values to examine each of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from splc.models.terms import Exponent, Factor

# A combination of option values: position of the option → index of its value.
Combination = Mapping[int, int]


@dataclass(frozen=True)
class Extreme:
    """A bound of values."""

    value: float  # the bound
    at: Combination | None  # a combination with this value; None where none is known


@dataclass(frozen=True)
class Bounds:
    """The least and the greatest value."""

    low: Extreme
    high: Extreme

    def __mul__(self, other: Bounds) -> Bounds:
        """Return the bounds of the products; exact where the two do not depend on each other."""
        products = [_product(end, other_end) for end in (self.low, self.high) for other_end in (other.low, other.high)]
        return Bounds(min(products, key=_value), max(products, key=_value))

    def with_zero(self) -> Bounds:
        """Return the bounds, extended to include 0."""
        zero = Extreme(0.0, None)
        return Bounds(min(self.low, zero, key=_value), max(self.high, zero, key=_value))


ONE = Bounds(Extreme(1.0, {}), Extreme(1.0, {}))
UNBOUNDED = Bounds(Extreme(-math.inf, None), Extreme(math.inf, None))


def interval(low: float, high: float) -> Bounds:
    """Return bounds without known combinations; no bounds, where one is undefined."""
    return UNBOUNDED if math.isnan(low) or math.isnan(high) else Bounds(Extreme(low, None), Extreme(high, None))


def factor_bounds(low: float, high: float, factor: Factor) -> Bounds:
    """Return bounds of `x^power * log10(x)^log` for all x in an interval; no bounds, where it may have no value."""
    result = _power(low, high, factor.power)
    if factor.log != 0:
        if low <= 0:
            return UNBOUNDED
        result = result * _power(math.log10(low), math.log10(high), factor.log)
    return result


def exponential_bounds(base: tuple[float, float], exponent: tuple[float, float]) -> Bounds:
    """Return bounds of `x^y` for all x and y in intervals; no bounds, where x may be 0 or less."""
    if base[0] <= 0:
        return UNBOUNDED
    with np.errstate(all="ignore"):
        # Monotone in x and in y: the extremes are at corners.
        corners = np.power(np.array(base)[:, None], np.array(exponent))
    return interval(float(corners.min()), float(corners.max()))


def _power(low: float, high: float, power: Exponent) -> Bounds:
    """Return bounds of `x^power` for all x in an interval."""
    if power == 0:
        return ONE
    is_integer = isinstance(power, int)
    if (power < 0 and low <= 0 <= high) or (not is_integer and low < 0):
        return UNBOUNDED
    with np.errstate(all="ignore"):
        ends = np.power(np.array([low, high]), float(power))
    least = 0.0 if is_integer and power % 2 == 0 and low < 0 < high else float(ends.min())
    return interval(least, float(ends.max()))


def _product(first: Extreme, second: Extreme) -> Extreme:
    """Return the product of two extremes, reached where both are."""
    # A factor of 0 gives 0, even if the other one is infinite.
    value = 0.0 if 0 in (first.value, second.value) else first.value * second.value
    if first.at is None or second.at is None:
        return Extreme(value, None)
    apart = any(first.at[position] != second.at[position] for position in first.at.keys() & second.at.keys())
    return Extreme(value, None if apart else {**first.at, **second.at})


def _value(extreme: Extreme) -> float:
    return extreme.value
