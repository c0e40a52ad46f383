"""Least squares fits of a few columns each, many at once, by modified Gram-Schmidt."""

from __future__ import annotations

import numpy as np

from splc.types import Array


def triangular(designs: Array, values: Array) -> tuple[Array, Array, Array]:
    """Fit values by columns.

    `designs`: shape (fits, columns, points); a column of zeros is none. `values`: shape (fits, points).

    Returns:
        the sums of squared residuals, shape (fits,); the coefficients, shape (fits, columns); and matrices whose
        products with a point's columns have the standard error of the fitted value there, per unit of noise, as their
        length, shape (fits, columns, columns).
    """
    fits, size, _ = designs.shape
    # Points first: sums over a first axis are fast.
    left, values = list(np.ascontiguousarray(designs.T.swapaxes(0, 1))), np.ascontiguousarray(values.T)
    norms = [np.sqrt(_dot(column, column)) for column in left]
    present = [norm > 0 for norm in norms]
    scales = [np.where(there, norm, 1.0) for there, norm in zip(present, norms, strict=True)]
    left = [column / scale for column, scale in zip(left, scales, strict=True)]
    factors, parts = np.zeros((size, size, fits)), np.empty((size, fits))
    for at in range(size):
        factors[at, at] = np.where(present[at], 1 / scales[at], 0.0)
    for at in range(size):
        own = left[at]
        length = np.where(present[at], np.sqrt(_dot(own, own)), 1.0)
        own = own / length
        factors[at] /= length
        parts[at] = _dot(own, values)
        values = values - own * parts[at]
        for later in range(at + 1, size):
            shared = _dot(own, left[later])
            left[later] = left[later] - own * shared
            factors[later] -= shared * factors[at]
    coefficients = np.einsum("kf,kcf->fc", parts, factors)
    return _dot(values, values), coefficients, np.ascontiguousarray(factors.transpose(2, 0, 1))


def _dot(first: Array, second: Array) -> Array:
    """Return the sums of products along the first axis."""
    return np.asarray(np.einsum("nf,nf->f", first, second))
