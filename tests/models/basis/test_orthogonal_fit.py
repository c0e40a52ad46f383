"""Fits that grow by a column at a time, and columns that depend on others."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from splc.models.basis.regression import OrthogonalFit, independent


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
