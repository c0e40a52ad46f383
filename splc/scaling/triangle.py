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
    # Columns by points by fits: sums over the points are fast.
    left, values = designs.transpose(1, 2, 0).copy(), np.ascontiguousarray(values.T)
    norms = np.sqrt(np.einsum("knf,knf->kf", left, left))
    present = norms > 0
    scales = np.where(present, norms, 1.0)
    left /= scales[:, None]
    factors, parts = np.zeros((size, size, fits)), np.empty((size, fits))
    factors[np.arange(size), np.arange(size)] = np.where(present, 1 / scales, 0.0)
    for at in range(size):
        own, later = left[at], slice(at + 1, size)
        length = np.where(present[at], np.sqrt(_dot(own, own)), 1.0)
        own = own / length
        factors[at] /= length
        parts[at] = _dot(own, values)
        values = values - own * parts[at]
        if at + 1 < size:
            shared = np.einsum("nf,knf->kf", own, left[later])[:, None]
            left[later] -= own * shared
            factors[later] -= shared * factors[at]
    coefficients = np.einsum("kf,kcf->fc", parts, factors)
    return _dot(values, values), coefficients, np.ascontiguousarray(factors.transpose(2, 0, 1))


def _dot(first: Array, second: Array) -> Array:
    """Return the sums of products along the first axis."""
    return np.asarray(np.einsum("nf,nf->f", first, second))
