"""Least squares: units of columns, columns of zeros, and columns that depend on each other."""

from __future__ import annotations

import numpy as np
import pytest

from splc.learning.stepwise.least_squares import least_squares


@pytest.mark.parametrize("power", [-120, -30, 30, 120])
def test_units_of_columns_do_not_matter(power: int) -> None:
    """A column in another unit has its coefficient in that unit, however large the unit is."""
    rng = np.random.default_rng(0)
    columns, target = rng.normal(size=(20, 3)), rng.normal(size=20)
    units = np.array([1.0, 10.0**power, 1.0])
    expected = np.linalg.solve(columns.T @ columns, columns.T @ target)
    np.testing.assert_allclose(least_squares(columns * units, target) * units, expected, rtol=1e-9)


def test_columns_without_information() -> None:
    """A column of zeros has the coefficient 0; equal columns share theirs, as in the fit of minimum norm."""
    one = np.array([1.0, 2.0, 2.0])
    found = least_squares(np.column_stack([one, np.zeros(3), 2 * one]), 6 * one)
    np.testing.assert_allclose(found, [3.0, 0.0, 1.5], atol=1e-12)
