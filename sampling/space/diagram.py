"""Decision diagrams: all solutions of one component, layer by layer, and values of their paths.

A layer is a variable; a node represents all prefixes with the same completions. Values that lead to the same nodes from
all nodes form a class, so that the size depends on the values that constraints distinguish only.

The number of all paths from a node to the end, the cheapest one and the heaviest one differ only in the operations of a
semiring: values of transitions are multiplied along a path, and those of paths are added (Mohri, "Semiring frameworks
and algorithms for shortest-distance problems", Journal of Automata, Languages and Combinatorics 7(3), 2002). The
questions that are answered with these values are in `sampling.space.paths` and `sampling.space.strata`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from splc.types import Array

_INT64 = 2**62
_CHUNK = 2**22


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
    variables: tuple[int, ...] = field(init=False)  # the variables of the layers

    def __post_init__(self) -> None:
        object.__setattr__(self, "variables", tuple(layer.variable for layer in self.layers))

    @property
    def size(self) -> int:
        """The number of transitions."""
        return sum(layer.children.size for layer in self.layers)

    @cached_property
    def _below(self) -> list[Array]:
        """The number of solutions below each node, per layer and for the end; int64 if that suffices."""
        bound = math.prod(sum(map(len, layer.classes)) for layer in self.layers)
        dtype = np.dtype(np.int64 if bound < _INT64 else object)
        layers = [(layer.children, layer.sizes.astype(dtype)) for layer in self.layers]
        return COUNT.below(layers, np.ones(1, dtype=dtype))

    @property
    def _is_free(self) -> bool:
        """Whether these are the values of one variable without constraints."""
        return not self.empty and len(self.layers) == 1 and len(self.layers[0].classes) == 1

    @cached_property
    def count(self) -> int:
        """The exact number of solutions."""
        if self._is_free:
            return len(self.layers[0].classes[0])
        return 0 if self.empty else int(self._below[0][0])

    def unrank(self, ranks: Array) -> Array:
        """Return the solutions with these ranks (0 … count - 1), shape (n, layers)."""
        if self._is_free:
            values: Array = self.layers[0].classes[0][np.asarray(ranks, dtype=np.int64)]
            return values[:, None]
        most = max((int(values[-1]) for layer in self.layers for values in layer.classes), default=0)
        result = np.zeros((len(ranks), len(self.layers)), dtype=np.min_scalar_type(most))
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
        """Return all solutions, shape (count, layers)."""
        if self.empty:
            return np.zeros((0, len(self.layers)), dtype=np.int64)
        nodes = np.zeros(1, dtype=np.int64)
        trail: list[tuple[Array, Array]] = []
        for layer in self.layers:
            of_value = np.repeat(np.arange(len(layer.classes)), layer.sizes)
            values = layer.values
            order = np.argsort(values)
            children = layer.children[:, of_value[order]]
            # Every transition leads to a solution, so there are never more rows than solutions.
            row, column = _pairs(children, nodes)
            trail.append((row, values[order][column]))
            nodes = children[nodes[row], column]
        result = np.zeros((len(nodes), len(self.layers)), dtype=np.int64)
        rows = np.arange(len(nodes))
        for number in range(len(trail) - 1, -1, -1):
            parent, values = trail[number]
            result[:, number] = values[rows]
            rows = parent[rows]
        return result

    def marginals(self, sizes: Sequence[int]) -> dict[int, list[int]]:
        """Return variable → the number of solutions with each of its values (`sizes`: values per variable)."""
        if self._is_free:
            counts = [0] * sizes[self.layers[0].variable]
            for value in self.layers[0].classes[0].tolist():
                counts[value] = 1
            return {self.layers[0].variable: counts}
        by_variable: dict[int, list[int]] = {}
        above: Array = np.ones(1, dtype=self._below[0].dtype)
        for number, layer in enumerate(self.layers):
            counts = [0] * sizes[layer.variable]
            below = self._below[number + 1]
            following = np.zeros(len(below), dtype=below.dtype)
            if not self.empty:
                for column, values in enumerate(layer.classes):
                    child = layer.children[:, column]
                    exists = child >= 0
                    solutions = int((above[exists] * below[child[exists]]).sum())
                    for value in values:
                        counts[int(value)] = solutions
                    np.add.at(following, child[exists], above[exists] * len(values))
            by_variable[layer.variable] = counts
            above = following
        return by_variable


def taken(ranks: Array, ends: Array) -> tuple[Array, Array]:
    """Return the transition of each rank, and the rank within it; `ends`: sums of counts, shape (n, transitions)."""
    chosen = (ranks[:, None] >= ends).sum(axis=1)
    return chosen, ranks - np.where(chosen > 0, ends[np.arange(len(ranks)), chosen - 1], 0)


def _pairs(children: Array, nodes: Array) -> tuple[Array, Array]:
    """Return row and column of every transition of `children[nodes]`, without building the whole matrix."""
    step = max(1, _CHUNK // max(1, children.shape[1]))
    rows, columns = [], []
    for start in range(0, len(nodes), step):
        row, column = np.nonzero(children[nodes[start : start + step]] >= 0)
        rows.append(row + start)
        columns.append(column)
    return np.concatenate(rows), np.concatenate(columns)
