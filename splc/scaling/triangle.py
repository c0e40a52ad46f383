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
    left = list(np.moveaxis(designs, 1, 0))
    norms = np.sqrt(np.einsum("cfn,cfn->cf", left, left))
    scales = np.where(norms > 0, norms, 1.0)
    left = [column / scale[:, None] for column, scale in zip(left, scales, strict=True)]
    factors = np.zeros((fits, size, size))
    parts = np.empty((fits, size))
    for at in range(size):
        factors[:, at, at] = np.where(norms[at] > 0, 1 / scales[at], 0.0)
    for at in range(size):
        own = left[at]
        length = np.sqrt(np.einsum("fn,fn->f", own, own))
        length = np.where(norms[at] > 0, length, 1.0)
        own = own / length[:, None]
        factors[:, at] /= length[:, None]
        parts[:, at] = np.einsum("fn,fn->f", own, values)
        values = values - own * parts[:, at, None]
        for later in range(at + 1, size):
            shared = np.einsum("fn,fn->f", own, left[later])
            left[later] = left[later] - own * shared[:, None]
            factors[:, later] -= shared[:, None] * factors[:, at]
    return np.einsum("fn,fn->f", values, values), np.einsum("fk,fkc->fc", parts, factors), factors
