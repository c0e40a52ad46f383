"""Strata of solutions by a sum of integer weights, such as the number of selected options: counts, draws, searches.

The diagrams of all components are one chain of layers. A table per layer has the number of solutions below each node
for each remaining sum, so that strata are counted and drawn from exactly, without listing them. Numbers of any size are
stored as digits of fewer than 64 bits.

The cheapest solution of a stratum is a shortest path. Where the best one is excluded, the best of the solutions that
leave the excluded ones at some layer is taken (Lawler: "A procedure for computing the K best solutions to discrete
optimization problems", Management Science 18, 1972).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sampling.space.diagram import Layer, taken
from sampling.space.solutions import Solutions
from splc.errors import SpaceError
from splc.types import Array

_CHUNK = 2**20
# The largest number of 64-bit integers in all tables, and in those of a single step.
CELLS = 2**26
STEP_CELLS = 2**22
NEVER = 2**61


@dataclass(frozen=True)
class Step(Layer):
    """A layer whose values are grouped into moves: values of one class with the same weight.

    The number of next nodes, or of the next sums, stands for a child or a sum where there is no solution.
    """

    sums: Array  # the remaining sums before the step, ascending
    following: Array  # the column of the next step's sums for each move and sum, shape (moves, sums)

    def prices(self, costs: Array) -> Array:
        """Return the least cost of each move, given those of the values of the variable."""
        return np.asarray(np.minimum.reduceat(costs[self.values], self.starts))


class Strata:
    """The solutions of a problem by the sum of the weights of their values.

    There must be a solution. `weights`: the weight of each value of each variable of the problem, integers from 0 on.
    """

    def __init__(self, solutions: Solutions, weights: Sequence[Array]) -> None:
        self.solutions = solutions
        layers = [layer for diagram in solutions.diagrams for layer in diagram.layers]
        # A digit times the number of values of a class, plus another digit, fits into 64 bits.
        widest = max((len(values) for layer in layers for values in layer.classes), default=1)
        self._bits = 62 - widest.bit_length()
        self._counts = [np.array([[[1, 0], [0, 0]]], dtype=np.int64)]
        steps: list[Step] = []
        sums = np.zeros(1, dtype=np.int64)
        # The number of transitions times remaining sums: the effort of a search.
        self.cells = stored = 0
        for layer in reversed(layers):
            below = self._counts[-1]
            step = _step(layer, np.asarray(weights[layer.variable], dtype=np.int64), sums, below.shape[1] - 1)
            shape = (len(below) + 1, len(step.children) + 1, len(step.sums) + 1)
            self.cells += shape[1] * shape[2] * len(step.classes)
            if stored + shape[0] * shape[1] * shape[2] > CELLS:
                raise _too_complex()
            table = np.zeros(shape, dtype=np.int64)
            for number, values in enumerate(step.classes):
                cells = step.children[:, number, None], step.following[number]
                for digit, part in enumerate(below):
                    table[digit, :-1, :-1] += part[cells] * len(values)
                for digit in range(len(below)):
                    table[digit + 1] += table[digit] >> self._bits
                    table[digit] &= (1 << self._bits) - 1
            if not table[-1].any():
                table = table[:-1].copy()
            stored += table.size
            steps.append(step)
            self._counts.append(table)
            sums = step.sums
        self._counts.reverse()
        self.steps: tuple[Step, ...] = tuple(reversed(steps))
        self._sums = sums

    @cached_property
    def counts(self) -> dict[int, int]:
        """Sum → the exact number of solutions with it, ascending, without empty strata."""
        numbers = self._integers(self._counts[0][:, 0, :-1]).tolist()
        return {total: number for total, number in zip(self._sums.tolist(), numbers, strict=True) if number}

    def unrank(self, sums: Sequence[int], ranks: Sequence[int]) -> Array:
        """Return the solutions with these sums and ranks (0 … counts[sum] - 1), shape (n, variables)."""
        result = np.zeros((len(ranks), len(self.solutions.problem.sizes)), dtype=np.int64)
        columns = np.searchsorted(self._sums, np.asarray(sums, dtype=np.int64))
        size = max(1, _CHUNK // max((len(step.classes) for step in self.steps), default=1))
        for start in range(0, len(ranks), size):
            chunk = slice(start, start + size)
            after_sums, nodes = columns[chunk], np.zeros(len(columns[chunk]), dtype=np.int64)
            remaining = np.array(ranks[chunk], dtype=np.int64 if len(self._counts[0]) == 1 else object)
            for step, counts, below in zip(self.steps, self._counts[:-1], self._counts[1:], strict=True):
                after = self._integers(below[:, step.children[nodes], step.following[:, after_sums].T])
                kind = np.int64 if len(counts) == 1 else object
                after, remaining = after.astype(kind), remaining.astype(kind)
                chosen, remaining = taken(remaining, np.cumsum(after * step.sizes, axis=1))
                completions = after[np.arange(len(remaining)), chosen]
                result[chunk, step.variable], remaining = step.value_at(chosen, remaining, completions)
                nodes, after_sums = step.children[nodes, chosen], step.following[chosen, after_sums]
        return result[:, list(self.solutions.variables)]

    def _integers(self, digits: Array) -> Array:
        """Return numbers from their digits (the first axis, least significant first)."""
        if len(digits) == 1:
            return np.asarray(digits[0])
        return np.asarray(sum(digit.astype(object) << (self._bits * position) for position, digit in enumerate(digits)))

    def cheapest(self, total: int, costs: Sequence[Array], excluded: Array) -> Array | None:
        """Return the cheapest solution of a stratum, the first of several; None if all are excluded.

        `costs`: for each variable of the problem, the cost of each value (integers; all sums below 2^60). `excluded`:
        solutions of this stratum, shape (n, variables).
        """
        # Without negative costs, those of missing solutions stay the largest.
        search = _Search(self.steps, [cost - cost.min(initial=0) for cost in costs])
        column = int(np.searchsorted(self._sums, total))
        result = np.zeros(len(self.solutions.problem.sizes), dtype=np.int64)
        variables = list(self.solutions.variables)
        search.complete(result, 0, 0, column)
        if not (excluded == result[variables]).all(axis=1).any():
            return result[variables]
        rows = np.zeros((len(excluded), len(result)), dtype=np.int64)
        rows[:, variables] = excluded
        return result[variables] if search.deviate(result, rows, column) else None


class _Search:
    """The least costs below each node of some steps, by remaining sum; the last row and column are for no solution."""

    def __init__(self, steps: Sequence[Step], costs: Sequence[Array]) -> None:
        self.steps, self.costs = steps, costs
        self.best = [np.array([[0, NEVER], [NEVER, NEVER]])]
        for step in reversed(steps):
            price = step.prices(costs[step.variable])
            table = np.full((len(step.children) + 1, len(step.sums) + 1), NEVER, dtype=np.int64)
            through = self.best[-1][step.children[:, :, None], step.following[None]]
            np.minimum((through + price[None, :, None]).min(axis=1), NEVER, out=table[:-1, :-1])
            self.best.append(table)
        self.best.reverse()

    def complete(self, result: Array, first: int, node: int, column: int) -> None:
        """Set the variables from step `first` on to the cheapest completion."""
        for step, after in zip(self.steps[first:], self.best[first + 1 :], strict=True):
            costs = self.costs[step.variable]
            children, following = step.children[node], step.following[:, column]
            move = int((after[children, following] + step.prices(costs)).argmin())
            values = step.classes[move]
            result[step.variable] = values[costs[values].argmin()]
            node, column = int(children[move]), int(following[move])

    def deviate(self, result: Array, rows: Array, column: int) -> bool:
        """Set all variables to the cheapest solution that is not among `rows`; return whether there is one."""
        # Prefixes of the rows: the first row with it, its node, its column, its cost.
        heads = nodes = paid = np.zeros(1, dtype=np.int64)
        columns, prefix = np.array([column]), np.zeros(len(rows), dtype=np.int64)
        least, chosen = NEVER, None
        for number, step in enumerate(self.steps):
            size = len(self.costs[step.variable])
            value_costs = np.full(size, NEVER, dtype=np.int64)
            value_costs[step.values] = self.costs[step.variable][step.values]
            moves = np.zeros(size, dtype=np.int64)
            moves[step.values] = np.repeat(np.arange(len(step.classes)), step.sizes)
            children = step.children[nodes][:, moves]
            following = step.following[moves][:, columns].T
            totals = np.minimum(self.best[number + 1][children, following] + value_costs + paid[:, None], NEVER)
            pairs = prefix * size + rows[:, step.variable]
            used_pairs, first, prefix = np.unique(pairs, return_index=True, return_inverse=True)
            totals.reshape(-1)[used_pairs] = NEVER
            group, value = divmod(int(totals.argmin()), size)
            if totals[group, value] < least:
                least = int(totals[group, value])
                chosen = number, int(heads[group]), value, int(children[group, value]), int(following[group, value])
            before, value_of = np.divmod(used_pairs, size)
            nodes, columns = children[before, value_of], following[before, value_of]
            paid = paid[before] + value_costs[value_of]
            heads, prefix = first, prefix.reshape(-1)
        if chosen is None:
            return False
        number, row, value, node, column = chosen
        for step in self.steps[:number]:
            result[step.variable] = rows[row, step.variable]
        result[self.steps[number].variable] = value
        self.complete(result, number + 1, node, column)
        return True


def _step(layer: Layer, weights: Array, sums: Array, following: int) -> Step:
    """Return a layer as a step; `sums` are the sums that later layers have, `following` is the number of next nodes."""
    moves = [
        (column, weight, values[weights[values] == weight])
        for column, values in enumerate(layer.classes)
        for weight in np.unique(weights[values]).tolist()
    ]
    columns, adds, classes = zip(*moves, strict=True)
    children = layer.children[:, list(columns)]
    # The distinct sums are not computed from too many.
    totals = sums if len(adds) * len(sums) > STEP_CELLS else np.unique(sums + np.unique(adds)[:, None])
    if len(adds) * len(totals) > STEP_CELLS:
        raise _too_complex()
    # sums[column] + weight = here, or there is no such column.
    differences = totals[None] - np.array(adds)[:, None]
    columns_after = np.searchsorted(sums, differences)
    is_known = sums[np.minimum(columns_after, len(sums) - 1)] == differences
    columns_after = np.where(is_known, columns_after, len(sums))
    return Step(layer.variable, classes, np.where(children >= 0, children, following), totals, columns_after)


def _too_complex() -> SpaceError:
    return SpaceError(
        "the constraints are too complex for exact counts of the configurations with each distance", hint="use random:N"
    )
