"""Least squares with signs against scipy's, and against the conditions of an optimum."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from splc.learning.projection.nonnegative import nonnegative
from splc.types import Array


def problem(seed: int, columns: int) -> tuple[Array, Array, Array]:
    """Return random columns, a target, and which coefficients are free."""
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(columns + 12, columns)) + rng.normal(size=(columns + 12, 1))
    return matrix, rng.normal(size=len(matrix)), rng.random(columns) < 0.4


@given(st.integers(0, 10_000), st.integers(1, 9), st.booleans())
def test_same_as_nnls(seed: int, columns: int, warm: bool) -> None:
    """The coefficients are those of scipy's nnls with free columns entered twice, from any start."""
    matrix, target, free = problem(seed, columns)
    both, _ = nnls(np.hstack([matrix, -matrix[:, free]]), target)
    expected = both[:columns].copy()
    expected[free] -= both[columns:]
    start = np.abs(np.random.default_rng(seed).normal(size=columns)) if warm else None
    found = nonnegative(matrix.T @ matrix, matrix.T @ target, free, start)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert (found[~free] >= 0).all()


def test_nothing() -> None:
    """No columns have no coefficients, and a target of zero has coefficients of zero."""
    assert nonnegative(np.zeros((0, 0)), np.zeros(0), np.zeros(0, dtype=bool)).shape == (0,)
    assert (nonnegative(np.eye(2), np.zeros(2), np.array([True, False])) == 0).all()
