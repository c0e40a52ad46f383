"""The cells of a study's tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.io.tables import Spread
from splc.study.tables import spread

NUMBERS = st.floats(-1e9, 1e9)


@given(st.lists(NUMBERS, min_size=2, max_size=6, unique=True))
def test_spread(values: list[float]) -> None:
    """Several values have the mean and the sample standard deviation."""
    found = spread(values)
    assert isinstance(found, Spread)
    scale = max(map(abs, values))
    assert found.mean == pytest.approx(np.mean(values), rel=1e-9, abs=1e-9 * scale)
    assert found.deviation == pytest.approx(np.std(values, ddof=1), rel=1e-6, abs=1e-9 * scale)


@given(NUMBERS, st.integers(2, 5))
def test_spread_of_equal_values(value: float, number: int) -> None:
    """A single value is as it is; equal values have no deviation, to the last bit."""
    assert spread([value]) == value
    assert not isinstance(spread([value]), Spread)
    assert spread([value] * number) == Spread(value, 0.0)


@given(st.lists(NUMBERS, max_size=4), st.integers(0, 4))
def test_spread_of_undefined_values(values: list[float], place: int) -> None:
    """There is no mean of no values, of undefined ones, or of values whose sum is too large."""
    assert spread([]) is None
    assert spread([*values[:place], None, *values[place:]]) is None
    assert spread([1.7e308, 1.6e308]) is None
