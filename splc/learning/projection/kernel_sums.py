"""Weighted sums of the kernel over measured configurations, which are the means of the full model.

The kernel itself is not stored: its parts are summed block by block, with as few passes over each block as possible.
"""

from __future__ import annotations

import numpy as np

from splc.learning.projection.kernel import FAST, Hyperparameters, KernelDesign
from splc.types import Array

# Elements of a kernel that are computed at a time, so that they stay in the processor's cache.
BLOCK = 2**15


def kernel_sums(theta: Hyperparameters, weights: Array, first: KernelDesign, second: KernelDesign) -> Array:
    """Return the weights, shape (n,), times the kernel between n and m configurations, shape (m,)."""
    rho, relevances = theta.interaction, theta.relevances[first.relevances]
    begins = np.array(first.starts[:-1], dtype=int)
    fast = first.signs & second.signs & (rho * relevances[begins] < FAST)
    signs = begins[fast]
    strengths = rho * relevances[signs]
    a, b = first.columns, second.columns
    # 1 + c s = exp(ln(1 - c^2)/2 + s artanh c) for s = ±1.
    constant = np.full(len(a), np.log1p(-(strengths**2)).sum() / 2)
    exponent = _augmented(a[:, signs] * np.arctanh(strengths), constant, b[:, signs])
    spans = [slice(first.starts[block], first.starts[block + 1]) for block in np.flatnonzero(~fast)]
    weighted = a * relevances
    factors = [_augmented(rho * weighted[:, span], np.ones(len(a)), b[:, span]) for span in spans]
    # 3 w D, whose square root is the argument of the Matern-3/2 function.
    scale = 3 * theta.width
    first_squares, second_squares = scale * (weighted * a).sum(axis=1), scale * (relevances * b**2).sum(axis=1)
    distances = _augmented(-2 * scale * weighted, first_squares, b, second_squares)
    sums = np.full(len(b), (1 - 1 / rho) * weights.sum())
    rows = max(BLOCK // max(len(b), 1), 1)
    spaces = np.empty((2, rows, len(b)))
    for start in range(0, len(a), rows):
        block = slice(start, start + rows)
        values, buffer = spaces[:, : len(weights[block])]
        np.exp(np.matmul(exponent[0][block], exponent[1], out=values), out=values)
        for first_factor, second_factor in factors:
            values *= np.matmul(first_factor[block], second_factor, out=buffer)
        sums += weights[block] / rho @ values
        np.matmul(distances[0][block], distances[1], out=values)
        np.sqrt(np.maximum(values, 0.0, out=values), out=values)
        np.exp(np.negative(values, out=buffer), out=buffer)
        values += 1
        values *= buffer
        sums += weights[block] * theta.stationary @ values
    return sums


def _augmented(
    first_columns: Array, added: Array, second_columns: Array, second_addend: Array | None = None
) -> tuple[Array, Array]:
    """Return the factors of `left @ right.T + added[:, None] + further`, shapes (n, k) and (k, m)."""
    columns = [added] if second_addend is None else [added, np.ones(len(first_columns))]
    rows = [np.ones(len(second_columns))] if second_addend is None else [np.ones(len(second_columns)), second_addend]
    return np.column_stack([first_columns, *columns]), np.ascontiguousarray(np.column_stack([second_columns, *rows]).T)
