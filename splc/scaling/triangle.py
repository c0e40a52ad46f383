"""Least squares fits of a few columns each, many at once, by modified Gram-Schmidt."""

from __future__ import annotations

import numpy as np

from splc.types import Array


def triangular(designs: Array, values: Array) -> tuple[Array, Array, Array]:
    """Fit values by columns.

    `designs`: shape (fits, columns, points); a column of zeros is none. `values`: shape (fits, points).

    Returns: the sums of squared residuals, shape (fits,); the coefficients, shape (fits, columns); and matrices whose
    Returns: length, shape (fits, columns, columns).
    """
    fits, size, _ = designs.shape
    # Columns by points by fits: sums over the points are fast.
    orthogonal, values = designs.transpose(1, 2, 0).copy(), np.ascontiguousarray(values.T)
    norms = np.sqrt(np.einsum("knf,knf->kf", orthogonal, orthogonal))
    present = norms > 0
    scales = np.where(present, norms, 1.0)
    orthogonal /= scales[:, None]
    factors, parts = np.zeros((size, size, fits)), np.empty((size, fits))
    factors[np.arange(size), np.arange(size)] = np.where(present, 1 / scales, 0.0)
    for column in range(size):
        direction, later = orthogonal[column], slice(column + 1, size)
        length = np.where(present[column], np.sqrt(dot(direction, direction)), 1.0)
        direction = direction / length
        factors[column] /= length
        parts[column] = dot(direction, values)
        values = values - direction * parts[column]
        if column + 1 < size:
            shared = np.einsum("nf,knf->kf", direction, orthogonal[later])[:, None]
            orthogonal[later] -= direction * shared
            factors[later] -= shared * factors[column]
    coefficients = np.einsum("kf,kcf->fc", parts, factors)
    return dot(values, values), coefficients, np.ascontiguousarray(factors.transpose(2, 0, 1))


def dot(first: Array, second: Array) -> Array:
    """Return the sums of products along the first axis, without storing the products."""
    return np.asarray(np.einsum("n...,n...->...", first, second))
