"""The answers of a solver whose order of options and values is drawn again for each configuration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sampling.designs.amount import DrawnDesign
from sampling.designs.design import Design
from sampling.designs.scope import Scope
from sampling.space.parts import Parts
from sampling.space.paths import first_solutions, random_orders

_GROWTH = 8


@dataclass(frozen=True)
class Henard(DrawnDesign):
    """`henard:N[,seed=S]`: N distinct valid selections of a randomised solver.

    Henard, Papadakis, Harman, Le Traon: "Combining multi-objective search and constraint solving for configuring large
    software product lines", ICSE 2015. For each selection, the order of the options and the value that is tried first
    are drawn for each option; the selection is the first one in this order that is not in the sample. Selections are
    not equally probable.
    """

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows in drawing order."""
        scope = Scope.of(parts, "binary")
        n = scope.size(self.text, self.amount, parts)
        rng = self.rng(seed, "binary")
        orders, preferred = random_orders(n, len(parts.selectable), rng)
        selections = np.zeros((n, len(parts.selectable)), dtype=np.uint8)
        used = {row.tobytes() for row in scope.existing.astype(np.uint8)}
        pending = np.arange(n)
        quota = 1
        while len(pending):
            quotas = np.full(len(pending), min(quota, scope.solutions.count))
            rows, numbers = first_solutions(scope.solutions, orders[pending], preferred[pending], quotas)
            rows = rows.astype(np.uint8)
            resolved = np.zeros(len(pending), dtype=bool)
            for row, number in zip(rows, numbers.tolist(), strict=True):
                if not resolved[number] and row.tobytes() not in used:
                    used.add(row.tobytes())
                    selections[pending[number]] = row
                    resolved[number] = True
            # Draws whose first selections are all in the sample look further in their order.
            pending = pending[~resolved]
            quota *= _GROWTH
        return Design(selections)
