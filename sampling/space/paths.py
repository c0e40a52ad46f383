"""Values of all paths from the nodes of a decision diagram to its end: their number, the cheapest, the heaviest.

These differ only in the operations of a semiring: values of transitions are multiplied along a path, and those of paths
are added (Mohri, "Semiring frameworks and algorithms for shortest-distance problems", Journal of Automata, Languages
and Combinatorics 7(3), 2002).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from splc.types import Array


@dataclass(frozen=True)
class Semiring:
    """The operations on values of paths."""

    plus: np.ufunc  # combines the values of several paths
    times: np.ufunc  # extends a path by the weight of a transition
    zero: Any  # the value where there is no path; it does not change others by `plus`

    def through(self, children: Array, weights: Array, after: Array) -> Array:
        """Return the values of the paths through each transition, shape (…, transitions, nodes).

        `children`: the node after each transition, shape (nodes, transitions), -1 where there is none. `weights`: the
        weights of transitions, shape (…, transitions). `after`: the values of the nodes after them, shape (…, nodes
        after).
        """
        # The transition to -1 leads to the last value.
        nothing = np.full((*after.shape[:-1], 1), self.zero, dtype=after.dtype)
        values = np.take(np.concatenate([after, nothing], axis=-1), children.T, axis=-1, mode="wrap")
        extended: Array = self.times(values, weights[..., None])
        return extended

    def below(self, layers: Sequence[tuple[Array, Array]], end: Array, most: int | None = None) -> list[Array]:
        """Return the value of all paths below each node, per layer and for the end, shapes (…, nodes).

        `end`: the value of the end, shape (…, 1).
        """
        tables = [end]
        for children, weights in reversed(layers):
            values = self.plus.reduce(self.through(children, weights, tables[-1]), axis=-2)
            tables.append(values if most is None else np.minimum(values, most))
        return tables[::-1]


COUNT = Semiring(np.add, np.multiply, 0)
HEAVIEST = Semiring(np.maximum, np.add, -np.inf)


def cheapest_below(never: int) -> Semiring:
    """Return the semiring of least costs; `never`: a cost above that of every path."""
    return Semiring(np.minimum, np.add, never)
