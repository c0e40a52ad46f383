"""The cheapest solutions of a decision diagram under many demands at once.

A demand is a set of literals, such as "option 3 is selected and option 8 is not". The least cost of a solution is the
length of a shortest path through the diagram. Paths are extended layer by layer, for all beginnings of demands at once,
and completed by the least costs below each node, so that all pairs of n literals take n passes instead of n². Costs are
integers whose last bits are the selection itself, so that no path has to be traced back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sampling.space.diagram import Diagram, Layer
from sampling.space.paths import cheapest_below
from sampling.space.rows import distinct, packed
from splc.types import Array

# Costs of more bits are Python's integers.
_INT64_BITS = 58
BLOCK = 2**20

Weights = Mapping[int, tuple[int, int]]


def literal(variable: int, value: int) -> int:
    """Return the number of a literal: a variable that has the value 0 or 1."""
    return 2 * variable + value


@dataclass(frozen=True)
class Costs:
    """The costs of the values of binary variables."""

    # variable → the costs of the values 0 and 1. Variables that it does not have cost nothing.
    of: Mapping[int, tuple[int, int]]
    never: int  # a cost above that of every solution
    bits: int  # the number of variables whose selections are the last bits of costs

    @classmethod
    def ordered(cls, weights: Weights) -> Costs:
        """Return costs by weights; of solutions of equal weight, the one that selects the first variable is cheaper."""
        ranked = sorted(weights)
        n = len(ranked)
        of = {v: (weights[v][0] << n, (weights[v][1] << n) - (1 << n - 1 - rank)) for rank, v in enumerate(ranked)}
        largest = sum(max(abs(low), abs(high)) for low, high in of.values())
        return cls(of, 1 << (largest + 1).bit_length() + 1, n)

    @classmethod
    def none(cls) -> Costs:
        """Return costs of 0, by which only the demands that can be met are found."""
        return cls({}, 1, 0)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of sums of costs."""
        return np.dtype(np.int64 if self.never < 1 << _INT64_BITS + 1 else object)

    def selections(self, costs: Array) -> Array:
        """Return the selections that costs of solutions contain, as packed bits, shape (n, bytes).

        Bits are in the order of the variables, as `np.unpackbits` gives them.
        """
        width = -(-self.bits // 8)
        spare, mask = 8 * width - self.bits, (1 << self.bits) - 1
        if costs.dtype == object:
            data = b"".join(((-cost & mask) << spare).to_bytes(width, "big") for cost in costs)
        else:
            words = (((-costs) & mask) << spare).astype(">i8")
            return np.ascontiguousarray(words.view(np.uint8).reshape(len(costs), 8)[:, 8 - width :])
        return np.frombuffer(data, dtype=np.uint8).reshape(len(costs), width)


@dataclass(frozen=True)
class _Step:
    """The transitions of a layer: node before, node after, cost, and value (-1: several) of each."""

    before: Array
    after: Array
    cost: Array
    value: Array
    nodes: int

    def least(self, costs: Array, value: int | None, never: int) -> Array:
        """Return the least cost of each node after the layer, shape (rows, nodes after).

        `costs`: of each node before, shape (rows, nodes before). `value`: the value of the layer, None for any.
        """
        transitions = np.arange(len(self.after)) if value is None else np.flatnonzero(self.value == value)
        costs_after = np.full((len(costs), self.nodes), never, dtype=costs.dtype)
        if len(transitions) and len(costs):
            after = self.after[transitions]
            starts = np.flatnonzero(np.diff(after, prepend=-1))
            through = costs[:, self.before[transitions]] + self.cost[transitions]
            costs_after[:, after[starts]] = np.minimum(np.minimum.reduceat(through, starts, axis=1), never)
        return costs_after

    def completed(self, costs: Array, value: int, below: Array, never: int) -> Array:
        """Return the least costs of whole solutions with a value in this layer, shape (rows,)."""
        transitions = np.flatnonzero(self.value == value)
        if not len(transitions):
            return np.full(len(costs), never, dtype=costs.dtype)
        remaining = self.cost[transitions] + below[self.after[transitions]]
        totals: Array = np.minimum((costs[:, self.before[transitions]] + remaining).min(axis=1), never)
        return totals


def cheapest(diagram: Diagram, costs: Costs, demands: Array) -> Array:
    """Return the cost of the cheapest solution that meets each demand, `costs.never` where there is none, shape (n,).

    `demands`: literals (see `literal`) of different variables of the diagram, shape (n, literals).
    """
    dtype = costs.dtype
    if diagram.empty:
        return np.full(len(demands), costs.never, dtype=dtype)
    below = _below(diagram, costs)
    if demands.shape[1] == 0:
        return np.full(len(demands), below[0][0], dtype=dtype)
    layer_of = {variable: number for number, variable in enumerate(diagram.variables)}
    layer_numbers = np.full(max(layer_of) + 1, -1)
    layer_numbers[list(layer_of)] = list(layer_of.values())
    # Literals by layer: twice the layer, plus the value.
    ordered = np.sort(2 * layer_numbers[demands >> 1] + (demands & 1), axis=1)
    by_beginning = np.lexsort(ordered.T[::-1])
    least = np.full(len(demands), costs.never, dtype=dtype)
    steps = _steps(diagram, costs)
    widest = max(len(layer.children) for layer in diagram.layers)
    ends = _blocks(ordered[by_beginning], max(1, BLOCK // widest))
    for start, end in zip([0, *ends], ends, strict=False):
        rows = by_beginning[start:end]
        least[rows] = _met(ordered[rows], steps, below, costs.never, len(diagram.layers))
    return least


def optimal(diagram: Diagram, weights: Weights) -> Diagram:
    """Return the solutions of least weight of a diagram of binary variables."""
    if not diagram.layers:
        return diagram
    costs = Costs(weights, sum(max(map(abs, pair)) for pair in weights.values()) + 1, 0)
    below = _below(diagram, costs)
    layers = []
    for layer, least, after in zip(diagram.layers, below, below[1:], strict=False):
        children = layer.binary_children
        prices = np.array(costs.of.get(layer.variable, (0, 0)))
        best = least[:, None] == cheapest_below(costs.never).through(children, prices, after).T
        layers.append(Layer(layer.variable, (np.array([0]), np.array([1])), np.where(best, children, -1)))
    return Diagram(tuple(layers), diagram.empty)


def _below(diagram: Diagram, costs: Costs) -> list[Array]:
    """Return the least cost below each node, per layer and for the end."""
    layers = []
    for layer in diagram.layers:
        of = costs.of.get(layer.variable)
        prices = [0 if of is None else min(of[value] for value in values.tolist()) for values in layer.classes]
        layers.append((layer.children, np.array(prices, dtype=costs.dtype)))
    return cheapest_below(costs.never).below(layers, np.zeros(1, dtype=costs.dtype))


def _blocks(ordered: Array, most: int) -> list[int]:
    """Return the ends of blocks of sorted demands with at most about `most` different beginnings each."""
    new = (np.diff(ordered[:, :-1], axis=0, prepend=-1) != 0).any(axis=1)
    block = np.cumsum(new) // most
    return [*(np.flatnonzero(np.diff(block)) + 1).tolist(), len(ordered)]


def _met(ordered: Array, steps: Sequence[_Step], below: Sequence[Array], never: int, layers: int) -> Array:
    """Return the least cost of each demand, whose literals are given by layer."""
    length = ordered.shape[1]
    least = np.full(len(ordered), never, dtype=below[0].dtype)
    # Beginnings of each length by number: their last literal, the number of what precedes it, and their last use.
    numbers = np.zeros(len(ordered), dtype=np.int64)
    last: list[Array] = [np.zeros(1, dtype=np.int64)]
    before: list[Array] = [np.zeros(1, dtype=np.int64)]
    until: list[Array] = []
    for size in range(1, length + 1):
        column = ordered[:, size - 1]
        uses = np.zeros(len(last[-1]), dtype=np.int64)
        np.maximum.at(uses, numbers, column // 2)
        until.append(uses)
        first, rank = distinct(packed([numbers, column], [len(last[-1]), 2 * layers]), len(ordered))
        last.append(column[first])
        before.append(numbers[first])
        numbers = rank
    starting: list[list[tuple[int, Array]]] = [[] for _ in range(layers)]
    for size in range(1, length + 1):
        order = np.argsort(last[size], kind="stable")
        ends = np.flatnonzero(np.diff(last[size][order])) + 1
        for group in np.split(order, ends):
            starting[int(last[size][group[0]]) // 2].append((size, group))
    # Paths so far: one row per beginning; `row[size]` maps numbers of beginnings to rows.
    paths = np.zeros((1, 1), dtype=below[0].dtype)
    row = [np.zeros(1, dtype=np.int64), *(np.full(len(last[size]), -1) for size in range(1, length))]
    ending = until[0]
    complete = np.full(len(last[length]), never, dtype=below[0].dtype)
    for layer, step in enumerate(steps):
        grown: list[Array] = []
        count = len(paths)
        lasting = ending > layer
        lasting_rows = np.flatnonzero(lasting)
        added: list[Array] = []
        for size, group in starting[layer]:
            value = int(last[size][group[0]]) % 2
            rows = row[size - 1][before[size][group]]
            if size == length:
                complete[group] = step.completed(paths[rows], value, below[layer + 1], never)
                continue
            grown.append(step.least(paths[rows], value, never))
            row[size][group] = count + np.arange(len(group))
            added.append(until[size][group])
            count += len(group)
        if not len(lasting_rows) and not grown:
            break
        # Rows are numbered anew: those that last, then those that start here.
        renumber = np.full(count, -1)
        renumber[lasting_rows] = np.arange(len(lasting_rows))
        renumber[len(paths) :] = len(lasting_rows) + np.arange(count - len(paths))
        for size in range(length):
            present = row[size] >= 0
            row[size][present] = renumber[row[size][present]]
        paths = np.concatenate([step.least(paths[lasting_rows], None, never), *grown])
        ending = np.concatenate([ending[lasting_rows], *added])
    least[:] = complete[numbers]
    return least


def _steps(diagram: Diagram, costs: Costs) -> list[_Step]:
    """Return the transitions of each layer, in order of the nodes after it."""
    steps = []
    sizes = [*(len(layer.children) for layer in diagram.layers), 1][1:]
    for layer, nodes in zip(diagram.layers, sizes, strict=True):
        pieces = [_transitions(layer, value) for value in _values(layer)]
        before = np.concatenate([piece[0] for piece in pieces])
        after = np.concatenate([piece[1] for piece in pieces])
        value = np.concatenate([np.full(len(piece[0]), v) for piece, v in zip(pieces, _values(layer), strict=True)])
        price = np.zeros(len(value), dtype=costs.dtype)
        for digit in (0, 1) if layer.variable in costs.of else ():
            price[value == digit] = costs.of[layer.variable][digit]
        order = np.lexsort((before, after))
        steps.append(_Step(before[order], after[order], price[order], value[order], nodes))
    return steps


def _values(layer: Layer) -> tuple[int, ...]:
    """Return the values that a layer distinguishes: 0 and 1 of a binary variable, -1 for all values of another one."""
    values = sorted(int(value) for group in layer.classes for value in group)
    return tuple(values) if values[-1] <= 1 else (-1,)


def _transitions(layer: Layer, value: int) -> tuple[Array, Array]:
    """Return the nodes before and after the transitions with a value, -1 for any."""
    columns = [c for c, group in enumerate(layer.classes) if value < 0 or value in group]
    before, column = np.nonzero(layer.children[:, columns] >= 0)
    after = layer.children[:, columns][before, column].astype(np.int64)
    if value < 0 and len(before):
        pairs = np.unique(before * (int(after.max()) + 1) + after)
        before, after = np.divmod(pairs, int(after.max()) + 1)
    return before, after
