"""The cheapest solution of a stratum that is not excluded, where costs are sums over the values of the solution.

It is a shortest path through the diagrams. Where the best one is excluded, the best of the solutions that leave the
excluded ones at some layer is taken (Lawler: "A procedure for computing the K best solutions to discrete optimization
problems", Management Science 18, 1972).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sampling.space.strata import Strata
from splc.types import Array

NEVER = 2**61


class StratumSearch:
    """Searches in the strata of a problem's solutions.

    Args:
        strata: the strata.
    """

    def __init__(self, strata: Strata) -> None:
        self.strata = strata
        self._flat = [np.concatenate(step.moves) for step in strata.steps]
        self._starts = [
            np.cumsum([0, *(len(values) for values in step.moves[:-1])]).astype(np.int64) for step in strata.steps
        ]

    def find(self, total: int, costs: Sequence[Array], excluded: Array) -> Array | None:
        """Return the cheapest solution of a stratum; None if all are excluded.

        `costs`: for each variable of the problem, the cost of each value (integers; all sums below 2^60). `excluded`:
        solutions of this stratum, shape (n, variables). Returns: The values, shape (variables,). Of several cheapest
        ones it is the first in the order of the diagrams.
        """
        # Without negative costs, those of missing solutions stay the largest.
        costs = [cost - cost.min(initial=0) for cost in costs]
        best = self._costs_below(costs)
        column = self.strata.column(total)
        result = np.zeros(len(self.strata.solutions.problem.sizes), dtype=np.int64)
        variables = list(self.strata.solutions.variables)
        self._complete(result, 0, 0, column, best, costs)
        if not len(excluded) or not (excluded == result[variables]).all(axis=1).any():
            return result[variables]
        rows = np.zeros((len(excluded), len(result)), dtype=np.int64)
        rows[:, variables] = excluded
        return self._deviation(rows, column, best, costs, result)

    def _costs_below(self, costs: Sequence[Array]) -> list[Array]:
        """Return the least cost below each node by remaining sum; the last row and column are for no solution."""
        end = np.full((2, 2), NEVER, dtype=np.int64)
        end[0, 0] = 0
        tables = [end]
        for step, flat, starts in zip(
            reversed(self.strata.steps), reversed(self._flat), reversed(self._starts), strict=True
        ):
            price = np.minimum.reduceat(costs[step.variable][flat], starts)
            table = np.full((len(step.children) + 1, len(step.sums) + 1), NEVER, dtype=np.int64)
            through = tables[-1][step.children[:, :, None], step.following[None]]
            np.minimum((through + price[None, :, None]).min(axis=1), NEVER, out=table[:-1, :-1])
            tables.append(table)
        return tables[::-1]

    def _complete(
        self, result: Array, first: int, node: int, column: int, best: list[Array], costs: Sequence[Array]
    ) -> None:
        """Set the variables from step `first` on to the cheapest completion."""
        for number in range(first, len(self.strata.steps)):
            step = self.strata.steps[number]
            value_costs = costs[step.variable][self._flat[number]]
            price = np.minimum.reduceat(value_costs, self._starts[number])
            children, following = step.children[node], step.following[:, column]
            move = int((best[number + 1][children, following] + price).argmin())
            values = step.moves[move]
            result[step.variable] = values[costs[step.variable][values].argmin()]
            node, column = int(children[move]), int(following[move])

    def _deviation(
        self, rows: Array, column: int, best: list[Array], costs: Sequence[Array], result: Array
    ) -> Array | None:
        """Return the cheapest solution that is not among `rows`."""
        # Prefixes of the rows: the first row with it, its node, its column, its cost.
        heads = np.zeros(1, dtype=np.int64)
        nodes, columns, paid = heads, np.array([column]), heads
        prefix = np.zeros(len(rows), dtype=np.int64)
        least, chosen = NEVER, None
        for number, step in enumerate(self.strata.steps):
            size = len(costs[step.variable])
            flat = self._flat[number]
            value_costs = np.full(size, NEVER, dtype=np.int64)
            value_costs[flat] = costs[step.variable][flat]
            moves = np.zeros(size, dtype=np.int64)
            moves[flat] = np.repeat(np.arange(len(step.moves)), [len(values) for values in step.moves])
            children = step.children[nodes][:, moves]
            following = step.following[moves][:, columns].T
            totals = np.minimum(best[number + 1][children, following] + value_costs + paid[:, None], NEVER)
            pairs = prefix * size + rows[:, step.variable]
            used_pairs, first, prefix = np.unique(pairs, return_index=True, return_inverse=True)
            totals.reshape(-1)[used_pairs] = NEVER
            index = int(totals.argmin())
            if totals.reshape(-1)[index] < least:
                least = int(totals.reshape(-1)[index])
                group, value = divmod(index, size)
                chosen = number, int(heads[group]), value, int(children[group, value]), int(following[group, value])
            before, value_of = np.divmod(used_pairs, size)
            nodes, columns = children[before, value_of], following[before, value_of]
            paid = paid[before] + value_costs[value_of]
            heads, prefix = first, prefix.reshape(-1)
        if chosen is None:
            return None
        number, row, value, node, column = chosen
        for step in self.strata.steps[:number]:
            result[step.variable] = rows[row, step.variable]
        result[self.strata.steps[number].variable] = value
        self._complete(result, number + 1, node, column, best, costs)
        return result[list(self.strata.solutions.variables)]
