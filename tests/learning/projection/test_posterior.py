"""Cholesky factors by numpy and by scipy."""

from __future__ import annotations

import numpy as np
import pytest

from splc.learning.projection import posterior as module
from splc.types import Array

SIZES = [1, 2, 9, 50, 131, module.MAX_ROWS, module.MAX_ROWS + 1]


def positive(size: int) -> Array:
    """Return a positive definite matrix."""
    root = np.random.default_rng(size).normal(size=(size, size + 3))
    return np.asarray(root @ root.T / size)


@pytest.mark.parametrize("size", SIZES)
def test_factor_inverse_and_solutions(size: int) -> None:
    """The factor is lower triangular, its square is the matrix, and solutions are those of the factor."""
    matrix = positive(size)
    factor = module.cholesky_factor(matrix.copy())
    right = np.random.default_rng(1).normal(size=(size, 4))
    assert np.array_equal(factor, np.tril(factor))
    assert np.allclose(factor @ factor.T, matrix, rtol=1e-10)
    assert np.allclose(factor @ module.solved(factor, right), right)
    assert np.allclose(factor.T @ module.solved(factor, right[:, 0], transposed=True), right[:, 0])
    assert np.allclose(module.inverse(factor.copy()) @ matrix, np.eye(size), atol=1e-7)


@pytest.mark.parametrize("size", SIZES)
def test_indefinite_matrix(size: int) -> None:
    """A matrix that is not positive definite has no factor."""
    matrix = positive(size)
    matrix[-1, -1] = -1.0
    with pytest.raises(np.linalg.LinAlgError):
        module.cholesky_factor(matrix)
