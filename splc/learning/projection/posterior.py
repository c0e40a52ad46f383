"""The posterior of the full model for given hyperparameters: means, variances and covariances.

A `KernelPosterior` is one Gaussian process (Rasmussen and Williams, Gaussian Processes for Machine Learning, algorithm
2.1); a `Mixture` of several of them, one for the hyperparameters of each refit, is what predicts.

Cholesky factors are numpy's for few rows, where importing scipy takes longer than it saves. numpy has no functions for
triangular matrices. The diagonal blocks of a factor are triangular, too: recursive halving leaves matrix products,
which are as fast as LAPACK, and small triangles. Both ways give the same numbers except for roundoff.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from splc.learning.projection.constants import BOUNDS, JITTER
from splc.learning.projection.kernel import Hyperparameters, KernelDesign, kernel_diagonal, kernel_matrix, kernel_sums
from splc.types import Array

# Rows up to which numpy is about as fast as scipy.
MAX_ROWS = 300
# Triangles of at most this size are not divided.
_SMALL = 48


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
        # Rasmussen and Williams, equation 5.12.
        return np.asarray(self.t - self.deviation * self.weights / np.diag(inverse(self._factor.copy())))

    @property
    def noise_variance(self) -> float:
        """The variance of the noise of one measurement, on the scale of t."""
        return self.deviation**2 * self.theta.noise

    def means(self, design: KernelDesign) -> Array:
        """Return the posterior mean at configurations, shape (m,)."""
        return self.mean + self.deviation * kernel_sums(self.theta, self.weights, self.design, design)

    def moments(self, design: KernelDesign) -> tuple[Array, Array]:
        """Return the posterior mean and the variance without noise at configurations, shapes (m,)."""
        cross = kernel_matrix(self.theta, self.design, design)
        return self.mean_of(cross), self.variances(cross, design)

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

    def variances(self, cross: Array, design: KernelDesign) -> Array:
        """Return the variance without noise at configurations, shape (m,); `cross` as for `mean_of`."""
        white = solved(self._factor, cross)
        variance = kernel_diagonal(self.theta, design) - np.einsum("ij,ij->j", white, white)
        return np.asarray(self.deviation**2 * np.maximum(variance, 0.0))

    def covariance(self, cross: Array, design: KernelDesign, weights: Array) -> Array:
        """Return the posterior covariance of W t, shape (k, k), for W of shape (k, m); `cross` as for `mean_of`."""
        white = solved(self._factor, cross @ weights.T)
        prior = weights @ kernel_matrix(self.theta, design, design) @ weights.T
        return np.asarray(self.deviation**2 * (prior - white.T @ white))


@dataclass(frozen=True, eq=False)
class Mixture:
    """The mixture of posteriors, of equal weights, at m configurations; each kernel is computed once.

    Its covariance is the mean of those of the parts plus the covariance of their means.
    """

    parts: tuple[KernelPosterior, ...]  # the posteriors, at least one
    designs: Sequence[KernelDesign]  # the columns of the configurations, of each kind

    @cached_property
    def kernels(self) -> tuple[tuple[KernelPosterior, KernelDesign, Array], ...]:
        """Each part, the columns of the configurations for it, and the kernel between rows and these, shape (n, m)."""
        pairs = [(part, self.designs[part.kind]) for part in self.parts]
        return tuple((part, design, kernel_matrix(part.theta, part.design, design)) for part, design in pairs)

    @cached_property
    def means(self) -> Array:
        """The means of the parts, shape (parts, m)."""
        return np.array([part.mean_of(cross) for part, _, cross in self.kernels])

    def variances(self, rows: slice = slice(None)) -> Array:
        """Return the variances without noise at some of the configurations."""
        within = [part.variances(cross[:, rows], design.rows(rows)) for part, design, cross in self.kernels]
        variances: Array = np.mean(within, axis=0) + self.means[:, rows].var(axis=0)
        return variances

    def covariance(self, weights: Array) -> Array:
        """Return the covariance of W t, shape (k, k), for W of shape (k, m)."""
        within = [part.covariance(cross, design, weights) for part, design, cross in self.kernels]
        sums = self.means @ weights.T
        apart = sums - sums.mean(axis=0)
        covariance: Array = np.mean(within, axis=0) + apart.T @ apart / len(self.parts)
        return covariance


def needs_scipy(rows: int) -> bool:
    """Return whether matrices of that many rows are for scipy."""
    return rows > MAX_ROWS


def cholesky_factor(matrix: Array) -> Array:
    """Return the lower factor of a symmetric matrix, which is overwritten."""
    if not needs_scipy(len(matrix)):
        return np.linalg.cholesky(matrix)
    from scipy.linalg import lapack

    # The transpose is in LAPACK's order of elements, so that nothing is copied.
    factor, failed = lapack.dpotrf(matrix.T, lower=1, overwrite_a=1)
    if failed:
        raise np.linalg.LinAlgError("not positive definite")
    return np.asarray(factor)


def inverse(factor: Array) -> Array:
    """Return the inverse of the matrix with this factor, which is overwritten."""
    if not needs_scipy(len(factor)):
        root = _inverse_of_factor(factor)
        return np.asarray(root.T @ root)
    from scipy.linalg import lapack

    lower, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    # Above the diagonal there are zeros.
    symmetric: Array = lower + lower.T
    symmetric.flat[:: len(symmetric) + 1] /= 2
    return symmetric


def solved(factor: Array, right: Array, *, transposed: bool = False) -> Array:
    """Return L^-1 b for a factor L and columns b, or L'^-1 b."""
    if not needs_scipy(len(factor)):
        return _solve(factor, right, transposed)
    from scipy.linalg import solve_triangular

    return np.asarray(solve_triangular(factor, right, trans="T" if transposed else "N", lower=True, check_finite=False))


def negative_evidence(matrix: Array, z: Array) -> tuple[float, Array] | None:
    """Return the negative log evidence of targets, without the constant, and its derivative by the covariance.

    `matrix`: the covariance K of the targets, shape (n, n), which is overwritten. `z`: the targets, shape (n,).
    """
    try:
        factor = cholesky_factor(matrix)
    except np.linalg.LinAlgError:
        return None
    value = float(np.log(np.diag(factor)).sum())
    slopes = inverse(factor)
    v = slopes @ z
    value += float(z @ v) / 2
    slopes -= np.outer(v, v)
    slopes /= 2
    return value, slopes


def _inverse_of_factor(factor: Array) -> Array:
    if len(factor) <= _SMALL:
        return np.asarray(np.linalg.inv(factor))
    half = len(factor) // 2
    result = np.zeros_like(factor)
    result[:half, :half] = _inverse_of_factor(factor[:half, :half])
    result[half:, half:] = _inverse_of_factor(factor[half:, half:])
    result[half:, :half] = -result[half:, half:] @ (factor[half:, :half] @ result[:half, :half])
    return result


def _solve(factor: Array, right: Array, transposed: bool) -> Array:
    if len(factor) <= _SMALL:
        return np.asarray(np.linalg.solve(factor.T if transposed else factor, right))
    half = len(factor) // 2
    upper, corner, lower = factor[:half, :half], factor[half:, :half], factor[half:, half:]
    if transposed:
        last = _solve(lower, right[half:], transposed)
        first = _solve(upper, right[:half] - corner.T @ last, transposed)
    else:
        first = _solve(upper, right[:half], transposed)
        last = _solve(lower, right[half:] - corner @ first, transposed)
    return np.concatenate([first, last])
