"""Greedy selection of configurations to measure: by reduction of variance, or by expected improvement."""

from __future__ import annotations

import numpy as np

from sampling.sequential import NextCandidates, SelectedCandidates, most_worth, select
from splc.learning.active.surrogate import PoolSurrogate
from splc.types import Array


class VarianceStrategy:
    """Chooses the configuration whose measurement reduces the mean posterior variance of the reference most.

    The hyperparameters stay as they are, so that no value is needed. The reduction counts times the standard deviation
    of the measurement: hyperparameters are uncertain, and measurements where predictions are uncertain too tell most
    about them. Without this factor, models of as many rows are worse (casestudies/suggestion).

    Args:
        pooled: the surrogate of the pool.
        cost: the cost of each configuration of the pool, positive, shape (m,): the reduction per cost counts.
    """

    def __init__(self, pooled: PoolSurrogate, cost: Array | None = None) -> None:
        self._posterior = pooled.posterior()
        self._total = max(self._posterior.total, 1e-300)
        self._allowed, self._cost = pooled.pool.candidates.copy(), cost

    def choose(self) -> NextCandidates | None:
        """Return the best configuration; its gain is the share of the mean variance at first that it takes off."""
        if not self._allowed.any():
            return None
        gains = self._posterior.reductions() / self._total
        worths = gains * np.sqrt(np.maximum(self._posterior.variances, 0.0) + self._posterior.noise)
        row = most_worth(worths, self._allowed, self._cost)
        return NextCandidates(np.array([row]), gain=float(gains[row]))

    def add(self, row: int) -> None:
        """Condition on a measurement."""
        self._allowed[row] = False
        self._posterior.add(row)


class ImprovementStrategy:
    """Chooses the configuration with the largest expected improvement on the best measured one.

    Several are chosen by believing in the predictions (kriging believer): each one is added with the value that is
    predicted for it, which leaves all means as they are.

    Args:
        pooled: the surrogate of the pool, with a full model.
        measured: the standardised posterior means of each part at measured configurations, shape (parts, n).
        cost: the cost of each configuration of the pool, positive, shape (m,): the improvement per cost counts.
        maximize: whether large values are good.
    """

    def __init__(
        self, pooled: PoolSurrogate, measured: Array, cost: Array | None = None, maximize: bool = False
    ) -> None:
        sign = -1.0 if maximize else 1.0
        self._posterior, self._means = pooled.posterior(totals=False), sign * pooled.means.mean(axis=0)
        self._best = float((sign * measured).mean(axis=0).min())
        self._allowed, self._cost = pooled.pool.candidates.copy(), cost

    def choose(self) -> NextCandidates | None:
        """Return the best configuration; its gain is the expected improvement in standardised units."""
        from scipy.special import ndtr

        if not self._allowed.any():
            return None
        deviations = np.sqrt(np.maximum(self._posterior.variances, 1e-12))
        distance = (self._best - self._means) / deviations
        density = np.exp(-(distance**2) / 2) / np.sqrt(2 * np.pi)
        improvements: Array = deviations * (distance * ndtr(distance) + density)
        row = most_worth(improvements, self._allowed, self._cost)
        return NextCandidates(np.array([row]), gain=float(improvements[row]))

    def add(self, row: int) -> None:
        """Condition on a measurement of the predicted value."""
        self._allowed[row] = False
        self._posterior.add(row)
        self._best = min(self._best, float(self._means[row]))


def select_variance(pooled: PoolSurrogate, count: int, cost: Array | None = None) -> SelectedCandidates:
    """Return `count` configurations (or all candidates) that reduce the variance most, see `VarianceStrategy`."""
    return select(VarianceStrategy(pooled, cost), count)


def select_optimum(
    pooled: PoolSurrogate, measured: Array, count: int, cost: Array | None = None, maximize: bool = False
) -> SelectedCandidates:
    """Return `count` configurations (or all candidates) that may be the optimum, see `ImprovementStrategy`."""
    return select(ImprovementStrategy(pooled, measured, cost, maximize), count)
