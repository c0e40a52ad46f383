"""The posterior of the full model for given hyperparameters: means, variances and covariances."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from splc.learning.projection.cholesky import cholesky_factor, inverse, solved
from splc.learning.projection.constants import BOUNDS, JITTER
from splc.learning.projection.kernel import Hyperparameters, KernelDesign, kernel_diagonal, kernel_matrix
from splc.learning.projection.kernel_sums import kernel_sums
from splc.types import Array


@dataclass(frozen=True, eq=False)
class KernelPosterior:
    """A Gaussian process with the kernel of the full model, conditioned on measured configurations."""

    logarithms: Array  # the logarithms of the hyperparameters
    design: KernelDesign  # the n measured configurations
    t: Array  # their values on the scale of the model, shape (n,)
    noise: Array  # multiples of the noise of each, shape (n,)
    mean: float  # the mean that t is standardised with
    deviation: float  # the deviation that t is standardised with
    kind: int = 0  # the position of its kind of columns in `OptionBasis.designs`
    # the weights of the rows in means, as another machine computed them, shape (n,); None: computed here
    stored: Array | None = None

    @cached_property
    def theta(self) -> Hyperparameters:
        """The hyperparameters."""
        return Hyperparameters.of(self.logarithms)

    @property
    def searched(self) -> Array:
        """The positions of the blocks of columns that have more than the smallest relevance, ascending."""
        is_searched = self.logarithms[:-4][self.design.relevances] > BOUNDS["relevance"][0]
        return np.flatnonzero(np.bincount(self.design.owners, is_searched, len(self.design.starts) - 1))

    def of_blocks(self, blocks: Array) -> KernelPosterior:
        """Return the posterior with some of the blocks of columns only."""
        design, numbers = self.design.blocks(blocks)
        return replace(self, design=design, logarithms=np.append(self.logarithms[numbers], self.logarithms[-4:]))

    @cached_property
    def _factor(self) -> Array:
        matrix = kernel_matrix(self.theta, self.design, self.design)
        matrix.flat[:: len(matrix) + 1] += self.theta.noise * self.noise + JITTER
        return cholesky_factor(matrix)

    @cached_property
    def weights(self) -> Array:
        """The weights of the rows in means, shape (n,)."""
        if self.stored is not None:
            return self.stored
        z = (self.t - self.mean) / self.deviation
        return solved(self._factor, solved(self._factor, z), transposed=True)

    @property
    def left_out(self) -> Array:
        """The prediction of each row by the others with the same hyperparameters, on the scale of t, shape (n,)."""
        # Rasmussen and Williams, Gaussian Processes for Machine Learning, equation 5.12.
        return np.asarray(self.t - self.deviation * self.weights / np.diag(inverse(self._factor.copy())))

    @property
    def noise_variance(self) -> float:
        """The variance of the noise of one measurement, on the scale of t."""
        return self.deviation**2 * self.theta.noise

    def means(self, design: KernelDesign) -> Array:
        """Return the posterior mean at configurations, shape (m,)."""
        return self.moments(design, variances=False)[0]

    def moments(self, design: KernelDesign, variances: bool = True) -> tuple[Array, Array]:
        """Return the posterior mean and the variance without noise at configurations, shapes (m,)."""
        if not variances:
            sums = kernel_sums(self.theta, self.weights, self.design, design)
            return self.mean + self.deviation * sums, np.zeros(len(design))
        cross = kernel_matrix(self.theta, self.design, design)
        means: Array = self.mean + self.deviation * (self.weights @ cross)
        return means, self.variances(cross, design)

    def variances(self, cross: Array, design: KernelDesign) -> Array:
        """Return the variance without noise at configurations, shape (m,).

        `cross`: the kernel between measured rows and configurations, shape (n, m).
        """
        white = solved(self._factor, cross)
        variance = kernel_diagonal(self.theta, design) - np.einsum("ij,ij->j", white, white)
        return np.asarray(self.deviation**2 * np.maximum(variance, 0.0))

    def whitened(self, design: KernelDesign) -> Array:
        """Return L^-1 k for the kernel k between measured rows and configurations, shape (n, m), and L L' of the rows.

        The prior covariance of configurations minus the product of their columns is the posterior covariance.
        """
        if not len(self.design):
            return np.zeros((0, len(design)))
        return solved(self._factor, kernel_matrix(self.theta, self.design, design))

    def mean_of(self, cross: Array) -> Array:
        """Return the posterior mean, shape (m,), for the kernel between measured rows and configurations, (n, m)."""
        return np.asarray(self.mean + self.deviation * (self.weights @ cross))

    def projected(self, design: KernelDesign, weights: Array) -> tuple[Array, Array]:
        """Return the posterior mean, shape (k,), and covariance, (k, k), of W t, for W of shape (k, m)."""
        cross = kernel_matrix(self.theta, self.design, design)
        return weights @ self.mean_of(cross), self.covariance(cross, kernel_matrix(self.theta, design, design), weights)

    def covariance(self, cross: Array, prior: Array, weights: Array) -> Array:
        """Return the posterior covariance of W t, shape (k, k), for W of shape (k, m).

        `cross`: the kernel between measured rows and configurations, shape (n, m). `prior`: the kernel of the
        configurations, shape (m, m).
        """
        white = solved(self._factor, cross @ weights.T)
        return np.asarray(self.deviation**2 * (weights @ prior @ weights.T - white.T @ white))
