"""The posterior of all hypotheses of the default learner for one parameter, fitted all at once.

Each hypothesis is fitted by least squares relative to the noise of each point. The columns are made orthogonal one
after the other (modified Gram-Schmidt), for all hypotheses and all quantities together. Unlike normal equations, this
keeps residuals exact to rounding, which distinguishes data without noise from data with little noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splc.scaling.evidence import NEGATIVE_CONSTANT, NEGATIVE_FAR, NEGATIVE_TERM, NoiseEvidence, log_coefficient
from splc.scaling.single.hypotheses import CONSTANT_SHARE, NO_CONSTANT_SHARE, HypothesisSpace
from splc.types import Array

# Columns with a smaller part orthogonal to the others are taken as dependent.
_COLLINEAR = 1e-7
_ONE = np.ones(())


@dataclass(frozen=True, eq=False)
class Posterior:
    """All hypotheses for a batch of quantities.

    Attributes:
        first, second: terms of each hypothesis as positions in the space, -1 for none, shape (hypotheses,).
        log_weights: unnormalised log posterior, shape (hypotheses, models).
        coefficients: constant, first and second, shape (3, hypotheses, models); 0 for none.
        squares: sums of squared weighted residuals, shape (hypotheses, models).
        sizes: number of coefficients, shape (hypotheses,).
    """

    first: Array
    second: Array
    log_weights: Array
    coefficients: Array
    squares: Array
    sizes: Array


def posterior(among: HypothesisSpace, values: Array, noise: NoiseEvidence) -> Posterior:
    """Return the posterior of all hypotheses.

    `values`: one value per point, shape (n, models). `noise`: what is known about their noise.
    """
    weights = noise.weights.T
    builder = _Builder(values * weights, weights, among.values, noise)
    builder.constant()
    if among.terms:
        builder.singles(among)
    if len(among.first):
        builder.doubles(among)
    found = builder.result(noise.density)
    negative = (values > 0).all(axis=0) & (_far(among, found) < 0)
    found.log_weights[negative] += np.log(NEGATIVE_FAR)
    return found


def _far(among: HypothesisSpace, found: Posterior) -> Array:
    """Return the values at four times the largest point, shape (hypotheses, models)."""
    known = np.append(among.far, 0.0)[:, None]
    constant, first, second = found.coefficients
    return np.asarray(constant + first * known[found.first] + second * known[found.second])


class _Builder:
    """Fits constants, single terms and pairs in turn; they share intermediate results."""

    def __init__(self, z: Array, weights: Array, terms: Array, noise: NoiseEvidence) -> None:
        self.z, self.noise, self.distinct = z, noise, len(z)
        self.parts: list[tuple[Array, Array, Array, tuple[Array, Array, Array], Array, Array]] = []
        self.ones, self.one_norm = _unit(weights)
        self.level = _dot(self.ones, z)
        self.rest = z - self.ones * self.level
        self.columns, self.norms = _unit(terms.T[:, :, None] * weights[:, None, :])

    def constant(self) -> None:
        """Add the constant model."""
        noise, log_weight = self._judged(self.rest[:, None, :], 1)
        log_weight = log_weight + np.log(CONSTANT_SHARE) + log_coefficient(self.level, _ONE, noise, NEGATIVE_CONSTANT)
        none = np.array([-1])
        level = (self.level / self.one_norm)[None]
        self._add(none, none, log_weight, (level, 0.0 * level, 0.0 * level), 1)

    def singles(self, among: HypothesisSpace) -> None:
        """Add each term alone, and each with a constant."""
        prior = among.single[:, None]
        each, none = np.arange(len(among.terms)), np.full(len(among.terms), -1)
        self.size = _dot(self.columns, self.z[:, None])
        noise, log_weight = self._judged(self.z[:, None] - self.columns * self.size, 1)
        log_weight = log_weight + prior + np.log(NO_CONSTANT_SHARE)
        log_weight = log_weight + log_coefficient(self.size, _ONE, noise, NEGATIVE_TERM)
        zero = np.zeros_like(self.size)
        self._add(each, none, log_weight, (zero, self.size / self.norms, zero), 1)
        self.shared = _dot(self.ones[:, None], self.columns)
        self.beside, self.left = _beside(self.columns, self.ones[:, None] * self.shared)
        self.step = _dot(self.beside, self.rest[:, None])
        if self.distinct <= 2:
            return
        noise, log_weight = self._judged(self.rest[:, None] - self.beside * self.step, 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            size = self.step / self.left
            base = self.level - self.shared * size
            log_weight = log_weight + prior + np.log(1 - NO_CONSTANT_SHARE)
            unit = 1 / self.left
            log_weight = log_weight + log_coefficient(size, unit, noise, NEGATIVE_TERM)
            log_weight = log_weight + log_coefficient(base, unit, noise, NEGATIVE_CONSTANT)
            # Both errors contain 1 / left; the volume that they span contains it once.
            log_weight = log_weight + np.log(self.left)
            found = (base / self.one_norm, size / self.norms, zero)
        self._add(each, none, _where(self.left, log_weight), found, 2)

    def doubles(self, among: HypothesisSpace) -> None:
        """Add pairs of terms, and pairs with a constant."""
        i, j, prior = among.first, among.second, among.double[:, None]
        one, another, size = self.columns[:, i], self.columns[:, j], self.size[i]
        shared = _dot(one, another)
        other, left = _beside(another, one * shared)
        rest = self.z[:, None] - one * size
        step = _dot(other, rest)
        noise, log_weight = self._judged(rest - other * step, 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            second = step / left
            first, unit = size - shared * second, 1 / left
            log_weight = log_weight + prior + np.log(NO_CONSTANT_SHARE) + np.log(left)
            log_weight = log_weight + log_coefficient(first, unit, noise, NEGATIVE_TERM)
            log_weight = log_weight + log_coefficient(second, unit, noise, NEGATIVE_TERM)
            norms = self.norms[i], self.norms[j]
            found = (np.zeros_like(first), first / norms[0], second / norms[1])
        self._add(i, j, _where(left, log_weight), found, 2)
        if self.distinct <= 3:
            return
        one, another, size = self.beside[:, i], self.beside[:, j], self.step[i]
        lefts, shares = (self.left[i], self.left[j]), (self.shared[i], self.shared[j])
        shared = _dot(one, another)
        other, left = _beside(another, one * shared)
        rest = self.rest[:, None] - one * size
        step = _dot(other, rest)
        noise, log_weight = self._judged(rest - other * step, 3)
        with np.errstate(divide="ignore", invalid="ignore"):
            second = step / left
            first = size - shared * second
            unit_first, unit_second = 1 / (left * lefts[0]), 1 / (left * lefts[1])
            first, second = first / lefts[0], second / lefts[1]
            base = self.level - shares[0] * first - shares[1] * second
            unit = np.sqrt(1 + (shares[0] * unit_first) ** 2 + (shares[1] * unit_second) ** 2)
            # The product of the errors, less the part of the volume that correlation removes.
            log_weight = log_weight + prior + np.log(1 - NO_CONSTANT_SHARE) + np.log(left / unit)
            log_weight = log_weight + log_coefficient(first, unit_first, noise, NEGATIVE_TERM)
            log_weight = log_weight + log_coefficient(second, unit_second, noise, NEGATIVE_TERM)
            log_weight = log_weight + log_coefficient(base, unit, noise, NEGATIVE_CONSTANT)
            found = (base / self.one_norm, first / norms[0], second / norms[1])
        ample = np.minimum(left, np.minimum(*lefts))
        self._add(i, j, _where(ample, log_weight), found, 3)

    def _judged(self, residuals: Array, size: int) -> tuple[Array, Array]:
        """Return noise and log evidence of the residuals of hypotheses with `size` coefficients."""
        self.found = _dot(residuals, residuals)
        log_weight, noise = self.noise.judged(self.found, self.distinct - size)
        return noise, log_weight

    def _add(
        self, first: Array, second: Array, log_weights: Array, coefficients: tuple[Array, Array, Array], size: int
    ) -> None:
        sizes = np.full(len(first), size)
        self.parts.append((first, second, log_weights, coefficients, self.found, sizes))

    def result(self, density: Array) -> Posterior:
        """Return the posterior of the hypotheses that were added."""
        first, second, log_weights, coefficients, squares, sizes = zip(*self.parts, strict=True)
        return Posterior(
            np.concatenate(first),
            np.concatenate(second),
            np.concatenate(log_weights) + density,
            np.array([np.concatenate(each) for each in zip(*coefficients, strict=True)]),
            np.concatenate(squares),
            np.concatenate(sizes),
        )


def _dot(first: Array, second: Array) -> Array:
    """Return the sums of products along the first axis, without storing the products."""
    return np.asarray(np.einsum("n...,n...->...", first, second))


def _unit(vectors: Array) -> tuple[Array, Array]:
    """Return vectors (first axis) of length 1, and their lengths."""
    length = np.sqrt(_dot(vectors, vectors))
    return vectors / length, length


def _beside(vectors: Array, projected: Array) -> tuple[Array, Array]:
    """Return unit vectors less a projection, of length 1, and the lengths before."""
    left = vectors - projected
    length = np.sqrt(_dot(left, left))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(length > _COLLINEAR, left / length, 0.0), length


def _where(left: Array, log_weights: Array) -> Array:
    return np.where(left > _COLLINEAR, log_weights, -np.inf)
