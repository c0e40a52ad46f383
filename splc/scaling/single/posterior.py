"""The posterior of all hypotheses of the default learner for one parameter, fitted all at once.

Each hypothesis is fitted by least squares relative to the noise of each point. The columns are made orthogonal one
after the other (modified Gram-Schmidt), for all hypotheses and all quantities together. Unlike normal equations, this
keeps residuals exact to rounding, which distinguishes data without noise from data with little noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splc.scaling.evidence import (
    LOG_DENSITY,
    NEGATIVE_CONSTANT,
    NEGATIVE_TERM,
    NoiseEvidence,
    coefficient_density,
    log_excluded,
    never_negative,
)
from splc.scaling.single.hypotheses import HypothesisSpace
from splc.scaling.triangle import dot
from splc.types import Array

# Columns with a smaller part orthogonal to the others are taken as dependent.
_COLLINEAR = 1e-7
_ZERO, _ONE = np.zeros(()), np.ones(())
# The plausibility of hypotheses whose fit passes through the largest point for any value there: a term that only
# this point shows may be its noise, and is far off at larger ones. The whole factor holds from the second leverage on,
# and none up to the first.
_DECIDED, _LEVERAGES = 0.1, (0.9, 0.95)
_NEGATIVES = (NEGATIVE_CONSTANT, NEGATIVE_TERM, NEGATIVE_TERM)


@dataclass(frozen=True, eq=False)
class Posterior:
    """All hypotheses for a batch of quantities."""

    rows: Array  # the terms of each hypothesis and whether it has a constant, of the type `ROW`, shape (hypotheses,)
    sizes: Array  # number of coefficients, shape (hypotheses,)
    log_weights: Array  # unnormalised log posterior, shape (hypotheses, models)
    coefficients: Array  # constant, first and second, shape (3, hypotheses, models); 0 for none
    squares: Array  # sums of squared weighted residuals, shape (hypotheses, models)


def posterior(space: HypothesisSpace, values: Array, noise: NoiseEvidence) -> Posterior:
    """Return the posterior of all hypotheses.

    `values`: one value per point, shape (n, models). `noise`: the evidence on their noise.
    """
    weights = noise.weights.T
    with np.errstate(divide="ignore", invalid="ignore"):
        builder = _Builder(values * weights, weights, space, noise)
        builder.constant()
        if space.terms:
            builder.singles()
        if len(space.first):
            builder.doubles()
        log_weights = builder.log_weights + ((space.log_prior + LOG_DENSITY * space.sizes)[:, None] + noise.density)
        constant, first, second = builder.coefficients
        far = constant + first * space.far_first + second * space.far_second
    log_weights[never_negative(values.T) & (far < 0).any(axis=0)] += log_excluded(len(values))
    low, high = _LEVERAGES
    log_weights += np.log(_DECIDED) / (high - low) * (np.clip(builder.leverages, low, high) - low)
    return Posterior(space.rows, space.sizes, log_weights, builder.coefficients, builder.squares)


class _Builder:
    """Fits constants, single terms and pairs in turn; they share intermediate results."""

    def __init__(self, z: Array, weights: Array, space: HypothesisSpace, noise: NoiseEvidence) -> None:
        self.z, self.space, self.noise = z, space, noise
        shape = len(space.rows), z.shape[1]
        # Without the prior.
        self.log_weights, self.squares, self.coefficients = np.empty(shape), np.empty(shape), np.zeros((3, *shape))
        # Leverages of the largest point; 0 for constants, which no single point decides.
        self.leverages = np.zeros(shape)
        self.filled = 0
        self.ones, self.one_norm = _unit(weights)
        self.level = dot(self.ones, z)
        self.residuals = z - self.ones * self.level
        self.columns, self.norms = _unit(space.values.T[:, :, None] * weights[:, None, :])

    def constant(self) -> None:
        """Add the constant model."""
        self._add(self.residuals[:, None], 1, {0: (self.level, _ONE, self.one_norm)})

    def singles(self) -> None:
        """Add each term alone, and each with a constant."""
        self.size = dot(self.columns, self.z[:, None])
        self.term_residuals = self.z[:, None] - self.columns * self.size
        self._add(self.term_residuals, 1, {1: (self.size, _ONE, self.norms)}, leverage=self.columns[-1] ** 2)
        self.shared = dot(self.ones[:, None], self.columns)
        orthogonal = self.columns - self.ones[:, None] * self.shared
        self.orthogonal_norms, inverse = _length(orthogonal)
        self.orthogonal = orthogonal * inverse
        self.step = dot(self.orthogonal, self.residuals[:, None])
        self.both_residuals = self.residuals[:, None] - self.orthogonal * self.step
        if len(self.z) <= 2:
            return
        size, unit = self.step / self.orthogonal_norms, 1 / self.orthogonal_norms
        base = self.level - self.shared * size
        coefficients = {0: (base, unit, self.one_norm), 1: (size, unit, self.norms)}
        # Both errors contain one over the norm; the volume that they span contains it once.
        self._add(
            self.both_residuals,
            2,
            coefficients,
            unit,
            self.orthogonal_norms,
            self.ones[-1] ** 2 + self.orthogonal[-1] ** 2,
        )

    def doubles(self) -> None:
        """Add pairs of terms, and pairs with a constant."""
        i, j = self.space.first, self.space.second
        norms = _at(self.norms, i), _at(self.norms, j)
        shared, norm, step, residuals, leverage = _pairs(self.columns, self.term_residuals, i, j)
        second = step / norm
        first, unit = _at(self.size, i) - shared * second, 1 / norm
        self._add(residuals, 2, {1: (first, unit, norms[0]), 2: (second, unit, norms[1])}, unit, norm, leverage)
        if len(self.z) <= 3:
            return
        pair_norms, shares = (
            (_at(self.orthogonal_norms, i), _at(self.orthogonal_norms, j)),
            (_at(self.shared, i), _at(self.shared, j)),
        )
        shared, norm, step, residuals, leverage = _pairs(self.orthogonal, self.both_residuals, i, j)
        second = step / norm
        first = (_at(self.step, i) - shared * second) / pair_norms[0]
        unit_first, unit_second, second = (
            1 / (norm * pair_norms[0]),
            1 / (norm * pair_norms[1]),
            second / pair_norms[1],
        )
        base = self.level - shares[0] * first - shares[1] * second
        unit = np.sqrt(1 + (shares[0] * unit_first) ** 2 + (shares[1] * unit_second) ** 2)
        coefficients = {
            0: (base, unit, self.one_norm),
            1: (first, unit_first, norms[0]),
            2: (second, unit_second, norms[1]),
        }
        # The product of the errors, less the part that correlation removes.
        least_norm = np.minimum(norm, np.minimum(*pair_norms))
        self._add(
            residuals, 3, coefficients, unit_first * unit_second * norm, least_norm, self.ones[-1] ** 2 + leverage
        )

    def _add(
        self,
        residuals: Array,
        size: int,
        coefficients: dict[int, tuple[Array, Array, Array]],
        volume: Array = _ONE,
        least_norm: Array | None = None,
        leverage: Array = _ZERO,
    ) -> None:
        """Add hypotheses with `size` coefficients.

        `residuals`: shape (n, hypotheses, models). `coefficients`: position → a coefficient, its standard error per
        unit of noise, and the length of its column. `volume`: that of the errors. `least_norm`: the length of the
        smallest part of a column orthogonal to the others; None: there are no others. `leverage`: that of the largest
        point.
        """
        rows = slice(self.filled, self.filled + residuals.shape[1])
        self.filled = rows.stop
        self.leverages[rows] = leverage
        squares = np.einsum("nhm,nhm->hm", residuals, residuals, out=self.squares[rows])
        log_weights, noise = self.noise.judged(squares, len(self.z) - size)
        density = volume
        for position, (value, unit, norm) in coefficients.items():
            density = density * coefficient_density(value, unit, noise, _NEGATIVES[position])
            np.divide(value, norm, out=self.coefficients[position, rows])
        if least_norm is not None:
            density = np.where(least_norm > _COLLINEAR, density, 0.0)
        np.add(log_weights, np.log(density), out=self.log_weights[rows])


def _pairs(basis: Array, residuals: Array, i: Array, j: Array) -> tuple[Array, Array, Array, Array, Array]:
    """Fit the second terms of pairs to the residuals of the first ones.

    `basis`: unit columns, shape (n, terms, models). `residuals`: those of each single term, of the same shape.
    """
    first, second, second_residuals = _at(basis, i), _at(basis, j), _at(residuals, i)
    shared = dot(first, second)
    second -= first * shared
    norm, inverse = _length(second)
    step = dot(second, second_residuals) * inverse
    second_residuals -= second * (step * inverse)
    return shared, norm, step, second_residuals, first[-1] ** 2 + (second[-1] * inverse) ** 2


def _at(array: Array, places: Array) -> Array:
    """Return a copy of some terms of an array, whose terms are on the last axis but one."""
    return np.asarray(array.take(places, axis=-2))


def _unit(vectors: Array) -> tuple[Array, Array]:
    """Return vectors (first axis) of length 1, and their lengths."""
    length = np.sqrt(dot(vectors, vectors))
    return vectors / length, length


def _length(vectors: Array) -> tuple[Array, Array]:
    """Return the lengths of vectors (first axis), and one over each, 0 for columns that depend on others."""
    length = np.sqrt(dot(vectors, vectors))
    return length, np.where(length > _COLLINEAR, 1 / length, 0.0)
