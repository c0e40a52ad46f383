"""Walks through decision diagrams: valid selections that cover many combinations of values."""

from __future__ import annotations

import numpy as np

from sampling.space.diagram import Diagram
from sampling.space.paths import heaviest
from sampling.space.parts import Parts
from splc.types import Array

# Weights of literals are computed from at most this number of combinations, for this number of selections.
_COMBINATIONS, _SELECTIONS = 100_000, 8
_NOISE = 0.3


class Walks:
    """Builds valid binary parts option by option, several at once.

    The value of an option is the one with which more combinations are expected to be covered, if the options that are
    not decided yet have their values by chance and independently of each other. The chances are those in random
    configurations and in configurations of great weight: the weight of a value is the number of combinations that it
    is part of.

    Args:
        parts: the parts of the system.
        rng: the source of random choices.
    """

    def __init__(self, parts: Parts, rng: np.random.Generator) -> None:
        self._rng = rng
        self._diagrams = [diagram for diagram in parts.binary.diagrams if diagram.variables]
        counts = parts.binary.value_counts()
        self._usual = np.array([value / max(1, sum(both)) for both in counts for value in both])

    def configurations(self, tuples: Array, count: int) -> Array:
        """Return selections that each have one of these combinations and many others, and some of great weight.

        `tuples`: combinations of values as literals, shape (n, size); each occurs in some valid configuration. Returns:
        Selections, shape (n, selectable).
        """
        if len(tuples) > _COMBINATIONS:
            tuples = tuples[np.sort(self._shuffled(len(tuples))[:_COMBINATIONS])]
        heavy, chances = self._heavy(tuples, min(count, _SELECTIONS))
        return np.concatenate([self._built(tuples, chances, count), heavy])

    def _shuffled(self, n: int) -> Array:
        """Return a permutation; of all draws, uniform numbers are the least likely to change with numpy's version."""
        return np.argsort(self._rng.random(n), kind="stable")

    def _heavy(self, tuples: Array, count: int) -> tuple[Array, Array]:
        """Return selections of great weight, and the chance of each literal."""
        possible = np.repeat((self._usual > 0)[None] * 0.5, count, axis=0)
        noise = 1 + _NOISE * self._rng.random(possible.shape)
        first = heaviest(self._diagrams, _weights(tuples, possible) * noise)
        chances = (possible + _literals(first)) / 2
        second = heaviest(self._diagrams, _weights(tuples, chances))
        chances = (possible + _literals(first) + _literals(second)) / 3
        return np.concatenate([first, second]), (chances.mean(axis=0) + self._usual) / 2 * (self._usual > 0)

    def _built(self, tuples: Array, usual: Array, count: int) -> Array:
        """Return selections that are built option by option from combinations, shape (count, selectable)."""
        aims = tuples[(self._rng.random(count) * len(tuples)).astype(np.int64)]
        # The chance of each literal in each selection: 0 or 1 once it is decided.
        chances = np.repeat(usual[None], count, axis=0)
        indices = np.arange(count)
        for column in aims.T:
            chances[indices, column], chances[indices, column ^ 1] = 1.0, 0.0
        flat = tuples.reshape(-1)
        by_literal = np.argsort(flat, kind="stable")
        ends = np.searchsorted(flat[by_literal], np.arange(len(usual) + 1))

        def gain(literal: int) -> Array:
            """Return the expected number of combinations with a literal that are covered, shape (count,)."""
            members = tuples[by_literal[ends[literal] : ends[literal + 1]] // tuples.shape[1]]
            product = np.ones((count, len(members)))
            for column in members.T:
                product *= np.where(column == literal, 1.0, chances[:, column])
            total: Array = product.sum(axis=1)
            return total

        for number in self._shuffled(len(self._diagrams)).tolist():
            diagram = self._diagrams[number]
            nodes = np.zeros(count, dtype=np.int64)
            for layer, alive in zip(diagram.layers, _alive(diagram, aims), strict=True):
                low, high = 2 * layer.variable, 2 * layer.variable + 1
                following = np.full((count, 2), -1)
                for column, values in enumerate(layer.classes):
                    child = layer.children[nodes, column]
                    feasible = (child >= 0) & alive[indices, child]
                    for value in values.tolist():
                        following[:, value] = np.where(feasible & (chances[:, low + value] > 0), child, -1)
                undecided = (following >= 0).all(axis=1)
                chosen = following[:, 1] >= 0
                if undecided.any():
                    difference = gain(high) - gain(low)
                    coin = self._rng.random(count) < 0.5
                    better = np.where(np.abs(difference) <= 1e-9, coin, difference > 0)
                    chosen = np.where(undecided, better, chosen)
                nodes = following[indices, chosen.astype(np.int64)]
                chances[:, high], chances[:, low] = chosen, ~chosen
        selections: Array = (chances[:, 1::2] == 1).astype(np.int64)
        return selections


def _literals(selections: Array) -> Array:
    """Return 1 for the literals that selections have, 0 for others, shape (n, literals)."""
    return np.stack([1 - selections, selections], axis=2).reshape(len(selections), -1)


def _weights(tuples: Array, chances: Array) -> Array:
    """Return for each literal the expected number of combinations that it completes, shape (n, literals)."""
    weights = np.zeros(chances.shape)
    for row, chance in enumerate(chances):
        for position, column in enumerate(tuples.T):
            others = np.delete(tuples, position, axis=1)
            weights[row] += np.bincount(column, chance[others].prod(axis=1), chances.shape[1])
    return weights


def _alive(diagram: Diagram, aims: Array) -> list[Array]:
    """Return for each layer the nodes after it below which the aimed-at values occur, shape (aims, nodes)."""
    positions = {variable: number for number, variable in enumerate(diagram.variables)}
    targets = np.full((len(aims), len(positions)), -1)
    for row, column in zip(*np.nonzero(np.isin(aims >> 1, list(positions))), strict=True):
        targets[row, positions[int(aims[row, column]) >> 1]] = aims[row, column] & 1
    alive = [np.ones((len(aims), 1), dtype=bool)]
    for number in range(len(diagram.layers) - 1, 0, -1):
        layer = diagram.layers[number]
        reaching = np.zeros((len(aims), len(layer.children)), dtype=bool)
        for column, values in enumerate(layer.classes):
            child = layer.children[:, column]
            allowed = (targets[:, number] < 0) | np.isin(targets[:, number], values)
            reaching |= allowed[:, None] & (child >= 0) & alive[-1][:, child]
        alive.append(reaching)
    return alive[::-1]
