"""Sequential designs on measured rows: as if each row was measured only when it is suggested.

Rows are selected greedily by reduction of variance (`VarianceStrategy`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from sampling.draws import distinct_ranks, generator
from sampling.sequential import NextCandidates, most_worth, select
from splc.data.configurations import Configurations
from splc.learning.active.surrogate import Pool, PoolSurrogate, Surrogate
from splc.learning.projection import Variable
from splc.learning.threads import one_thread
from splc.types import Array

# A batch is this share of the rows measured so far, and at least this number of rows.
SHARE, LEAST = 0.25, 5
# The rows of the first design, which the prior selects.
FIRST_ROWS = 10


class VarianceStrategy:
    """Chooses the configuration whose measurement reduces the mean posterior variance of the reference most, per cost.

    The hyperparameters stay as they are, so that no value is needed. The reduction counts times the standard deviation
    of the measurement: hyperparameters are uncertain, and measurements where predictions are uncertain too tell most
    about them. Without this factor, models of as many rows are worse (casestudies/suggestion). The gain is the share of
    the mean variance at first that a measurement takes off.

    Args:
        pooled: the surrogate of the pool.
        cost: the cost of each configuration of the pool, positive, shape (m,).
    """

    def __init__(self, pooled: PoolSurrogate, cost: Array | None = None) -> None:
        self._posterior = pooled.posterior()
        self._allowed, self._cost = pooled.pool.candidates.copy(), cost
        self._total = max(self._posterior.total, 1e-300)

    def choose(self) -> NextCandidates | None:
        """Return the best configuration that is left."""
        if not self._allowed.any():
            return None
        gains = self._posterior.reductions() / self._total
        deviations = np.sqrt(np.maximum(self._posterior.variances, 0.0) + self._posterior.noise)
        row = most_worth(gains * deviations, self._allowed, self._cost)
        return NextCandidates(np.array([row]), gain=float(gains[row]))

    def add(self, row: int) -> None:
        """Condition on a measurement."""
        self._allowed[row] = False
        self._posterior.add(row)


def sequential_rows(
    configurations: Configurations, y: Array, variables: Sequence[Variable], count: int, seed: int
) -> Array:
    """Return the positions of measured rows in the order in which they are suggested.

    `configurations`: the distinct measured configurations; all of them represent the valid space. `y`: their values,
    finite, shape (n,). Only those of suggested rows are used.
    """
    with one_thread():
        return np.array(list(islice(suggested_rows(configurations, y, variables, seed), count)))


def suggested_rows(
    configurations: Configurations,
    y: Array,
    variables: Sequence[Variable],
    seed: int,
    *,
    allowed: Array | None = None,
) -> Iterator[int]:
    """Yield the positions of rows in the order in which they are suggested, until none is left.

    The first row is drawn; the others of the first design are those that the prior selects. Then batches follow, each
    given the values of all rows before it.

    `allowed`: which rows may be suggested, shape (n,), bool; None is all.
    """
    free = np.ones(len(y), dtype=bool) if allowed is None else allowed.copy()
    order = np.flatnonzero(free)
    order = order[np.argsort(configurations.keys[order], kind="stable")]
    rows = [int(order[rank]) for rank in distinct_ranks(len(order), 1, generator(seed, "measured"))]
    yield rows[0]
    while len(rows) < len(order):
        free[rows] = False
        chosen = np.array(rows)
        surrogate = Surrogate.of(configurations[chosen], y[chosen], variables)
        pool = Pool.of(configurations, free, len(y))
        pooled = PoolSurrogate(surrogate, pool)
        first = len(rows) < FIRST_ROWS
        number = FIRST_ROWS - len(rows) if first else max(LEAST, int(SHARE * len(rows)))
        selection = select(VarianceStrategy(pooled), number)
        batch = configurations.find(pool.configurations[selection.rows]).tolist()
        rows += batch
        yield from batch
