"""The heaviest solutions of decision diagrams of binary variables, for many weightings at once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sampling.space.diagram import Diagram
from splc.types import Array


def heaviest(diagrams: Iterable[Diagram], weights: Array) -> Array:
    """Return for each row of weights the solution whose literals have the greatest sum, shape (n, variables).

    `weights`: the weight of each literal (see `sampling.space.cheapest.literal`), shape (n, literals).
    """
    found = np.zeros((len(weights), weights.shape[1] // 2), dtype=np.int64)
    each = np.arange(len(weights))
    for diagram in diagrams:
        below = np.zeros((len(weights), 1))
        higher: list[Array] = []
        for layer in reversed(diagram.layers):
            sums = np.full((2, len(weights), len(layer.children)), -np.inf)
            for column, values in enumerate(layer.classes):
                child = layer.children[:, column]
                for value in values.tolist():
                    added = weights[:, 2 * layer.variable + value, None]
                    sums[value] = np.where(child >= 0, below[:, child] + added, -np.inf)
            higher.append(sums[1] > sums[0])
            below = sums.max(axis=0)
        nodes = np.zeros(len(weights), dtype=np.int64)
        for layer, one in zip(diagram.layers, reversed(higher), strict=True):
            chosen = one[each, nodes].astype(np.int64)
            found[:, layer.variable] = chosen
            of_value = np.zeros(2, dtype=np.int64)
            for column, values in enumerate(layer.classes):
                of_value[values] = column
            nodes = layer.children[nodes, of_value[chosen]]
    return found
