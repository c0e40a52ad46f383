"""Greedy selection of configurations to measure by reduction of variance."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from sampling.sequential import NextCandidates, most_worth
from splc.learning.active.surrogate import PoolSurrogate
from splc.types import Array


class _PoolStrategy(ABC):
    """Chooses the configuration of a pool that is worth most per cost.

    Args:
        pooled: the surrogate of the pool.
        cost: the cost of each configuration of the pool, positive, shape (m,).
        totals: whether the variances of the reference are needed.
    """

    def __init__(self, pooled: PoolSurrogate, cost: Array | None, *, totals: bool) -> None:
        self._posterior = pooled.posterior(totals)
        self._allowed, self._cost = pooled.pool.candidates.copy(), cost

    @abstractmethod
    def _gains(self) -> tuple[Array, Array]:
        """Return the gain and the worth of each configuration, shape (m,)."""

    def choose(self) -> NextCandidates | None:
        """Return the best configuration that is left."""
        if not self._allowed.any():
            return None
        gains, worths = self._gains()
        row = most_worth(worths, self._allowed, self._cost)
        return NextCandidates(np.array([row]), gain=float(gains[row]))

    def add(self, row: int) -> None:
        """Condition on a measurement."""
        self._allowed[row] = False
        self._posterior.add(row)


class VarianceStrategy(_PoolStrategy):
    """Chooses the configuration whose measurement reduces the mean posterior variance of the reference most.

    The hyperparameters stay as they are, so that no value is needed. The reduction counts times the standard deviation
    of the measurement: hyperparameters are uncertain, and measurements where predictions are uncertain too tell most
    about them. Without this factor, models of as many rows are worse (casestudies/suggestion). The gain is the share of
    the mean variance at first that a measurement takes off.
    """

    def __init__(self, pooled: PoolSurrogate, cost: Array | None = None) -> None:
        super().__init__(pooled, cost, totals=True)
        self._total = max(self._posterior.total, 1e-300)

    def _gains(self) -> tuple[Array, Array]:
        reductions = self._posterior.reductions() / self._total
        return reductions, reductions * np.sqrt(np.maximum(self._posterior.variances, 0.0) + self._posterior.noise)
