"""Bounds of factors and products over intervals of values."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling.space.bounds import UNBOUNDED, factor_bounds, interval
from splc.models.terms import Factor, Term


@given(
    st.floats(-20, 20),
    st.floats(0, 20),
    st.builds(Factor, st.just("x"), st.sampled_from([0, 1, 2, 3, -1, -2]), st.sampled_from([0, 1, 2, -1])),
)
def test_bounds_of_factors_hold_between_the_ends(low: float, width: float, factor: Factor) -> None:
    """No value of a factor within an interval lies outside of its bounds."""
    high = low + width
    assume(factor.power != 0 or factor.log != 0)
    found = factor_bounds(low, high, factor)
    x = np.linspace(low, high, 41)
    values = Term((factor,)).evaluate(lambda _: x)
    values = values[np.isfinite(values)]
    slack = 1e-9 * (1 + np.abs(values))
    assert (values >= found.low.value - slack).all()
    assert (values <= found.high.value + slack).all()


@pytest.mark.parametrize(
    ("low", "high", "power", "log", "least", "greatest"),
    [
        (-3.0, 2.0, 2, 0, 0.0, 9.0),
        (-3.0, 2.0, 3, 0, -27.0, 8.0),
        (-3.0, 0.0, -1, 0, -math.inf, math.inf),
        (0.0, 3.0, -2, 0, -math.inf, math.inf),
        (2.0, 4.0, -1, 0, 0.25, 0.5),
        (-4.0, -2.0, -1, 0, -0.5, -0.25),
        (-1.0, 4.0, Fraction(1, 2), 0, -math.inf, math.inf),
        (1.0, 4.0, Fraction(1, 2), 0, 1.0, 2.0),
        (0.25, 4.0, Fraction(1, 2), 0, 0.5, 2.0),
        (0.0, 4.0, Fraction(1, 2), 0, 0.0, 2.0),
        (0.25, 4.0, Fraction(-1, 2), 0, 0.5, 2.0),
        (0.1, 100.0, 0, 2, 0.0, 4.0),
        (0.0, 100.0, 0, 1, -math.inf, math.inf),
        (10.0, 100.0, 1, 1, 10.0, 200.0),
    ],
)
def test_bounds_of_factors_are_tight(
    low: float, high: float, power: int | Fraction, log: int, least: float, greatest: float
) -> None:
    """Powers and logarithms have the bounds of calculus, or none where they may have no value."""
    found = factor_bounds(low, high, Factor("x", power, log))
    assert (found.low.value, found.high.value) == pytest.approx((least, greatest))


def test_nothing_times_something_unbounded_is_nothing() -> None:
    """Products with 0 are 0, not undefined, whatever the other factor is."""
    zero = interval(0.0, 0.0) * UNBOUNDED
    assert (zero.low.value, zero.high.value) == (0.0, 0.0)
    half = interval(0.0, 2.0) * UNBOUNDED
    assert (half.low.value, half.high.value) == (-math.inf, math.inf)
