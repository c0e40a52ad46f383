"""The posterior over a pool, which further measurements change by rank-one updates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splc.learning.projection import JITTER, KernelDesign, KernelPosterior, kernel_diagonal, kernel_matrix
from splc.types import Array


class PoolPosterior:
    """The covariances of a property over a pool, and how much a measurement of each configuration reduces variances.

    The posterior is a mixture of Gaussian processes with different hyperparameters. Its covariances are the means of
    theirs, plus the covariances of their means, which stand for what is not known about the hyperparameters. All are of
    standardised values, in units of the squared deviation. Values do not matter for covariances, so that configurations
    can be added before they are measured. Each addition costs O(m (n + r + additions)).

    Args:
        parts: the posteriors given the n measured configurations, one for each set of hyperparameters.
        pools: the columns of the m configurations of the pool, for each part.
        means: the standardised means of the parts, shape (parts, m).
        noise: the variance of the noise of a measurement of each configuration, shape (m,).
        reference: the positions of the r configurations whose variances are added up; none if no sum is needed.
        weights: their weights, shape (r,).
    """

    def __init__(
        self,
        parts: Sequence[KernelPosterior],
        pools: Sequence[KernelDesign],
        means: Array,
        noise: Array,
        reference: Array,
        weights: Array,
    ) -> None:
        self._parts, self._pools, self._reference, self._weights = parts, pools, reference, weights
        self._solved = [part.whitened(pool) for part, pool in zip(parts, pools, strict=True)]
        self._between = (means - means.mean(axis=0)) / np.sqrt(len(parts))
        self._updates = np.zeros((0, means.shape[1]))
        self.noise = noise + JITTER
        variances = [
            kernel_diagonal(part.theta, pool) - np.einsum("ij,ij->j", solved, solved)
            for part, pool, solved in zip(parts, pools, self._solved, strict=True)
        ]
        self.variances: Array = np.mean(variances, axis=0) + np.einsum("ij,ij->j", self._between, self._between)
        self._covariances = self._prior(reference) if len(reference) else np.zeros((0, means.shape[1]))
        self._squares: Array = np.einsum("i,ij,ij->j", weights, self._covariances, self._covariances)

    def _prior(self, rows: Array) -> Array:
        """Return the covariances of some configurations with all before any was added, shape (rows, m)."""
        prior: Array = self._between[:, rows].T @ self._between
        for part, pool, solved in zip(self._parts, self._pools, self._solved, strict=True):
            prior += (kernel_matrix(part.theta, pool.rows(rows), pool) - solved[:, rows].T @ solved) / len(self._parts)
        return prior

    @property
    def total(self) -> float:
        """The weighted sum of the variances of the reference."""
        return float(self._weights @ np.maximum(self.variances[self._reference], 0.0))

    def reductions(self) -> Array:
        """Return how much `total` falls if a configuration of the pool is measured, for each of them, shape (m,)."""
        result: Array = np.maximum(self._squares, 0.0) / (np.maximum(self.variances, 0.0) + self.noise)
        return result

    def add(self, position: int) -> None:
        """Condition on a measurement of a configuration of the pool."""
        covariance = self._prior(np.array([position]))[0] - self._updates[:, position] @ self._updates
        update = covariance / np.sqrt(max(float(covariance[position]), 0.0) + self.noise[position])
        ends = self._weights * update[self._reference]
        # The stored covariances stay those before all additions, so that a step is a vector times a matrix.
        current = ends @ self._covariances - (self._updates[:, self._reference] @ ends) @ self._updates
        self._squares += update * (update * float(ends @ update[self._reference]) - 2 * current)
        self.variances = self.variances - update**2
        self._updates = np.vstack([self._updates, update])
