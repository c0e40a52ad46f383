"""Strata of solutions by a sum of integer weights, such as the number of selected options.

The diagrams of all components are one chain of layers. A table per layer has the number of solutions below each node
for each remaining sum, so that strata are counted and drawn from exactly, without listing them. Numbers of any size are
stored as digits of fewer than 64 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sampling.space.diagram import Layer
from sampling.space.solutions import Solutions
from splc.errors import SpaceError
from splc.types import Array

_CHUNK = 2**20
# The largest number of 64-bit integers in all tables, and in those of a single step.
CELLS = 2**26
STEP_CELLS = 2**22


@dataclass(frozen=True)
class Step:
    """A layer whose values are grouped into moves: values of one class with the same weight."""

    variable: int  # the variable
    moves: tuple[Array, ...]  # the values of each move, ascending
    # the node of the next step, shape (nodes, moves); the number of next nodes where there is no solution
    children: Array
    sums: Array  # the remaining sums before the step, ascending
    # the column of the next step's sums for each move and sum, shape (moves, sums); the number of these columns where
    # there is no solution
    following: Array


class Strata:
    """The solutions of a problem by the sum of the weights of their values.

    Args:
        solutions: the solutions; there must be one.
        weights: for each variable of the problem, the weight of each value (non-negative integers).

    Raises:
        SpaceError: if there are too many sums.
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
            self.cells += shape[1] * shape[2] * len(step.moves)
            if stored + shape[0] * shape[1] * shape[2] > CELLS:
                raise _too_complex()
            table = np.zeros(shape, dtype=np.int64)
            for number, values in enumerate(step.moves):
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

    def column(self, total: int) -> int:
        """Return the column of a sum in the first table."""
        return int(np.searchsorted(self._sums, total))

    def unrank(self, sums: Sequence[int], ranks: Sequence[int]) -> Array:
        """Return the solutions with these sums and ranks (0 … counts[sum] - 1), shape (n, variables)."""
        result = np.zeros((len(ranks), len(self.solutions.problem.sizes)), dtype=np.int64)
        columns = np.searchsorted(self._sums, np.asarray(sums, dtype=np.int64))
        remaining = np.array(ranks, dtype=np.int64 if len(self._counts[0]) == 1 else object)
        size = max(1, _CHUNK // max((len(step.moves) for step in self.steps), default=1))
        for start in range(0, len(remaining), size):
            chunk = slice(start, start + size)
            self._unrank(columns[chunk], remaining[chunk], result[chunk])
        return result[:, list(self.solutions.variables)]

    def _unrank(self, columns: Array, ranks: Array, result: Array) -> None:
        rows = np.arange(len(ranks))
        nodes = np.zeros(len(ranks), dtype=np.int64)
        for step, counts, below in zip(self.steps, self._counts[:-1], self._counts[1:], strict=True):
            after = self._integers(below[:, step.children[nodes], step.following[:, columns].T])
            kind = np.int64 if len(counts) == 1 else object
            after, ranks = after.astype(kind), ranks.astype(kind)
            sizes = np.array([len(values) for values in step.moves])
            ends = np.cumsum(after * sizes, axis=1)
            chosen = (ranks[:, None] >= ends).sum(axis=1)
            ranks = ranks - np.where(chosen > 0, ends[rows, chosen - 1], 0)
            completions = after[rows, chosen]
            within = ranks // completions
            ranks = ranks - within * completions
            starts = np.cumsum(sizes) - sizes
            result[:, step.variable] = np.concatenate(step.moves)[starts[chosen] + within.astype(np.int64)]
            nodes, columns = step.children[nodes, chosen], step.following[chosen, columns]

    def _integers(self, digits: Array) -> Array:
        """Return numbers from their digits (the first axis, least significant first)."""
        if len(digits) == 1:
            return np.asarray(digits[0])
        return np.asarray(sum(digit.astype(object) << (self._bits * position) for position, digit in enumerate(digits)))


def _step(layer: Layer, weights: Array, sums: Array, following: int) -> Step:
    """Return a layer as a step; `sums` are the sums that later layers have, `following` is the number of next nodes."""
    moves: list[Array] = []
    columns: list[int] = []
    adds: list[int] = []
    for column, values in enumerate(layer.classes):
        for weight in np.unique(weights[values]).tolist():
            moves.append(values[weights[values] == weight])
            columns.append(column)
            adds.append(weight)
    children = layer.children[:, columns]
    if len(adds) * len(sums) > STEP_CELLS:
        raise _too_complex()
    totals = np.unique((sums[None] + np.unique(adds)[:, None]).reshape(-1))
    if len(adds) * len(totals) > STEP_CELLS:
        raise _too_complex()
    # sums[column] + weight = here, or there is no such column.
    differences = totals[None] - np.array(adds)[:, None]
    columns_after = np.searchsorted(sums, differences)
    is_known = sums[np.minimum(columns_after, len(sums) - 1)] == differences
    return Step(
        layer.variable,
        tuple(moves),
        np.where(children >= 0, children, following),
        totals,
        np.where(is_known, columns_after, len(sums)),
    )


def _too_complex() -> SpaceError:
    return SpaceError(
        "the constraints are too complex for exact counts of the configurations with each distance", hint="use random:N"
    )
