"""Walks through decision diagrams that cover many combinations of values."""

from __future__ import annotations

import numpy as np

from sampling.space.diagram import Diagram
from sampling.space.parts import Parts
from splc.types import Array


class Walks:
    """Builds valid binary parts option by option, several at once.

    Args:
        parts: the parts of the system.
        rng: the source of random choices.
    """

    def __init__(self, parts: Parts, rng: np.random.Generator) -> None:
        self._rng = rng
        self._diagrams = [diagram for diagram in parts.binary.diagrams if diagram.variables]
        counts = parts.binary.value_counts()
        # The probability of each literal in a random configuration.
        self._usual = np.array([value / max(1, sum(both)) for both in counts for value in both])

    def configurations(self, tuples: Array, count: int) -> Array:
        """Return configurations that each have one of these combinations and as many others as possible.

        Args:
            tuples: combinations of values as literals, shape (n, size); each occurs in some valid configuration.
            count: the number of configurations.

        Returns:
            Selections of shape (count, selectable).
        """
        size = tuples.shape[1]
        aims = tuples[self._rng.integers(0, len(tuples), count)]
        # The probability of each literal in each configuration: 0 or 1 once it is decided.
        chances = np.repeat(self._usual[None], count, axis=0)
        each = np.arange(count)
        for column in aims.T:
            chances[each, column], chances[each, column ^ 1] = 1.0, 0.0
        by_literal = np.argsort(tuples.reshape(-1), kind="stable")
        ends = np.searchsorted(tuples.reshape(-1)[by_literal], np.arange(len(self._usual) + 1))

        def gain(which: int) -> Array:
            """Return the expected number of these combinations that a literal completes, shape (count,)."""
            places = by_literal[ends[which] : ends[which + 1]]
            others = tuples[places // size]
            product = np.ones((count, len(places)))
            for column in range(size):
                own = others[:, column] == which
                product *= np.where(own, 1.0, chances[:, others[:, column]])
            total: Array = product.sum(axis=1)
            return total

        for number in self._rng.permutation(len(self._diagrams)).tolist():
            diagram = self._diagrams[number]
            alive = _alive(diagram, aims)
            nodes = np.zeros(count, dtype=np.int64)
            for layer, after in zip(diagram.layers, alive, strict=True):
                low, high = 2 * layer.variable, 2 * layer.variable + 1
                following = np.full((count, 2), -1)
                for column, values in enumerate(layer.classes):
                    for value in values.tolist():
                        wanted = chances[:, low + value] > 0
                        child = layer.children[nodes, column]
                        following[:, value] = np.where(wanted & (child >= 0) & after[each, child], child, -1)
                open_ = (following >= 0).all(axis=1)
                chosen = following[:, 1] >= 0
                if open_.any():
                    difference = gain(high) - gain(low)
                    equal = np.abs(difference) <= 1e-9
                    coin = self._rng.random(count) < 0.5
                    chosen = np.where(open_, np.where(equal, coin, difference > 0), chosen)
                nodes = following[each, chosen.astype(np.int64)]
                chances[:, high], chances[:, low] = chosen, ~chosen
        selections: Array = (chances[:, 1::2] == 1).astype(np.int64)
        return selections


def _alive(diagram: Diagram, aims: Array) -> list[Array]:
    """Return for each layer the nodes after it below which the aimed-at values occur, shape (aims, nodes)."""
    place = {variable: number for number, variable in enumerate(diagram.variables)}
    wanted = np.full((len(aims), len(place)), -1)
    for column in aims.T:
        for row, each in enumerate(column.tolist()):
            if each >> 1 in place:
                wanted[row, place[each >> 1]] = each & 1
    alive = [np.ones((len(aims), 1), dtype=bool)]
    for number in range(len(diagram.layers) - 1, 0, -1):
        layer = diagram.layers[number]
        here = np.zeros((len(aims), len(layer.children)), dtype=bool)
        for column, values in enumerate(layer.classes):
            for value in values.tolist():
                child = layer.children[:, column]
                able = (wanted[:, number] < 0) | (wanted[:, number] == value)
                here |= able[:, None] & (child >= 0) & alive[-1][:, child]
        alive.append(here)
    return alive[::-1]
