"""Sequential designs on measured rows: as if each row was measured only when it is suggested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from sampling.sequential import select
from sampling.space.ranks import distinct_ranks, generator
from splc.data.configurations import Configurations
from splc.learning.active.pool import Pool
from splc.learning.active.selection import VarianceStrategy
from splc.learning.active.surrogate import PoolSurrogate, Surrogate
from splc.learning.projection import Variable
from splc.learning.threads import one_thread
from splc.types import Array

# A batch is this share of the rows measured so far, and at least this number of rows.
SHARE, LEAST = 0.25, 5
# The rows of the first design, which the prior selects.
FIRST_ROWS = 10


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
