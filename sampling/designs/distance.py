"""Distance-maximising sampling: each configuration is as far as possible from those before it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sampling.designs.amount import Amount
from sampling.designs.design import Arguments, Design, Selected
from sampling.designs.scope import UNIT, Kind, Scope
from sampling.space.parts import Parts
from sampling.space.strata import Strata
from splc.data.configurations import Configurations
from splc.types import Array

_MAX_WEIGHT = 1000


@dataclass(frozen=True)
class DistanceMaximizing:
    """`distance:N[,weight=W]`: the smallest configuration, then those with the largest sum of distances to all before.

    SPL Conqueror's distance-based sampling (Siegmund et al.). The distance of two configurations is the number of
    binary options that only one of them selects, in which those that the description calls optional count W times, and
    |difference| / (maximum - minimum) of numeric options (1 if only one of the two configurations has a value). The
    configurations of a sample to be extended count as those before.
    """

    text: str
    kind: Kind  # whether whole configurations or binary parts are selected
    amount: Amount
    weight: int = 1  # the weight of optional options

    @classmethod
    def parse(cls, kind: Kind, arguments: Arguments) -> DistanceMaximizing:
        """Read its arguments."""
        arguments.expect(1, 1, "weight")
        weight = arguments.whole_number(arguments.named.get("weight", "1"), "the weight", 1)
        if weight > _MAX_WEIGHT:
            raise arguments.error(f"the weight must be at most {_MAX_WEIGHT:,}, not {weight:,}")
        return cls(arguments.text, kind, Amount.parse(arguments), weight)

    def configurations(self, parts: Parts, seed: int, measured: Configurations | None) -> Selected:
        """Return whole configurations in order of selection (the seed has no effect)."""
        return Configurations(parts.system, self._rows(parts)), ()

    def design(self, parts: Parts, seed: int) -> Design:
        """Return binary parts in order of selection (the seed has no effect)."""
        return Design(self._rows(parts))

    def _rows(self, parts: Parts) -> Array:
        scope = Scope.of(parts, self.kind)
        n = scope.size(self.text, self.amount, parts)
        variables = scope.solutions.variables
        zeros = [np.zeros(len(scale), dtype=np.int64) for scale in scope.scales]
        strata = Strata(scope.solutions, zeros)
        known = len(scope.existing)
        costs = zeros if known else list(scope.weights())
        rows = np.concatenate([scope.existing, np.zeros((n, len(variables)), dtype=np.int64)])
        for number in range(known + n):
            if number >= known:
                row = strata.cheapest(0, costs, rows[:number])
                assert row is not None
                rows[number] = row
            if number == 0:
                costs = zeros
            for variable, value in zip(variables, rows[number], strict=True):
                scale = scope.scales[variable]
                apart = np.abs(scale - scale[value])
                apart[(scale < 0) != (scale[value] < 0)] = UNIT
                costs[variable] = costs[variable] - apart * (self.weight if scope.optional[variable] else 1)
        return rows[known:]
