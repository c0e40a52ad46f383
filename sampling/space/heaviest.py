"""The heaviest solutions of decision diagrams of binary variables, for many weightings at once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sampling.space.diagram import Diagram
from sampling.space.paths import HEAVIEST
from splc.types import Array


def heaviest(diagrams: Iterable[Diagram], weights: Array) -> Array:
    """Return for each row of weights the solution whose literals have the greatest sum, shape (n, variables).

    `weights`: the weight of each literal (see `sampling.space.cheapest.literal`), shape (n, literals).
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
