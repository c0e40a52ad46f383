"""Least squares fits of many hypotheses at once, with their evidence.

Columns are made orthogonal one after the other (modified Gram-Schmidt), for all hypotheses and quantities together.
Unlike normal equations, this keeps residuals exact to rounding, which distinguishes data without noise from data with
little noise. Of very many hypotheses the implausible ones are dropped by normal equations first, which only need inner
products.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from splc.scaling.evidence import LOG_DENSITY, NoiseEvidence, coefficient_density
from splc.types import Array

# Columns with a smaller part orthogonal to the others are taken as dependent: for columns themselves, and for their
# inner products, in which half of the digits are lost.
_COLLINEAR, _COLLINEAR_PRODUCTS = 1e-7, 1e-6
_ROUNDING = 1e-9  # smaller residuals, relative to the values, may be rounding of the normal equations

# The rows and columns of a triangle → its numbers, an array of fits each.
Triangle = dict[tuple[int, int], Array]


@dataclass(frozen=True, eq=False)
class Fits:
    """Fits of hypotheses with the same number of coefficients; all arrays have the same shape."""

    log_weights: Array  # log evidence; -inf for columns that depend on each other
    squares: Array  # sums of squared weighted residuals
    coefficients: tuple[Array, ...]  # one array per coefficient, for columns of length 1; not finite if dependent
    unsure: Array  # whether residuals may be rounding
    negative: Array  # whether a coefficient is negative


def dot(first: Array, second: Array) -> Array:
    """Return the sums of products along the first axis, without storing the products."""
    return np.asarray(np.einsum("n...,n...->...", first, second))


@dataclass(frozen=True, eq=False)
class Orthogonal:
    """Values fitted by columns, by way of an orthonormal basis of these; points are the first axis of all arrays."""

    residuals: Array  # the values less the fitted ones
    basis: tuple[Array, ...] = ()  # the directions that the columns add; 0 for one that depends on those before it
    upper: Triangle = field(default_factory=dict)  # the columns in terms of the basis
    components: tuple[Array, ...] = ()  # the values in terms of the basis

    def extended(self, column: Array) -> Orthogonal:
        """Return the fits with one more column, of length 1; further axes are broadcast."""
        size = len(self.basis)
        upper = dict(self.upper)
        for i, direction in enumerate(self.basis):
            upper[i, size] = dot(direction, column)
            column = column - direction * upper[i, size]
        upper[size, size] = np.sqrt(dot(column, column))
        column = column * _reciprocal(upper[size, size])
        component = dot(column, self.residuals)
        residuals = self.residuals - column * component
        return Orthogonal(residuals, (*self.basis, column), upper, (*self.components, component))

    def take(self, places: Array) -> Orthogonal:
        """Return some of the fits, as positions on the last axis but one."""

        def some(array: Array) -> Array:
            return array if array.shape[-2] == 1 else np.asarray(array.take(places, axis=-2))

        upper = {at: some(array) for at, array in self.upper.items()}
        return Orthogonal(some(self.residuals), tuple(map(some, self.basis)), upper, tuple(map(some, self.components)))

    @property
    def squares(self) -> Array:
        """The sums of squared residuals."""
        return dot(self.residuals, self.residuals)


def _reciprocal(lengths: Array) -> Array:
    """Return one over lengths, 0 for columns that depend on others."""
    return np.where(lengths > _COLLINEAR, 1 / np.maximum(lengths, _COLLINEAR), 0.0)


def _inverse(upper: Triangle, size: int) -> Triangle:
    inverse: Triangle = {}
    for j in range(size):
        inverse[j, j] = _reciprocal(upper[j, j])
        for i in range(j):
            inverse[i, j] = -inverse[j, j] * reduce(np.add, (inverse[i, k] * upper[k, j] for k in range(i, j)))
    return inverse


def triangular(designs: Array, values: Array) -> tuple[Array, Array, Array]:
    """Fit values (fits, points) by columns (fits, columns, points); a column of zeros is none.

    Returns the sums of squared residuals, the coefficients, and matrices whose products with a point's columns have the
    standard error of the fitted value there, per unit of noise, as their length, shape (fits, columns, columns).
    """
    fits, size, _ = designs.shape
    # Columns by points by fits: sums over the points are fast.
    columns = designs.transpose(1, 2, 0).copy()
    lengths = np.sqrt(np.einsum("knf,knf->kf", columns, columns))
    units = np.where(lengths > 0, lengths, 1.0)
    columns /= units[:, None]
    fit = reduce(Orthogonal.extended, columns, Orthogonal(np.ascontiguousarray(values.T)))
    factors = np.zeros((fits, size, size))
    for (i, j), part in _inverse(fit.upper, size).items():
        factors[:, j, i] = part / units[i]
    return fit.squares, np.einsum("kf,fkc->fc", np.array(fit.components), factors), factors


def fitted_exactly(columns: Sequence[Array], values: Array, noise: NoiseEvidence, models: Array | None = None) -> Fits:
    """Fit weighted values by columns of length 1; `models`: the quantity of each, see `NoiseEvidence.judged`."""
    fit = reduce(Orthogonal.extended, columns, Orthogonal(values))
    return judged(fit.upper, fit.components, fit.squares, noise, models)


def fitted_roughly(products: Array, masks: Array, noise: NoiseEvidence, models: Array) -> Fits:
    """Fit every combination (row of `masks`) to every choice of terms, by normal equations: (combinations, choices).

    `products`: inner products of columns of length 1, the last one being the values, (columns, columns, choices).
    """
    upper: Triangle = {}
    components: list[Array] = []
    squares = squared_length = products[-1, -1]
    with np.errstate(divide="ignore", invalid="ignore"):
        for j in range(masks.shape[1]):
            for i in range(j):
                inner_product = products[masks[:, i], masks[:, j]]
                for k in range(i):
                    inner_product = inner_product - upper[k, i] * upper[k, j]
                upper[i, j] = inner_product / upper[i, i]
            squared_norm, component = products[masks[:, j], masks[:, j]], products[masks[:, j], -1]
            for k in range(j):
                squared_norm = squared_norm - upper[k, j] ** 2
                component = component - upper[k, j] * components[k]
            upper[j, j] = np.sqrt(np.maximum(squared_norm, 0.0))
            components.append(component / upper[j, j])
            squares = squares - components[j] ** 2
    unsure = ~(squares > _ROUNDING * squared_length)
    return judged(upper, components, np.maximum(squares, 0.0), noise, models, unsure, _COLLINEAR_PRODUCTS)


def judged(
    upper: Triangle,
    components: Sequence[Array],
    residual_squares: Array,
    noise: NoiseEvidence,
    models: Array | None = None,
    unsure: Array | bool = False,
    collinear: float = _COLLINEAR,
) -> Fits:
    """Return fits from the triangle of their columns, the values' components along the basis, and the residuals."""
    size = len(components)
    squares = np.where(np.isfinite(residual_squares), residual_squares, 0.0)
    log_weights, deviation = noise.judged(squares, max(noise.weights.shape[1] - size, 0), models)
    coefficients = []
    density: Array = np.ones(())
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        inverse = _inverse(upper, size)
        for i in range(size):
            value = reduce(np.add, (inverse[i, j] * components[j] for j in range(i, size)))
            error = np.sqrt(reduce(np.add, (inverse[i, j] ** 2 for j in range(i, size))))
            # Common parts of the errors of coefficients count once: the volume that the columns span.
            density = density * coefficient_density(value, error * deviation) * inverse[i, i]
            coefficients.append(value)
        log_weights = log_weights + (np.log(density) + size * LOG_DENSITY)
    independent = reduce(np.minimum, (upper[j, j] for j in range(size))) > collinear
    weights = np.where(independent & np.isfinite(log_weights), log_weights, -np.inf)
    return Fits(weights, squares, tuple(coefficients), unsure & independent, np.min(coefficients, axis=0) < 0)
