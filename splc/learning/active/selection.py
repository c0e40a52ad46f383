"""Greedy selection of configurations to measure: by reduction of variance, or by expected improvement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from splc.learning.active.posterior import PoolPosterior
from splc.learning.active.surrogate import PoolSurrogate
from splc.types import Array

# Gains that differ by less are equal: the first one in hash order is taken, on every CPU.
_EQUAL = 1e-9


@dataclass(frozen=True, eq=False)
class GreedySelection:
    """Configurations to measure, in order.

    Attributes:
        positions: their positions in the pool, shape (k,).
        gains: of a reduction of variance, the share of the mean variance before that each one takes off, in the order
            of the selection; of an optimum, the expected improvement in standardised units.
    """

    positions: Array
    gains: Array


def select_variance(pooled: PoolSurrogate, count: int, cost: Array | None = None) -> GreedySelection:
    """Return the configurations whose measurement reduces the mean posterior variance of the reference most.

    Greedy: each one is best given those before it. The hyperparameters stay as they are, so that no value is needed.
    The reduction counts times the standard deviation of the measurement: hyperparameters are uncertain, and
    measurements where predictions are uncertain too tell most about them. Without this factor, models of as many rows
    are worse (casestudies/suggestion).

    Args:
        pooled: the surrogate of the pool.
        count: the number of configurations; fewer if there are fewer candidates.
        cost: the cost of each configuration of the pool, positive, shape (m,): the reduction per cost counts.
    """
    posterior = pooled.posterior()
    whole = max(posterior.total, 1e-300)

    def gains() -> tuple[Array, Array]:
        reductions = posterior.reductions() / whole
        return reductions, reductions * np.sqrt(np.maximum(posterior.variances, 0.0) + posterior.noise)

    return _greedy(pooled, posterior, gains, count, cost)


def select_optimum(
    pooled: PoolSurrogate, measured: Array, count: int, cost: Array | None = None, maximize: bool = False
) -> GreedySelection:
    """Return the configurations with the largest expected improvement on the best measured one.

    Several are selected by believing in the predictions (kriging believer): each one is added with the value that is
    predicted for it, which leaves all means as they are.

    Args:
        pooled: the surrogate of the pool, with a full model.
        measured: the standardised posterior means of each part at measured configurations, shape (parts, n).
        count: the number of configurations; fewer if there are fewer candidates.
        cost: the cost of each configuration of the pool, positive, shape (m,): the improvement per cost counts.
        maximize: whether large values are good.
    """
    from scipy.special import ndtr

    sign = -1.0 if maximize else 1.0
    posterior, means = pooled.posterior(totals=False), sign * pooled.means.mean(axis=0)
    best = float((sign * measured).mean(axis=0).min())

    def gains() -> tuple[Array, Array]:
        deviations = np.sqrt(np.maximum(posterior.variances, 1e-12))
        distance = (best - means) / deviations
        density = np.exp(-(distance**2) / 2) / np.sqrt(2 * np.pi)
        improvements: Array = deviations * (distance * ndtr(distance) + density)
        return improvements, improvements

    def believe(position: int) -> None:
        nonlocal best
        best = min(best, float(means[position]))

    return _greedy(pooled, posterior, gains, count, cost, believe)


def _greedy(
    pooled: PoolSurrogate,
    posterior: PoolPosterior,
    gains: Callable[[], tuple[Array, Array]],
    count: int,
    cost: Array | None,
    then: Callable[[int], None] | None = None,
) -> GreedySelection:
    """Return the configurations with the largest worth (per cost), one after the other.

    `gains`: returns the gain and the worth of each configuration of the pool.
    """
    left = pooled.pool.candidates.copy()
    positions: list[int] = []
    found: list[float] = []
    for _ in range(min(count, int(left.sum()))):
        each, worths = gains()
        worth = np.where(left, worths if cost is None else worths / cost, -np.inf)
        best = float(worth.max())
        position = int(np.flatnonzero(worth >= best - _EQUAL * abs(best))[0])
        positions.append(position)
        found.append(float(each[position]))
        left[position] = False
        posterior.add(position)
        if then is not None:
            then(position)
    return GreedySelection(np.array(positions, dtype=int), np.array(found))
