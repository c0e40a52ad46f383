"""Least squares fits of many combinations of products at once, with their evidence.

All are fitted by their normal equations first, which only need inner products and suffice to drop implausible
hypotheses. The others are fitted again by modified Gram-Schmidt, whose residuals are exact to rounding, which
distinguishes data without noise from data with little noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splc.scaling.evidence import LOG_DENSITY, NEGATIVE_CONSTANT, NEGATIVE_TERM, NoiseEvidence, coefficient_density
from splc.types import Array

# Columns with a smaller part orthogonal to the others are taken as dependent: for columns themselves, and for their
# inner products, in which half of the digits are lost.
_COLLINEAR, _COLLINEAR_PRODUCTS = 1e-7, 1e-6
# Smaller residuals, relative to the values, may be rounding of the normal equations.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Fits:
    """Fits of hypotheses with the same number of coefficients; all arrays have the same shape."""

    log_weights: Array  # log evidence; -inf for columns that depend on each other
    squares: Array  # sums of squared weighted residuals
    # one array per coefficient, for columns of length 1; not finite for some that depend on each other
    coefficients: tuple[Array, ...]
    unsure: Array  # whether residuals may be rounding
    negative: Array  # whether a coefficient is negative


def fitted_roughly(products: Array, masks: Array, constant: bool, noise: NoiseEvidence, models: Array) -> Fits:
    """Fit every combination (row of `masks`) to every choice of terms, by normal equations: (combinations, choices).

    `products`: inner products of columns of length 1, the last one being the values, (columns, columns, choices).
    """
    size = masks.shape[1]
    upper: dict[tuple[int, int], Array] = {}
    steps: list[Array] = []
    squared_length = products[-1, -1]
    squares = squared_length
    with np.errstate(divide="ignore", invalid="ignore"):
        for j in range(size):
            for i in range(j):
                inner_product = products[masks[:, i], masks[:, j]]
                for k in range(i):
                    inner_product = inner_product - upper[k, i] * upper[k, j]
                upper[i, j] = inner_product / upper[i, i]
            squared_norm = products[masks[:, j], masks[:, j]]
            step = products[masks[:, j], -1]
            for k in range(j):
                squared_norm = squared_norm - upper[k, j] ** 2
                step = step - upper[k, j] * steps[k]
            upper[j, j] = np.sqrt(np.maximum(squared_norm, 0.0))
            steps.append(step / upper[j, j])
            squares = squares - steps[j] ** 2
    unsure = ~(squares > _ROUNDING * squared_length)
    return _judged(upper, steps, np.maximum(squares, 0.0), unsure, constant, noise, models, _COLLINEAR_PRODUCTS)


def fitted_exactly(columns: Array, constant: bool, noise: NoiseEvidence, models: Array) -> Fits:
    """Fit hypotheses by modified Gram-Schmidt to columns of length 1 and, last, values, (n, size + 1, hypotheses)."""
    size = columns.shape[1] - 1
    residuals = columns[:, size]
    basis: list[Array] = []
    upper: dict[tuple[int, int], Array] = {}
    steps = []
    for j in range(size):
        column = columns[:, j]
        for i in range(j):
            upper[i, j] = (basis[i] * column).sum(axis=0)
            column = column - basis[i] * upper[i, j]
        upper[j, j] = np.sqrt((column**2).sum(axis=0))
        with np.errstate(divide="ignore"):
            column = column * np.where(upper[j, j] > _COLLINEAR, 1 / upper[j, j], 0.0)
        basis.append(column)
        steps.append((column * residuals).sum(axis=0))
        residuals = residuals - column * steps[j]
    squares = (residuals**2).sum(axis=0)
    return _judged(upper, steps, squares, np.zeros(squares.shape, dtype=bool), constant, noise, models, _COLLINEAR)


def _judged(
    upper: dict[tuple[int, int], Array],
    steps: list[Array],
    residual_squares: Array,
    unsure: Array,
    constant: bool,
    evidence: NoiseEvidence,
    models: Array,
    collinear: float,
) -> Fits:
    """Return fits from the triangle of their columns, the values' components along the basis, and the residuals."""
    size = len(steps)
    squares = np.where(np.isfinite(residual_squares), residual_squares, 0.0)
    points = evidence.weights.shape[1]
    log_weights, noise = evidence.judged(squares, max(points - size, 0), models)
    coefficients = []
    density: Array = np.ones(())
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        inverse: dict[tuple[int, int], Array] = {}
        for j in range(size):
            inverse[j, j] = 1 / upper[j, j]
            for i in range(j):
                part = inverse[i, i] * upper[i, j]
                for k in range(i + 1, j):
                    part = part + inverse[i, k] * upper[k, j]
                inverse[i, j] = -part * inverse[j, j]
        for i in range(size):
            value, variance = inverse[i, i] * steps[i], inverse[i, i] ** 2
            for j in range(i + 1, size):
                value, variance = value + inverse[i, j] * steps[j], variance + inverse[i, j] ** 2
            unit = np.sqrt(variance)
            negative = NEGATIVE_CONSTANT if constant and i == 0 else NEGATIVE_TERM
            # Common parts of the errors of coefficients count once: the volume that the columns span.
            density = density * coefficient_density(value, unit, noise, negative) * inverse[i, i]
            coefficients.append(value)
        log_weights = log_weights + (np.log(density) + size * LOG_DENSITY)
    least = upper[0, 0]
    for j in range(1, size):
        least = np.minimum(least, upper[j, j])
    fine = (least > collinear) & np.isfinite(log_weights)
    negative = np.min(coefficients, axis=0) < 0
    weights = np.where(fine, log_weights, -np.inf)
    return Fits(weights, squares, tuple(coefficients), unsure & (least > collinear), negative)
