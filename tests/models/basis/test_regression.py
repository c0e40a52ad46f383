"""Regression: units and dependent columns, standard errors, Student's t distribution, columns one at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtr, stdtrit

from splc.models.basis.regression import (
    MAX_FREEDOM,
    OrthogonalFit,
    Regression,
    independent,
    least_squares,
    sign_probability,
    t_quantile,
)

FREEDOM = np.array([*range(1, 12), 29, MAX_FREEDOM, MAX_FREEDOM + 1])


@pytest.mark.parametrize("probability", [0.55, 0.75, 0.95, 0.999])
def test_quantiles_are_those_of_scipy(probability: float) -> None:
    """Quantiles agree with scipy's for odd and even degrees of freedom, and beyond the largest sum."""
    found = [t_quantile(each, probability) for each in FREEDOM.tolist()]
    assert found == pytest.approx(stdtrit(FREEDOM, probability), rel=1e-10)


@pytest.mark.parametrize("ratio", [0.0, 0.01, 1.7, 30.0])
def test_probabilities_of_signs_are_those_of_scipy(ratio: float) -> None:
    """The probability of a sign is the distribution function at the value over its standard error."""
    found = [sign_probability(-2 * ratio, 2.0, each) for each in FREEDOM.tolist()]
    assert found == pytest.approx(stdtr(FREEDOM, ratio), rel=1e-10)


def test_signs_without_error() -> None:
    """A value without error has its sign, and 0 has none."""
    assert [sign_probability(each, 0.0) for each in (-1.0, 0.0, 2.0)] == [1.0, 0.5, 1.0]


def test_sums_that_rows_determine() -> None:
    """Equal columns share a coefficient that only their sum has; errors are those of the textbook, s^2 (X'X)^-1."""
    rng = np.random.default_rng(3)
    one, other = rng.standard_normal((2, 40))
    target = 2 * one + 3 * other + 0.1 * rng.standard_normal(40)
    found = Regression.of(np.column_stack([one, one, 1e6 * other]), target)
    plain = Regression.of(np.column_stack([one, other]), target)
    assert found.freedom == plain.freedom == 38
    assert found.determined.tolist() == [False, False, True]
    sums = np.array([[1.0, 1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 0.0, 1e6]])
    assert found.determines(sums).tolist() == [True, False, True]
    X = np.column_stack([one, other])
    residual = target - X @ plain.coefficients
    errors = np.sqrt(np.diag(np.linalg.inv(X.T @ X)) * (residual @ residual) / 38)
    np.testing.assert_allclose(plain.errors, errors, rtol=1e-9)
    # The sum of the shared coefficients is twice each of them in the fit of minimum norm.
    np.testing.assert_allclose(sums @ found.coefficients, [plain.coefficients[0], 0, plain.coefficients[1]], atol=1e-9)
    np.testing.assert_allclose(found.errors_of(sums[[0, 2]]), errors, rtol=1e-9)


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


@given(st.integers(0, 2**32 - 1), st.integers(0, 12), st.floats(1e-3, 1e3))
def test_growing_fit_is_that_of_all_columns(seed: int, columns: int, alike: float) -> None:
    """The fit of columns added one after the other is that of all, also where the last one resembles the others."""
    rng = np.random.default_rng(seed)
    known = rng.standard_normal((30, columns))
    whole = np.column_stack([known, rng.standard_normal(30) + alike * known.sum(axis=1)])
    fit = OrthogonalFit(rng.standard_normal(30))
    assert all(fit.add(column) for column in whole.T)
    np.testing.assert_allclose(fit.basis.T @ fit.triangle, whole, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(fit.basis @ fit.basis.T, np.eye(columns + 1), atol=1e-12)
    np.testing.assert_allclose(fit.target - fit.residual, whole @ fit.coefficients, atol=1e-8)
    np.testing.assert_allclose(whole.T @ fit.residual, 0, atol=1e-9 * np.abs(whole).sum())


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_rows_that_are_not_fitted(seed: int, columns: int) -> None:
    """They do not change the fit, which predicts them."""
    rng, fitted = np.random.default_rng(seed), np.arange(30) % 3 > 0
    whole, target = rng.standard_normal((30, columns)), rng.standard_normal(30)
    fit, alone = OrthogonalFit(target, fitted), OrthogonalFit(target[fitted])
    assert all(fit.add(column) and alone.add(column[fitted]) for column in whole.T)
    np.testing.assert_allclose(fit.coefficients, alone.coefficients, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(target - fit.residual, whole @ fit.coefficients, atol=1e-8)


@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 0.99))
def test_what_is_left_of_a_column_decides(seed: int, share: float) -> None:
    """A column is independent if more of its length than the limit is outside of the span of earlier ones."""
    rng = np.random.default_rng(seed)
    basis, _ = np.linalg.qr(rng.standard_normal((40, 7)))
    inside = basis[:, :6] @ np.linalg.qr(rng.standard_normal((6, 1)))[0]
    column = (1 - share**2) ** 0.5 * inside + share * basis[:, 6:]
    columns = np.column_stack([basis[:, :6], np.zeros(40), 1e5 * column])
    assert independent(columns, share * 1.001) == [*range(6)]
    assert independent(columns, share * 0.999) == [*range(6), 7]
