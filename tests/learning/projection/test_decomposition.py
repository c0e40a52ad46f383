"""Orthonormal decompositions of columns, and what is left of columns beside them."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from splc.learning.projection.decomposition import Decomposition, perpendicular, residual_norms


@given(st.integers(0, 2**32 - 1), st.integers(0, 12), st.floats(1e-3, 1e3))
def test_decomposition_grows_by_a_column(seed: int, columns: int, alike: float) -> None:
    """A decomposition with a further column is that of all columns, also where the column resembles the others."""
    rng = np.random.default_rng(seed)
    known = rng.standard_normal((30, columns))
    further = rng.standard_normal(30) + alike * known.sum(axis=1)
    found = Decomposition.of(known).extended(further)
    np.testing.assert_allclose(found.basis @ found.coordinates, np.column_stack([known, further]), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.basis.T @ found.basis, np.eye(columns + 1), atol=1e-12)
    np.testing.assert_allclose(found.coordinates @ found.inverse, np.eye(columns + 1), atol=1e-8)
    assert (np.tril(found.coordinates, -1) == 0).all()


@given(st.integers(0, 2**32 - 1), st.floats(1e-9, 1.0))
def test_rests_of_columns(seed: int, share: float) -> None:
    """The residual_norms of columns keep their digits where almost nothing is left."""
    rng = np.random.default_rng(seed)
    basis, _ = np.linalg.qr(rng.standard_normal((40, 6)))
    outside, _ = np.linalg.qr(perpendicular(rng.standard_normal((40, 3)), basis))
    inside = basis @ np.linalg.qr(rng.standard_normal((6, 3)))[0]
    columns = math.sqrt(1 - share) * inside + math.sqrt(share) * outside
    np.testing.assert_allclose(residual_norms(columns, basis), share, rtol=1e-6)
