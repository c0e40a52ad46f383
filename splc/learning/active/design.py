"""Sequential designs on measured rows: as if each row was measured only when it is suggested."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sampling.space.ranks import distinct_ranks, generator
from splc.data.configurations import Configurations
from splc.learning.active.belief import Belief, PoolBelief
from splc.learning.active.pool import Pool
from splc.learning.active.selection import select_optimum, select_variance
from splc.learning.projection.variables import Variable
from splc.types import Array, Goal

# A batch is this share of the rows measured so far, and at least so many rows.
SHARE, LEAST = 0.25, 5
# The rows of the first design, which the prior selects.
FIRST_ROWS = 10


def batch_of(measured: int, wanted: int, share: float = SHARE, least: int = LEAST) -> int:
    """Return the number of rows that are suggested before values are looked at again."""
    if measured < FIRST_ROWS:
        return min(FIRST_ROWS, wanted) - measured
    return min(max(least, int(share * measured)), wanted - measured)


def sequential_rows(
    configurations: Configurations,
    y: Array,
    variables: Sequence[Variable],
    count: int,
    seed: int,
    *,
    allowed: Array | None = None,
    goal: Goal = "variance",
    maximize: bool = False,
    share: float = SHARE,
    least: int = LEAST,
) -> Array:
    """Return the positions of rows in the order in which they are suggested.

    The first row is drawn; the others of the first design are those that the prior selects. Then batches follow, each
    given the values of all rows before it.

    Args:
        configurations: the distinct measured configurations; all of them represent the valid space.
        y: their values, finite, shape (n,). Only those of suggested rows are used.
        variables: the variables of the system.
        count: the number of rows, at most that of allowed ones.
        seed: the seed of the first row.
        allowed: which rows may be suggested, shape (n,), bool; None is all.
        goal: 'variance' or 'optimum'.
        maximize: whether large values are good, for 'optimum'.
        share: the size of a batch as a share of the rows so far.
        least: the least size of a batch.
    """
    from threadpoolctl import threadpool_limits

    free = np.ones(len(y), dtype=bool) if allowed is None else allowed.copy()
    order = np.flatnonzero(free)
    order = order[np.argsort(configurations.keys[order], kind="stable")]
    rows = [int(order[place]) for place in distinct_ranks(len(order), 1, generator(seed, "measured"))]
    # One thread: with several, sums differ in their last bits.
    with threadpool_limits(1):
        while len(rows) < count:
            free[rows] = False
            chosen = np.array(rows)
            belief = Belief.of(configurations[chosen], y[chosen], variables)
            pool = Pool.of(configurations, free, len(y))
            believed = PoolBelief(belief, pool)
            number = batch_of(len(rows), count, share, least)
            if goal == "optimum" and belief.model is not None:
                found = select_optimum(believed, belief.measured_means, number, maximize=maximize)
            else:
                found = select_variance(believed, number)
            rows += configurations.find(pool.configurations[found.positions]).tolist()
    return np.array(rows)
