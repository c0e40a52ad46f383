"""A Gaussian process of ln y whose kernel has the values of other contexts: a linear map of these, and a difference.

t = mean slope 1 on the average of the other contexts + deviations of the slopes + difference + noise. The difference
has the kernel of the joint model, of which only the size is free, so that four hyperparameters are learned from the few
rows (docs/decisions/0016-contexts.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from splc.learning.projection import (
    ITERATIONS,
    JITTER,
    Hyperparameters,
    KernelDesign,
    cholesky_factor,
    kernel_diagonal,
    kernel_matrix,
    minimum,
    negative_evidence,
    solved,
)
from splc.types import Array

# Priors of the logarithms of the variances: centre and width. Those of the slope of each context, of the slope of their
# average, of the difference relative to the joint model, and of the noise.
SLOPES = (np.log(0.05), 2.0)
AVERAGE = (np.log(0.1), 2.0)
DIFFERENCE = (-3.0, 2.0)
NOISE = (np.log(0.01), 2.0)
PRIORS = np.array([SLOPES, AVERAGE, DIFFERENCE, NOISE])
# The greatest distances of the search from the centres.
REACH = (8.0, 6.0)
# Values of other contexts beyond those at the rows count as the largest one plus this share of their range.
BEYOND = 0.25


@dataclass(frozen=True, eq=False)
class MappedRows:
    """The values of m configurations in other contexts, and the columns of their options."""

    values: Array  # ln y in each other context, shape (m, contexts)
    design: KernelDesign  # the columns of their options

    def __len__(self) -> int:
        return len(self.values)

    def rows(self, rows: Array) -> MappedRows:
        """Return some of the configurations."""
        return MappedRows(self.values[rows], self.design.rows(rows))


@dataclass(frozen=True, eq=False)
class MappedProcess:
    """The process, conditioned on measured configurations."""

    known: MappedRows  # the n measured configurations
    t: Array  # ln y of each, shape (n,)
    noise: Array  # multiples of the noise of each, shape (n,)
    theta: Array  # the logarithms of the hyperparameters of the kernel of the joint model
    variances: Array  # the logarithms of the variances, as `PRIORS`

    @classmethod
    def fit(cls, known: MappedRows, t: Array, noise: Array, theta: Array) -> Self:
        """Return the process with the most probable variances."""
        start = cls(known, t, noise, theta, PRIORS[:, 0])
        kernels = np.array([*start._kernels(start._centred, start._centred, start._options), np.diag(noise)])
        z = start._z

        def objective(logarithms: Array) -> tuple[float, Array]:
            matrix = 1 + np.tensordot(np.exp(logarithms), kernels, 1)
            matrix.flat[:: len(z) + 1] += JITTER
            evidence = negative_evidence(matrix, z)
            if evidence is None:
                return np.inf, np.zeros_like(logarithms)
            value, outer = evidence
            distance = (logarithms - PRIORS[:, 0]) / PRIORS[:, 1]
            value += float(distance @ distance) / 2
            slopes = np.exp(logarithms) * np.tensordot(kernels, outer, 2)
            return value, slopes + distance / PRIORS[:, 1]

        low, high = PRIORS[:, 0] - REACH[0], PRIORS[:, 0] + REACH[1]
        return cls(known, t, noise, theta, minimum(objective, PRIORS[:, 0], low, high, ITERATIONS)[0])

    @cached_property
    def _hyperparameters(self) -> Hyperparameters:
        return Hyperparameters.of(self.theta)

    @cached_property
    def _level(self) -> tuple[float, float]:
        """The mean and deviation that t is standardised with."""
        return float(self.t.mean()), float(self.t.std()) or 1.0

    @cached_property
    def _range(self) -> tuple[Array, Array]:
        low, high = self.known.values.min(axis=0), self.known.values.max(axis=0)
        return low - BEYOND * (high - low), high + BEYOND * (high - low)

    def _columns(self, rows: MappedRows) -> Array:
        """Return the standardised values of the other contexts, minus the means of the measured rows."""
        values, reference = (np.clip(mapped.values, *self._range) for mapped in (rows, self.known))
        return np.asarray((values - reference.mean(axis=0)) / self._level[1])

    @cached_property
    def _centred(self) -> Array:
        return self._columns(self.known)

    @cached_property
    def _options(self) -> Array:
        return kernel_matrix(self._hyperparameters, self.known.design, self.known.design) - 1

    @cached_property
    def _z(self) -> Array:
        level, deviation = self._level
        return np.asarray((self.t - level) / deviation - self._centred.mean(axis=1))

    @staticmethod
    def _kernels(first: Array, second: Array, options: Array) -> tuple[Array, ...]:
        """Return the kernels of slopes, of their average, and of the difference."""
        average = np.outer(first.mean(axis=1), second.mean(axis=1))
        return first @ second.T / first.shape[1], average, options

    def _kernel(self, first: Array, second: Array, options: Array) -> Array:
        kernels = self._kernels(first, second, options)
        sizes = np.exp(self.variances)
        return np.asarray(1 + sum(size * kernel for size, kernel in zip(sizes, kernels, strict=False)))

    @cached_property
    def _factor(self) -> Array:
        matrix = self._kernel(self._centred, self._centred, self._options)
        matrix.flat[:: len(matrix) + 1] += np.exp(self.variances[-1]) * self.noise + JITTER
        return cholesky_factor(matrix)

    def _cross(self, rows: MappedRows) -> Array:
        options = kernel_matrix(self._hyperparameters, self.known.design, rows.design) - 1
        return self._kernel(self._centred, self._columns(rows), options)

    @property
    def noise_variance(self) -> float:
        """The variance of the noise of one measurement."""
        return float(np.exp(self.variances[-1])) * self._level[1] ** 2

    def moments(self, rows: MappedRows) -> tuple[Array, Array]:
        """Return the mean and the variance without noise of ln y at configurations, shapes (m,)."""
        columns = self._columns(rows)
        white = solved(self._factor, self._cross(rows))
        level, deviation = self._level
        mean = level + deviation * (columns.mean(axis=1) + solved(self._factor, self._z) @ white)
        slopes, average, difference = np.exp(self.variances[:3])
        prior = 1 + slopes * (columns**2).mean(axis=1) + average * columns.mean(axis=1) ** 2
        prior = prior + difference * (kernel_diagonal(self._hyperparameters, rows.design) - 1)
        return mean, deviation**2 * np.maximum(prior - np.einsum("ij,ij->j", white, white), 0.0)

    def covariance(self, rows: MappedRows, weights: Array) -> Array:
        """Return the covariance of W t, shape (k, k), for W of shape (k, m)."""
        columns = self._columns(rows)
        options = kernel_matrix(self._hyperparameters, rows.design, rows.design) - 1
        white = solved(self._factor, self._cross(rows) @ weights.T)
        prior = weights @ self._kernel(columns, columns, options) @ weights.T
        return np.asarray(self._level[1] ** 2 * (prior - white.T @ white))

    def as_json(self) -> dict[str, Any]:
        """Return all but the configurations, in JSON's types."""
        arrays = {"values": self.known.values, "t": self.t, "noise": self.noise}
        parameters = {"theta": self.theta, "variances": self.variances}
        return {name: array.tolist() for name, array in {**arrays, **parameters}.items()}

    @classmethod
    def from_json(cls, content: Mapping[str, Any], design: KernelDesign) -> Self:
        """Return the process of `as_json`."""
        values, t, noise, theta, variances = (
            np.array(content[name], dtype=float) for name in ("values", "t", "noise", "theta", "variances")
        )
        fitting = len(values) == len(t) == len(noise) == len(design) and values.ndim == 2
        if not fitting or len(theta) != design.distinct + 4 or len(variances) != len(PRIORS):
            raise ValueError("the values of other contexts do not fit the system")
        return cls(MappedRows(values, design), t, noise, theta, variances)
