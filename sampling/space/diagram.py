"""Decision diagrams: all solutions of one component, layer by layer, and the paths through them.

A layer is a variable; a node represents all prefixes with the same completions. Values that lead to the same nodes from
all nodes form a class, so that the size depends on the values that constraints distinguish only.

The number of all paths from a node to the end, the cheapest one and the heaviest one differ only in the operations of a
semiring: values of transitions are multiplied along a path, and those of paths are added (Mohri, "Semiring frameworks
and algorithms for shortest-distance problems", Journal of Automata, Languages and Combinatorics 7(3), 2002).

The cheapest solutions that meet demands, such as "option 3 is selected and option 8 is not", are shortest paths. They
are extended layer by layer, for all beginnings of demands at once, and completed by the least costs below each node, so
that all pairs of n literals take n passes instead of n². Costs are integers whose last bits are the selection itself,
so that no path has to be traced back.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sampling.space.rows import distinct, packed
from splc.types import Array

_INT64 = 2**62
_CHUNK = 2**22
# Costs of more bits are Python's integers.
_INT64_BITS = 58
BLOCK = 2**20

Weights = Mapping[int, tuple[int, int]]


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
        return np.asarray(self.times(values, weights[..., None]))

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


@dataclass(frozen=True)
class Layer:
    """One variable of a diagram."""

    variable: int  # the variable
    classes: tuple[Array, ...]  # its values, grouped by classes; each class ascending
    children: Array  # the node of the next layer, shape (nodes, classes), -1 where there is no solution

    @cached_property
    def sizes(self) -> Array:
        """The number of values of each class."""
        return np.array([len(values) for values in self.classes], dtype=np.int64)

    @cached_property
    def values(self) -> Array:
        """The values of all classes."""
        return np.concatenate(self.classes)

    @cached_property
    def starts(self) -> Array:
        """The position of the first value of each class among all."""
        return np.cumsum(self.sizes) - self.sizes

    def value_at(self, chosen: Array, ranks: Array, completions: Array) -> tuple[Array, Array]:
        """Return the values that ranks within classes lead to, and the ranks below them; `completions`: of each."""
        within = ranks // completions
        return self.values[self.starts[chosen] + within.astype(np.int64)], ranks - within * completions

    @cached_property
    def binary_children(self) -> Array:
        """The children of the values 0 and 1 of a binary variable, shape (nodes, 2)."""
        children = np.full((len(self.children), 2), -1, dtype=np.int64)
        for column, values in enumerate(self.classes):
            children[:, values] = self.children[:, [column]]
        return children


@dataclass(frozen=True)
class Diagram:
    """All solutions of a component over the variables of its layers. Every node has a solution."""

    layers: tuple[Layer, ...]  # the root is node 0 of the first layer; the end is node 0 after the last layer
    empty: bool = False  # whether there is no solution

    @cached_property
    def variables(self) -> tuple[int, ...]:
        """The variables of the layers."""
        return tuple(layer.variable for layer in self.layers)

    @cached_property
    def _below(self) -> list[Array]:
        """The number of solutions below each node, per layer and for the end; int64 if that suffices."""
        bound = math.prod(sum(map(len, layer.classes)) for layer in self.layers)
        dtype = np.dtype(np.int64 if bound < _INT64 else object)
        layers = [(layer.children, layer.sizes.astype(dtype)) for layer in self.layers]
        return COUNT.below(layers, np.ones(1, dtype=dtype))

    @cached_property
    def _kind(self) -> np.dtype[Any]:
        """The smallest type of values."""
        return np.min_scalar_type(
            max((int(values[-1]) for layer in self.layers for values in layer.classes), default=0)
        )

    @cached_property
    def count(self) -> int:
        """The exact number of solutions."""
        return 0 if self.empty else int(self._below[0][0])

    def unrank(self, ranks: Array) -> Array:
        """Return the solutions with these ranks (0 … count - 1), shape (n, layers)."""
        result = np.zeros((len(ranks), len(self.layers)), dtype=self._kind)
        ranks = np.asarray(ranks, dtype=self._below[0].dtype)
        widest = max((len(layer.classes) for layer in self.layers), default=1)
        step = max(1, _CHUNK // widest)
        tables = [
            np.cumsum(COUNT.through(layer.children, layer.sizes.astype(below.dtype), below), axis=0).T
            for layer, below in zip(self.layers, self._below[1:], strict=True)
        ]
        for start in range(0, len(ranks), step):
            chunk = slice(start, start + step)
            remaining = ranks[chunk]
            nodes = np.zeros(len(remaining), dtype=np.int64)
            for number, layer in enumerate(self.layers):
                chosen, remaining = taken(remaining, tables[number][nodes])
                nodes = layer.children[nodes, chosen].astype(np.int64)
                completions = self._below[number + 1][nodes]
                result[chunk, number], remaining = layer.value_at(chosen, remaining, completions)
        return result

    def expand(self) -> Array:
        """Return all solutions in any order, shape (count, layers)."""
        rows = np.zeros((0 if self.empty else 1, 0), dtype=self._kind)
        nodes = np.zeros(len(rows), dtype=np.int64)
        for layer in self.layers:
            # Every transition leads to a solution, so there are never more rows than solutions.
            children = layer.children[nodes]
            before, chosen = np.nonzero(children >= 0)
            sizes = layer.sizes[chosen]
            within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            values = layer.values[np.repeat(layer.starts[chosen], sizes) + within].astype(rows.dtype)
            rows = np.column_stack([rows[np.repeat(before, sizes)], values])
            nodes = np.repeat(children[before, chosen], sizes)
        return rows

    def marginals(self, sizes: Sequence[int]) -> dict[int, list[int]]:
        """Return variable → the number of solutions with each of its values (`sizes`: values per variable)."""
        by_variable: dict[int, list[int]] = {}
        above: Array = np.ones(1, dtype=self._below[0].dtype)
        for layer, below in zip(self.layers, self._below[1:], strict=True):
            counts = by_variable[layer.variable] = [0] * sizes[layer.variable]
            following = np.zeros(len(below), dtype=below.dtype)
            for child, values in zip(layer.children.T, layer.classes, strict=True) if not self.empty else ():
                exists = child >= 0
                solutions = int((above[exists] * below[child[exists]]).sum())
                for value in values.tolist():
                    counts[value] = solutions
                np.add.at(following, child[exists], above[exists] * len(values))
            above = following
        return by_variable


def taken(ranks: Array, ends: Array) -> tuple[Array, Array]:
    """Return the transition of each rank, and the rank within it; `ends`: sums of counts, shape (n, transitions)."""
    chosen = (ranks[:, None] >= ends).sum(axis=1)
    return chosen, ranks - np.where(chosen > 0, ends[np.arange(len(ranks)), chosen - 1], 0)


def literal(variable: int, value: int) -> int:
    """Return the number of a literal: a variable that has the value 0 or 1."""
    return 2 * variable + value


@dataclass(frozen=True)
class Costs:
    """The costs of the values of binary variables."""

    of: Mapping[int, tuple[int, int]]  # variable → the costs of the values 0 and 1; other variables cost nothing
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

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The type of sums of costs."""
        return np.dtype(np.int64 if self.never < 1 << _INT64_BITS + 1 else object)

    def below(self, diagram: Diagram) -> list[Array]:
        """Return the least cost below each node, per layer and for the end."""
        layers = []
        for layer in diagram.layers:
            of = self.of.get(layer.variable)
            prices = [0 if of is None else min(of[value] for value in values.tolist()) for values in layer.classes]
            layers.append((layer.children, np.array(prices, dtype=self.dtype)))
        return Semiring(np.minimum, np.add, self.never).below(layers, np.zeros(1, dtype=self.dtype))

    def selections(self, costs: Array) -> Array:
        """Return the selections that costs contain, as bits in the order of the variables, shape (n, bytes)."""
        width = -(-self.bits // 8)
        words = (-costs & (1 << self.bits) - 1) << 8 * width - self.bits
        if costs.dtype != object:
            return np.ascontiguousarray(words.astype(">i8").view(np.uint8).reshape(len(costs), 8)[:, 8 - width :])
        data = b"".join(word.to_bytes(width, "big") for word in words)
        return np.frombuffer(data, dtype=np.uint8).reshape(len(costs), width)


def cheapest(diagram: Diagram, costs: Costs, demands: Array) -> Array:
    """Return the cost of the cheapest solution that meets each demand, `costs.never` where there is none, shape (n,).

    `demands`: literals (see `literal`) of different variables of the diagram, shape (n, literals).
    """
    if diagram.empty:
        return np.full(len(demands), costs.never, dtype=costs.dtype)
    below = costs.below(diagram)
    if demands.shape[1] == 0:
        return np.full(len(demands), below[0][0], dtype=costs.dtype)
    layer_numbers = np.full(max(diagram.variables) + 1, -1)
    layer_numbers[list(diagram.variables)] = np.arange(len(diagram.layers))
    # Literals by layer: twice the layer, plus the value.
    ordered = np.sort(2 * layer_numbers[demands >> 1] + (demands & 1), axis=1)
    by_beginning = np.lexsort(ordered.T[::-1])
    least = np.full(len(demands), costs.never, dtype=costs.dtype)
    steps = [_Transitions.of(layer, len(after), costs) for layer, after in zip(diagram.layers, below[1:], strict=True)]
    widest = max(len(layer.children) for layer in diagram.layers)
    # Blocks of demands with at most about so many different beginnings each.
    new = (np.diff(ordered[by_beginning, :-1], axis=0, prepend=-1) != 0).any(axis=1)
    block = np.cumsum(new) // max(1, BLOCK // widest)
    ends = [*(np.flatnonzero(np.diff(block)) + 1).tolist(), len(block)]
    for start, end in zip([0, *ends], ends, strict=False):
        rows = by_beginning[start:end]
        least[rows] = _met(ordered[rows], steps, below, costs.never)
    return least


@dataclass(frozen=True)
class _Transitions:
    """The transitions of a layer: node before, node after, cost, and value or class of each, in order of `after`."""

    before: Array
    after: Array
    cost: Array
    value: Array
    nodes: int  # the number of nodes after the layer

    @classmethod
    def of(cls, layer: Layer, nodes: int, costs: Costs) -> _Transitions:
        """Return those of each value of a binary variable, or of each class of another one, which has no costs."""
        binary = all(values[-1] <= 1 for values in layer.classes)
        children = layer.binary_children if binary else layer.children
        before, value = np.nonzero(children >= 0)
        after = children[before, value].astype(np.int64)
        prices = costs.of.get(layer.variable) if binary else None
        cost = np.zeros(len(value), dtype=costs.dtype) if prices is None else np.array(prices, dtype=costs.dtype)[value]
        order = np.lexsort((before, after))
        return cls(before[order], after[order], cost[order], value[order], nodes)

    def least(self, costs: Array, value: int | None, never: int) -> Array:
        """Return the least costs of the nodes after the layer, given those before it, shapes (rows, nodes)."""
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
        return np.asarray(np.minimum((costs[:, self.before[transitions]] + remaining).min(axis=1), never))


def _met(ordered: Array, steps: Sequence[_Transitions], below: Sequence[Array], never: int) -> Array:
    """Return the least cost of each demand, whose literals are given by layer."""
    # The beginnings of demands as a tree: the last literal of each, and the beginning before it; whole demands last.
    numbers, count = np.zeros(len(ordered), dtype=np.int64), 1
    lasts, parents = [np.zeros(1, dtype=np.int64)], [np.zeros(1, dtype=np.int64)]
    for column in ordered.T:
        first, rank = distinct(packed([numbers, column], [count, 2 * len(steps)]), len(ordered))
        lasts.append(column[first])
        parents.append(numbers[first])
        whole, numbers, count = count, count + rank, count + len(first)
    last, parent = np.concatenate(lasts), np.concatenate(parents)
    # The last layer before which each beginning is needed.
    until = np.zeros(count, dtype=np.int64)
    np.maximum.at(until, parent[1:], last[1:] // 2)
    by_literal = np.argsort(last[1:], kind="stable") + 1
    bounds = np.searchsorted(last[by_literal], np.arange(2 * len(steps) + 1))
    complete = np.full(count, never, dtype=below[0].dtype)
    # The costs of the nodes before a layer, one row per beginning that is needed.
    paths, members = np.zeros((1, 1), dtype=below[0].dtype), np.zeros(1, dtype=np.int64)
    row = np.zeros(count, dtype=np.int64)
    for layer, step in enumerate(steps):
        lasting = members[until[members] > layer]
        grown, groups = [step.least(paths[row[lasting]], None, never)], [lasting]
        for value in (0, 1):
            starting = by_literal[slice(*bounds[2 * layer + value : 2 * layer + value + 2])]
            ends, inner = starting[starting >= whole], starting[starting < whole]
            complete[ends] = step.completed(paths[row[parent[ends]]], value, below[layer + 1], never)
            grown.append(step.least(paths[row[parent[inner]]], value, never))
            groups.append(inner)
        members, paths = np.concatenate(groups), np.concatenate(grown)
        if not len(members):
            break
        row[members] = np.arange(len(members))
    return complete[numbers]


def optimal(diagram: Diagram, weights: Weights) -> Diagram:
    """Return the solutions of least weight of a diagram of binary variables."""
    if not diagram.layers:
        return diagram
    costs = Costs(weights, sum(max(map(abs, pair)) for pair in weights.values()) + 1, 0)
    below = costs.below(diagram)
    layers = []
    for layer, least, after in zip(diagram.layers, below, below[1:], strict=False):
        children = layer.binary_children
        prices = np.array(costs.of.get(layer.variable, (0, 0)))
        best = least[:, None] == Semiring(np.minimum, np.add, costs.never).through(children, prices, after).T
        layers.append(Layer(layer.variable, (np.array([0]), np.array([1])), np.where(best, children, -1)))
    return Diagram(tuple(layers), diagram.empty)


def heaviest(diagrams: Iterable[Diagram], weights: Array) -> Array:
    """Return for each row of weights, shape (n, literals), the solution with the greatest sum, shape (n, variables)."""
    solutions = np.zeros((len(weights), weights.shape[1] // 2), dtype=np.int64)
    rows = np.arange(len(weights))
    for diagram in diagrams:
        layers = [
            (layer.binary_children, weights[:, 2 * layer.variable : 2 * layer.variable + 2]) for layer in diagram.layers
        ]
        below = HEAVIEST.below(layers, np.zeros((len(weights), 1)))
        nodes = np.zeros(len(weights), dtype=np.int64)
        for variable, (children, added), after in zip(diagram.variables, layers, below[1:], strict=True):
            child = children[nodes]
            sums = np.where(child >= 0, np.take_along_axis(after, child, axis=1) + added, -np.inf)
            # Of two equal sums the value 0 counts.
            solutions[:, variable] = sums.argmax(axis=1)
            nodes = child[rows, solutions[:, variable]]
    return solutions


def completions_below(diagram: Diagram, rows: Array, most: int) -> list[Array]:
    """Return the number of solutions below each node, per layer and for the end, shapes (n, nodes), at most `most`.

    `rows`: the value that each layer must have, -1 for any, shape (n, layers).
    """
    layers = []
    for layer, assigned in zip(diagram.layers, rows.T, strict=True):
        allowed = [np.where(assigned < 0, len(values), np.isin(assigned, values)) for values in layer.classes]
        layers.append((layer.children, np.stack(allowed, axis=1)))
    return COUNT.below(layers, np.ones((len(rows), 1), dtype=np.int64), most)
