"""Surrogates: the full model of some measurements, or its prior, for a pool of configurations to measure.

In: measured configurations. A `Surrogate` has their posteriors; that of a difference between contexts has no values
(`context_surrogate`). A `Pool` has the valid configurations that suggestions are picked from. Out: the posterior over
the pool, which further measurements change by rank-one updates (`PoolPosterior`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.contexts.joint_model import ContextRows, fit_joint_model
from splc.learning.projection import (
    JITTER,
    FullModel,
    KernelDesign,
    KernelPosterior,
    OptionBasis,
    Variable,
    fit_full_model,
    hash_order,
    kernel_diagonal,
    kernel_matrix,
    start_of,
)
from splc.types import Array

# Configurations that are suggested from, and those among them whose mean variance is reduced.
CANDIDATES, REFERENCE = 2000, 500
# With at least this many measured configurations hyperparameters are learned; with fewer, those of the prior are used.
LEARNED_ROWS = 10


@dataclass(frozen=True, eq=False)
class Pool:
    """Configurations in hash order, so that nothing depends on the order of rows."""

    configurations: Configurations  # m distinct valid configurations
    reference: Array  # the positions of those that represent the valid space, shape (r,)
    candidates: Array  # which ones may be suggested, shape (m,), bool

    @classmethod
    def of(cls, space: Configurations, allowed: Array | None = None, most: int = CANDIDATES) -> Pool:
        """Return the pool of distinct configurations.

        `allowed`: which ones may be suggested, shape (n,), bool; None is all.
        """
        everything = np.ones(len(space), dtype=bool) if allowed is None else allowed
        order = hash_order(space)
        # Hashes are uniform: the first ones are a uniform subset.
        ranks = np.arange(len(order))
        mask = (ranks < REFERENCE) | (everything[order] & (np.cumsum(everything[order]) <= most))
        chosen = order[mask]
        return cls(space[chosen], np.flatnonzero(ranks[mask] < REFERENCE), everything[chosen])

    def __len__(self) -> int:
        return len(self.configurations)


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
        reference: the positions of the r configurations whose variances are added up.
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
        self._covariances = self._prior(reference)
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


@dataclass(frozen=True, eq=False)
class Surrogate:
    """A full model of a property, or the prior where too little was measured for one."""

    basis: OptionBasis  # the columns of the variables
    parts: tuple[KernelPosterior, ...]  # the posteriors given the measurements
    model: FullModel | None = None  # the full model; None for the prior

    @classmethod
    def of(
        cls,
        configurations: Configurations,
        y: Array | None,
        variables: Sequence[Variable],
        repetitions: Array | None = None,
    ) -> Surrogate:
        """Return the surrogate given measured configurations.

        `y`: their values, finite, shape (n,); None if they are not known yet. `repetitions`: the number of measurements
        of each; None is 1.
        """
        chosen = tuple(variables)
        if y is not None and len(y) >= LEARNED_ROWS:
            model = fit_full_model(configurations, y, chosen, repetitions)
            if model.refits is not None:
                return cls(model.basis, model.refits.parts, model)
        basis = OptionBasis(chosen, len(configurations))
        design = basis.designs(configurations)[0]
        n = len(configurations)
        noise = np.ones(n) if repetitions is None else 1 / np.asarray(repetitions, dtype=float)
        start = start_of(design.distinct, len(chosen))
        return cls(basis, (KernelPosterior(start, design, np.zeros(n), noise, 0.0, 1.0),))


@dataclass(frozen=True, eq=False)
class PoolSurrogate:
    """The predictions of a surrogate for a pool."""

    surrogate: Surrogate  # the surrogate
    pool: Pool  # the pool

    @cached_property
    def _predicted(self) -> Array:
        """The predictions in units of the scale, ones under the prior, shape (m,)."""
        model = self.surrogate.model
        if model is None:
            return np.ones(len(self.pool))
        return model.ensemble.moments(self.pool.configurations, variances=False)[0]

    @cached_property
    def means(self) -> Array:
        """The standardised posterior means of each part, shape (parts, m)."""
        designs = self.surrogate.basis.designs(self.pool.configurations)
        if self.surrogate.model is None:
            return np.zeros((len(self.surrogate.parts), len(self.pool)))
        return np.array(
            [(part.means(designs[part.kind]) - part.mean) / part.deviation for part in self.surrogate.parts]
        )

    def posterior(self) -> PoolPosterior:
        """Return a fresh posterior over the pool."""
        pool, model, parts = self.pool, self.surrogate.model, self.surrogate.parts
        designs = self.surrogate.basis.designs(pool.configurations)
        reference = pool.reference
        weights = np.full(len(reference), 1 / max(len(reference), 1))
        noise = np.full(len(pool), float(np.mean([part.theta.noise for part in parts])))
        if model is not None:
            # Squared errors count as in the learner: relative ones for positive properties.
            weights *= model.scale.slope(self._predicted[reference]) ** 2
            noise *= model.scale.noise(self._predicted) / model.ensemble.noise_unit
        return PoolPosterior(parts, [designs[part.kind] for part in parts], self.means, noise, reference, weights)


def context_surrogate(
    sources: Mapping[str, ContextRows], known: Configurations, repetitions: Array, variables: Sequence[Variable]
) -> Surrogate | None:
    """Return the surrogate of the difference of a context from others; None if nothing influences these.

    `repetitions`: the number of measurements of each, shape (n,).
    """
    whole = _model_of(sources, tuple(variables))
    if whole.refits is None:
        return None
    basis = replace(whole.basis, context=None)
    designs = basis.designs(known)
    parts = []
    for part in whole.refits.parts:
        design = designs[part.kind]
        # Relevances of the context follow those of the options.
        logarithms = np.concatenate([part.logarithms[: design.distinct], part.logarithms[-4:]])
        noise = 1 / np.asarray(repetitions, dtype=float)
        parts.append(KernelPosterior(logarithms, design, np.zeros(len(known)), noise, 0.0, 1.0, part.kind))
    return Surrogate(basis, tuple(parts))


def paired(sources: Mapping[str, ContextRows], space: Configurations) -> Array:
    """Return which configurations were measured in other contexts, shape (m,), bool."""
    return np.asarray(np.any([part.configurations.find(space) >= 0 for part in sources.values()], axis=0))


def _model_of(sources: Mapping[str, ContextRows], variables: tuple[Variable, ...]) -> FullModel:
    """Return the full model of the other contexts."""
    if len(sources) > 1:
        return fit_joint_model(sources, variables).whole
    (part,) = sources.values()
    return fit_full_model(part.configurations, part.y, variables, part.repetitions)
