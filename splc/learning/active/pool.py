"""Pools: the valid configurations that suggestions are picked from, and those whose predictions they improve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splc.data.configurations import Configurations
from splc.learning.projection import hash_order
from splc.types import Array

# Configurations that are suggested from, and those among them whose mean variance is reduced.
CANDIDATES, REFERENCE = 2000, 500


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
