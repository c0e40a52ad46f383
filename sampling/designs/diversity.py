"""Diversified selection: of all configurations with a distance, one whose options were used least often before."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sampling.designs.distances import Distances
from sampling.designs.scope import Scope, contained
from sampling.space.ranks import distinct_ranks
from splc.types import Array

# Up to this many configurations with a distance are all compared. Otherwise some are drawn: for each selected one so
# many, and at least the other number.
COMPARED = 2000
CANDIDATES, MIN_CANDIDATES = 20, 200
# The largest tables that are searched exactly for each configuration.
CELLS = 2**21
_JITTER = 16


class Diversity:
    """Selection of the configuration with the least number of earlier uses of its options.

    The use of a combination of options is the number of earlier configurations that select all of them; a numeric
    option counts as selected together with the same value only. The sum over all combinations of t options in a
    configuration is the sum of C(c, t) over the earlier configurations, where c is the number of common options.

    Args:
        scope: the solutions.
        distances: the solutions by distance.
        degrees: the least and the greatest number of options in a combination.
        shuffled: whether equally good configurations are chosen from at random, instead of in a fixed order.
        rng: the random generator.
    """

    def __init__(
        self, scope: Scope, distances: Distances, degrees: tuple[int, int], shuffled: bool, rng: np.random.Generator
    ) -> None:
        self._scope = scope
        self._distances = distances
        self._degrees = degrees
        self._shuffled = shuffled
        self._rng = rng

    def rows(self, indices: Sequence[int], everywhere: bool) -> Array:
        """Return one distinct solution per distance."""
        by_options = self._degrees == (1, 1) and self._distances.strata.cells <= CELLS
        known = len(self._scope.existing)
        solutions = np.concatenate(
            [self._scope.existing, np.zeros((len(indices), self._scope.existing.shape[1]), dtype=np.int64)]
        )
        strata: dict[int, list[int]] = {}
        uses: dict[int | None, list[Array]] = {}
        pools: dict[int, _Pool] = {}
        totals = [*self._distances.existing, *(self._distances.sums[index] for index in indices)]
        for number, total in enumerate(totals):
            members = strata.setdefault(total, [])
            counts = uses.setdefault(None if everywhere else total, [np.zeros_like(s) for s in self._scope.scales])
            if number >= known and by_options:
                row = self._distances.strata.cheapest(total, self._jittered(counts), solutions[members])
                assert row is not None
                solutions[number] = row
            elif number >= known:
                if total not in pools:
                    pools[total] = self._pool(total, totals.count(total), solutions[members])
                solutions[number] = pools[total].take(solutions[:number] if everywhere else solutions[members])
            for variable, value in zip(self._scope.solutions.variables, solutions[number], strict=True):
                if value or not self._scope.binary[variable]:
                    counts[variable][value] += 1
            members.append(number)
        return solutions[known:]

    def _jittered(self, counts: Sequence[Array]) -> list[Array]:
        """Return counts as costs, with random digits behind them that decide among equal ones."""
        if not self._shuffled:
            return list(counts)
        shift = _JITTER + len(counts).bit_length()
        ends = np.cumsum([len(count) for count in counts])
        digits = np.frombuffer(self._rng.bytes(2 * int(ends[-1])), dtype="<u2").astype(np.int64)
        return [(count << shift) + extra for count, extra in zip(counts, np.split(digits, ends[:-1]), strict=True)]

    def _pool(self, total: int, number: int, excluded: Array) -> _Pool:
        """Return the configurations with a distance to choose from: all, or some that are drawn."""
        count = self._distances.strata.counts[total]
        size = count if count <= COMPARED else min(count, max(MIN_CANDIDATES, CANDIDATES * number))
        listed = size == count and not self._shuffled
        ranks = list(range(count)) if listed else distinct_ranks(count, size, self._rng)
        rows = self._distances.strata.unrank([total] * len(ranks), ranks)
        rows = rows[~contained(rows, excluded)]
        binary = np.array([self._scope.binary[variable] for variable in self._scope.solutions.variables])
        return _Pool(rows, binary, self._degrees)


class _Pool:
    """Candidates of one distance."""

    def __init__(self, rows: Array, binary: Array, degrees: tuple[int, int]) -> None:
        self._rows = rows
        self._binary = binary
        self._free = np.ones(len(rows), dtype=bool)
        sizes = range(rows.shape[1] + 1)
        self._combinations = np.array(
            [sum(math.comb(common, t) for t in range(degrees[0], degrees[1] + 1)) for common in sizes], dtype=float
        )
        self._costs = np.zeros(len(rows))
        self._seen = 0

    def take(self, earlier: Array) -> Array:
        """Return the candidate with the least uses by `earlier` configurations, and do not return it again."""
        for row in earlier[self._seen :]:
            same = self._rows == row
            common = (same & ~(self._binary & (row == 0))).sum(axis=1)
            self._costs += self._combinations[common]
        self._seen = len(earlier)
        best = int(np.where(self._free, self._costs, np.inf).argmin())
        self._free[best] = False
        return np.asarray(self._rows[best])
