"""Surrogates: what the full model of some measurements, or its prior, says about a pool of configurations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.active.pool import Pool
from splc.learning.active.posterior import PoolPosterior
from splc.learning.projection import FullModel, KernelPosterior, OptionBasis, Variable, fit_full_model, start_of
from splc.types import Array

# With at least this many measured configurations hyperparameters are learned; with fewer, those of the prior are used.
LEARNED_ROWS = 10


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

    def posterior(self, totals: bool = True) -> PoolPosterior:
        """Return a fresh posterior over the pool, with the variances of the reference if `totals`."""
        pool, model, parts = self.pool, self.surrogate.model, self.surrogate.parts
        designs = self.surrogate.basis.designs(pool.configurations)
        reference = pool.reference if totals else pool.reference[:0]
        weights = np.full(len(reference), 1 / max(len(reference), 1))
        noise = np.full(len(pool), float(np.mean([part.theta.noise for part in parts])))
        if model is not None:
            # Squared errors count as in the learner: relative ones for positive properties.
            weights *= model.scale.slope(self._predicted[reference]) ** 2
            noise *= model.scale.noise(self._predicted) / model.ensemble.noise_unit
        return PoolPosterior(parts, [designs[part.kind] for part in parts], self.means, noise, reference, weights)
