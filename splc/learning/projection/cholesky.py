"""Cholesky factors of kernels: by numpy for few rows, where importing scipy takes longer than it saves.

numpy has no functions for triangular matrices. The diagonal blocks of a factor are triangular, too: recursive halving
leaves matrix products, which are as fast as LAPACK, and small triangles. Both ways give the same numbers except for
roundoff.
"""

from __future__ import annotations

import numpy as np

from splc.types import Array

# Rows up to which numpy is about as fast.
MAX_ROWS = 300
# Triangles of at most this size are not divided.
_SMALL = 48


def needs_scipy(rows: int) -> bool:
    """Return whether matrices of that many rows are for scipy."""
    return rows > MAX_ROWS


def cholesky_factor(matrix: Array) -> Array:
    """Return the lower factor of a symmetric matrix, which is overwritten."""
    if not needs_scipy(len(matrix)):
        return np.linalg.cholesky(matrix)
    from scipy.linalg import lapack

    # The transpose is in LAPACK's order of elements, so that nothing is copied.
    factor, failed = lapack.dpotrf(matrix.T, lower=1, overwrite_a=1)
    if failed:
        raise np.linalg.LinAlgError("not positive definite")
    return np.asarray(factor)


def inverse(factor: Array) -> Array:
    """Return the inverse of the matrix with this factor, which is overwritten."""
    if not needs_scipy(len(factor)):
        root = _inverse_of_factor(factor)
        return np.asarray(root.T @ root)
    from scipy.linalg import lapack

    lower, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    # Above the diagonal there are zeros.
    symmetric: Array = lower + lower.T
    symmetric.flat[:: len(symmetric) + 1] /= 2
    return symmetric


def solved(factor: Array, right: Array, *, transposed: bool = False) -> Array:
    """Return L^-1 b for a factor L and columns b, or L'^-1 b."""
    if not needs_scipy(len(factor)):
        return _solve(factor, right, transposed)
    from scipy.linalg import solve_triangular

    return np.asarray(solve_triangular(factor, right, trans="T" if transposed else "N", lower=True, check_finite=False))


def negative_evidence(matrix: Array, z: Array) -> tuple[float, Array] | None:
    """Return the negative log evidence of targets, without the constant, and its derivative by the covariance.

    `matrix`: the covariance of the targets K, shape (n, n), which is overwritten. `z`: the targets, shape (n,).
    """
    try:
        factor = cholesky_factor(matrix)
    except np.linalg.LinAlgError:
        return None
    value = float(np.log(np.diag(factor)).sum())
    slopes = inverse(factor)
    v = slopes @ z
    value += float(z @ v) / 2
    slopes -= np.outer(v, v)
    slopes /= 2
    return value, slopes


def _inverse_of_factor(factor: Array) -> Array:
    if len(factor) <= _SMALL:
        return np.asarray(np.linalg.inv(factor))
    half = len(factor) // 2
    result = np.zeros_like(factor)
    result[:half, :half] = _inverse_of_factor(factor[:half, :half])
    result[half:, half:] = _inverse_of_factor(factor[half:, half:])
    result[half:, :half] = -result[half:, half:] @ (factor[half:, :half] @ result[:half, :half])
    return result


def _solve(factor: Array, right_side: Array, transposed: bool) -> Array:
    if len(factor) <= _SMALL:
        return np.asarray(np.linalg.solve(factor.T if transposed else factor, right_side))
    half = len(factor) // 2
    upper, corner, lower = (
        factor[:half, :half],
        factor[half:, :half],
        factor[half:, half:],
    )
    if transposed:
        last = _solve(lower, right_side[half:], transposed)
        first = _solve(upper, right_side[:half] - corner.T @ last, transposed)
    else:
        first = _solve(upper, right_side[:half], transposed)
        last = _solve(lower, right_side[half:] - corner @ first, transposed)
    return np.concatenate([first, last])
