"""Paths through decision diagrams: the cheapest solutions that meet demands, the heaviest ones, the first ones.

A demand is a set of literals, such as "option 3 is selected and option 8 is not". The least cost of a solution is the
length of a shortest path through the diagram. Paths are extended layer by layer, for all beginnings of demands at once,
and completed by the least costs below each node, so that all pairs of n literals take n passes instead of n². Costs are
integers whose last bits are the selection itself, so that no path has to be traced back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sampling.space.diagram import COUNT, HEAVIEST, Diagram, Layer, cheapest_below
from sampling.space.rows import distinct, packed
from sampling.space.solutions import Solutions
from splc.types import Array

# Costs of more bits are Python's integers.
_INT64_BITS = 58
BLOCK = 2**20
_CHUNK = 2**22

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

    def below(self, diagram: Diagram) -> list[Array]:
        """Return the least cost below each node, per layer and for the end."""
        layers = []
        for layer in diagram.layers:
            of = self.of.get(layer.variable)
            prices = [0 if of is None else min(of[value] for value in values.tolist()) for values in layer.classes]
            layers.append((layer.children, np.array(prices, dtype=self.dtype)))
        return cheapest_below(self.never).below(layers, np.zeros(1, dtype=self.dtype))

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
    """The transitions of a layer: node before, node after, cost, and value (-1: any) of each, in order of `after`."""

    before: Array
    after: Array
    cost: Array
    value: Array
    nodes: int  # the number of nodes after the layer

    @classmethod
    def of(cls, layer: Layer, nodes: int, costs: Costs) -> _Transitions:
        """Return those of each value of a binary variable, or of any value of another one, which has no costs."""
        binary = all(values[-1] <= 1 for values in layer.classes)
        children = layer.binary_children if binary else layer.children
        before, value = np.nonzero(children >= 0)
        after = children[before, value].astype(np.int64)
        if not binary:
            before, after = np.divmod(np.unique(before * nodes + after), nodes)
            value = np.full(len(before), -1)
        prices = costs.of.get(layer.variable) if binary else None
        cost = np.zeros(len(value), dtype=costs.dtype) if prices is None else np.array(prices, dtype=costs.dtype)[value]
        order = np.lexsort((before, after))
        return cls(before[order], after[order], cost[order], value[order], nodes)

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
        best = least[:, None] == cheapest_below(costs.never).through(children, prices, after).T
        layers.append(Layer(layer.variable, (np.array([0]), np.array([1])), np.where(best, children, -1)))
    return Diagram(tuple(layers), diagram.empty)


def heaviest(diagrams: Iterable[Diagram], weights: Array) -> Array:
    """Return for each row of weights the solution whose literals have the greatest sum, shape (n, variables).

    `weights`: the weight of each literal (see `literal`) of binary variables, shape (n, literals).
    """
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


def first_solutions(solutions: Solutions, orders: Array, preferred: Array, quotas: Array) -> tuple[Array, Array]:
    """Return the first solutions in several orders, as a solver that always tries the preferred value first finds them.

    `orders`: permutations of the positions of the variables, the first to be decided first, shape (n, variables).
    `preferred`: the value that is tried first, for each variable, shape (n, variables). `quotas`: the number of
    solutions in each order, shape (n,), at most that of all solutions. Returns: The solutions, shape (sum of quotas,
    variables), and the number of the order of each.
    """
    columns = {variable: position for position, variable in enumerate(solutions.variables)}
    diagrams = [diagram for diagram in solutions.diagrams if diagram.variables]
    owner = np.zeros(len(columns), dtype=np.int64)
    for number, diagram in enumerate(diagrams):
        owner[[columns[variable] for variable in diagram.variables]] = number
    most = int(quotas.max(initial=1))
    numbers = np.arange(len(orders))
    rows = np.full((len(orders), len(columns)), -1, dtype=np.int64)
    # The number of completions of each component, at most `most`.
    counts = np.stack([_completions(diagram, rows, columns, most) for diagram in diagrams], axis=1)

    def decided(rows: Array, counts: Array, variables: Array, values: Array) -> tuple[Array, Array]:
        """Return rows in which one variable each has a value, and the numbers of their completions."""
        rows, counts = rows.copy(), counts.copy()
        rows[np.arange(len(rows)), variables] = values
        for number in np.unique(owner[variables]).tolist():
            members = owner[variables] == number
            counts[members, number] = _completions(diagrams[number], rows[members], columns, most)
        return rows, counts

    for depth in range(len(columns)):
        variables = orders[numbers, depth]
        values = preferred[numbers, variables]
        tried, tried_counts = decided(rows, counts, variables, values)
        taken = np.minimum(_product(tried_counts, most), quotas)
        # The rest of a quota has the other value.
        first, other = np.flatnonzero(taken > 0), np.flatnonzero(quotas > taken)
        rest, rest_counts = decided(rows[other], counts[other], variables[other], 1 - values[other])
        # Solutions with the preferred value come first, after those that share fewer decisions.
        order = np.argsort(np.concatenate([2 * first, 2 * other + 1]))
        rows = np.concatenate([tried[first], rest])[order]
        counts = np.concatenate([tried_counts[first], rest_counts])[order]
        quotas = np.concatenate([taken[first], (quotas - taken)[other]])[order]
        numbers = np.concatenate([numbers[first], numbers[other]])[order]
    return rows, numbers


def _product(counts: Array, most: int) -> Array:
    """Return the products of rows of counts, at most `most`."""
    products = np.ones(len(counts), dtype=np.int64)
    for column in counts.T:
        products = np.minimum(products * column, most)
    return products


def _completions(diagram: Diagram, rows: Array, columns: dict[int, int], most: int) -> Array:
    """Return the number of a component's solutions with the values of each row (-1: any), at most `most`."""
    numbers = np.zeros(len(rows), dtype=np.int64)
    widest = max(layer.children.size for layer in diagram.layers)
    size = max(1, _CHUNK // widest)
    for start in range(0, len(rows), size):
        block = rows[start : start + size, [columns[variable] for variable in diagram.variables]]
        numbers[start : start + size] = completions_below(diagram, block, most)[0][:, 0]
    return numbers


def completions_below(diagram: Diagram, rows: Array, most: int) -> list[Array]:
    """Return the number of solutions below each node, per layer and for the end, shapes (n, nodes), at most `most`.

    `rows`: the value that each layer must have, -1 for any, shape (n, layers).
    """
    layers = []
    for layer, assigned in zip(diagram.layers, rows.T, strict=True):
        allowed = [np.where(assigned < 0, len(values), np.isin(assigned, values)) for values in layer.classes]
        layers.append((layer.children, np.stack(allowed, axis=1)))
    return COUNT.below(layers, np.ones((len(rows), 1), dtype=np.int64), most)


def random_orders(n: int, variables: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return n random permutations of variables and n random values (0 or 1) of each, shape (n, variables)."""
    keys = np.frombuffer(rng.bytes(8 * n * variables), dtype="<u8").reshape(n, variables)
    return np.argsort(keys, axis=1, kind="stable"), (keys & 1).astype(np.int64)
