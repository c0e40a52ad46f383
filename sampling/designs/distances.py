"""Solutions by their distance to the origin, the configuration without selected options and with least values."""

from __future__ import annotations

import functools
import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from sampling.designs.scope import DECIMALS, Scope
from sampling.space.strata import Strata
from splc.errors import SpaceError

MOST = 2**14


@dataclass(frozen=True)
class Distances:
    """The possible distances of a scope's solutions, in ascending order."""

    sums: tuple[int, ...]  # all sums of the options' own values, also those that no solution has
    counts: tuple[int, ...]  # the number of solutions with each sum
    strata: Strata  # the solutions by sum
    existing: tuple[int, ...]  # the sum of each solution of a sample to be extended
    unit: float  # a distance is a sum times this
    decimals: int = DECIMALS  # the number of decimals to which distances of numeric options are rounded

    @classmethod
    def of(cls, scope: Scope) -> Distances:
        """Return the distances of a scope's solutions, rounded as coarsely as needed to have at most 2^14 of them."""
        possible = dict(zip(scope.solutions.variables, scope.solutions.value_counts(), strict=True))
        for decimals in range(DECIMALS, -1, -1):
            weights = scope.weights(decimals)
            option_weights = [np.unique(weights[v][[count > 0 for count in counts]]) for v, counts in possible.items()]
            divisor = math.gcd(*(int(weight) for weight_set in option_weights for weight in weight_set)) or 1
            reached = 1
            for weight_set in option_weights:
                reached = functools.reduce(int.__or__, (reached << int(weight) // divisor for weight in weight_set))
            if reached.bit_count() > MOST and decimals:
                continue
            try:
                weights = tuple(weight // divisor for weight in weights)
                strata = Strata(scope.solutions, weights)
            except SpaceError:
                if decimals:
                    continue
                raise
            digits = bin(reached)[:1:-1]
            sums = tuple(position for position, digit in enumerate(digits) if digit == "1")
            counts = tuple(strata.counts.get(total, 0) for total in sums)
            existing = tuple(scope.distances(scope.existing, weights))
            return cls(sums, counts, strata, existing, divisor / 10**decimals, decimals)
        raise AssertionError("unreachable")

    def left(self) -> list[int]:
        """Return the number of solutions with each sum that are not in the sample to be extended."""
        known = Counter(self.existing)
        return [count - known[total] for total, count in zip(self.sums, self.counts, strict=True)]

    def notes(self) -> tuple[str, ...]:
        """Return notes on distances without solutions and on coarse rounding."""
        empty = self.counts.count(0)
        remarks: tuple[str, ...] = ()
        if empty:
            remarks += (f"{empty:,} of {len(self.sums):,} possible distances have no valid configuration",)
        if self.decimals < DECIMALS:
            grain = 10.0**-self.decimals
            remarks += (f"there are many distances: values of numeric options are rounded to multiples of {grain:g}",)
        return remarks
