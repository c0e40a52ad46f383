"""Distance-based sampling: distances to the origin from a distribution, then configurations with these distances.

`Distances` has the number of solutions of each distance, `Lottery` draws distances until they run out of solutions, and
`Diversity` selects, of all configurations with a distance, one whose options were used least often before.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Literal, cast, get_args

import numpy as np

from sampling.designs.design import Amount, Arguments, Design, Selected
from sampling.designs.distance import DECIMALS, Kind, Scope
from sampling.space.parts import Parts
from sampling.space.ranks import distinct_ranks, generator, shuffled_ranks, uniform_below
from sampling.space.rows import contained
from sampling.space.strata import Strata
from splc.data.configurations import Configurations
from splc.errors import SpaceError
from splc.types import Array

Distribution = Literal["uniform", "binomial", "geometric", "normal"]
DISTRIBUTIONS: tuple[str, ...] = get_args(Distribution)
Selection = Literal["random", "solver"]
Optimization = Literal["none", "local", "global"]

# The arguments that only some of the designs have.
_FURTHER: dict[str, tuple[str, ...]] = {
    "distaware": ("selection", "optimization", "weights"),
    "divdistance": ("selection", "weights"),
    "distpreserving": (),
}
MOST_DISTANCES = 2**14
# The precision of probabilities.
_BITS = 128
# Up to this many configurations with a distance are all compared. Otherwise some are drawn: for each selected one so
# many, and at least the other number.
COMPARED = 2000
CANDIDATES, MIN_CANDIDATES = 20, 200
# The largest tables that are searched exactly for each configuration.
CELLS = 2**21
_JITTER = 16


@dataclass(frozen=True)
class DistanceAware:
    """`distaware:N`, `divdistance:N` and `distpreserving:N`: N distinct configurations whose distances are distributed.

    Kaltenecker, Grebhahn, Siegmund, Guo, Apel: "Distance-based sampling of software configuration spaces", ICSE 2019.
    The distance is the Manhattan distance to the origin: the number of selected options, and (value - minimum) /
    (maximum - minimum) of each numeric option. Each configuration is drawn in two steps: a distance, then a
    configuration with this distance that is not in the sample. Distances without (more) configurations are left out,
    and the probabilities of the others rise in proportion.
    """

    text: str
    kind: Kind  # whether whole configurations or parts of them are drawn
    amount: Amount
    # the distribution over all possible distances in ascending order, empty ones included
    distribution: Distribution = "uniform"
    preserving: bool = False  # whether probabilities are multiplied by the number of configurations with each distance
    # `random` draws uniformly among the configurations with a distance; `solver` takes the first one in a fixed order
    selection: Selection = "random"
    # `local` takes a configuration whose options were used least often by the sampled configurations with the same
    # distance, `global` by all sampled ones
    optimization: Optimization = "none"
    # the least and the greatest number of options in the combinations whose use is counted
    degrees: tuple[int, int] = (1, 1)
    seed: int | None = None  # its own seed, which takes precedence

    @classmethod
    def parse(cls, kind: Kind, arguments: Arguments) -> DistanceAware:
        """Read the arguments of `distaware`, `divdistance` or `distpreserving`."""
        arguments.expect(1, 1, "distribution", "metric", "seed", *_FURTHER[arguments.name])
        diversified = arguments.name == "divdistance"
        optimization = "local" if diversified else arguments.choice("optimization", ("none", "local", "global"))
        arguments.choice("metric", ("manhattan",))
        if "weights" in arguments.named and optimization == "none":
            raise arguments.error("weights counts combinations of options, which needs optimization=local or global")
        return cls(
            arguments.text,
            kind,
            Amount.parse(arguments),
            cast(Distribution, arguments.choice("distribution", DISTRIBUTIONS)),
            arguments.name == "distpreserving",
            cast(Selection, arguments.choice("selection", ("random", "solver"))),
            cast(Optimization, optimization),
            _degrees(arguments),
            arguments.seed(),
        )

    def configurations(self, parts: Parts, seed: int, measured: Configurations | None) -> Selected:
        """Return whole configurations, in drawing order."""
        rows, notes = self._rows(parts, seed)
        return Configurations(parts.system, rows), notes

    def design(self, parts: Parts, seed: int) -> Design:
        """Return binary or numeric parts, in drawing order."""
        return Design(*self._rows(parts, seed))

    def _rows(self, parts: Parts, seed: int) -> tuple[Array, tuple[str, ...]]:
        scope = Scope.of(parts, self.kind)
        n = scope.size(self.text, self.amount, parts)
        distances = Distances.of(scope)
        seed = seed if self.seed is None else self.seed
        indices, exhausted = self._drawn_indices(distances, n, generator(seed, "distance"))
        rng = generator(seed, self.kind)
        notes = distances.notes()
        if exhausted:
            notes += (
                f"all configurations with {exhausted:,} of {len(distances.sums):,} distances are in the sample, "
                "which has more of the other distances instead",
            )
        if self.optimization != "none":
            diversity = Diversity(scope, distances, self.degrees, self.selection == "random", rng)
            return diversity.rows(indices, everywhere=self.optimization == "global"), notes
        ranks: dict[int, Iterator[int]] = {}
        drawn = []
        known = set(map(tuple, scope.existing.tolist()))
        for index in indices:
            if index not in ranks:
                ranks[index] = self._ranks(distances, index, known, rng)
            drawn.append(next(ranks[index]))
        return distances.strata.unrank([distances.sums[index] for index in indices], drawn), notes

    def _ranks(
        self, distances: Distances, index: int, known: set[tuple[int, ...]], rng: np.random.Generator
    ) -> Iterator[int]:
        """Return the ranks of configurations with a distance that are not known, in the order of selection."""
        count, total = distances.counts[index], distances.sums[index]
        order = shuffled_ranks(count, rng) if self.selection == "random" else iter(range(count))
        if total not in distances.existing:
            return order
        return (rank for rank in order if tuple(distances.strata.unrank([total], [rank])[0].tolist()) not in known)

    def _drawn_indices(self, distances: Distances, n: int, rng: np.random.Generator) -> tuple[list[int], int]:
        """Return the indices of n drawn distances, and the number of distances that ran out."""
        weights = self.weights(distances)
        lottery = Lottery(weights, rng)
        remaining = distances.left()
        indices = []
        exhausted = 0
        for number in range(n):
            index = lottery.draw()
            indices.append(index)
            remaining[index] -= 1
            if not remaining[index] and number < n - 1:
                lottery.remove(index)
                exhausted += 1
        return indices, exhausted

    def weights(self, distances: Distances) -> list[int]:
        """Return integers proportional to the probabilities of the distances, 0 where nothing can be selected."""
        weights = probabilities(self.distribution, len(distances.sums))
        remaining = distances.left()
        return [
            weight * (count if self.preserving else count > 0) for weight, count in zip(weights, remaining, strict=True)
        ]


def _degrees(arguments: Arguments) -> tuple[int, int]:
    """Return the range that the argument `weights` states: `2` or `1-2`."""
    text = arguments.named.get("weights", "1")
    least, dash, most = text.partition("-")
    meaning = "the number of options in combinations"
    low = arguments.whole_number(least, meaning, 1)
    high = arguments.whole_number(most, meaning, low) if dash else low
    if high > 6:
        raise arguments.error(f"combinations of {high} options are too many, at most 6 are counted")
    return low, high


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
            if reached.bit_count() > MOST_DISTANCES and decimals:
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


def probabilities(distribution: Distribution, n: int) -> list[int]:
    """Return integers proportional to the probabilities of n distances, in ascending order of the distances.

    `uniform`: all equal. `binomial`: n - 1 trials with probability 1/2. `geometric`: each half as probable as the one
    before. `normal`: the mean is in the middle, and the ends are three standard deviations away.
    """
    match distribution:
        case "uniform":
            return [1] * n
        case "binomial":
            binomials = [1]
            for number in range(1, n):
                binomials.append(binomials[-1] * (n - number) // number)
            return binomials
        case "geometric":
            return [1 << (n - 1 - number) for number in range(n)]
        case "normal":
            with localcontext() as context:
                context.prec = 40
                scores = [Decimal(3 * (2 * number - n + 1)) / max(1, n - 1) for number in range(n)]
                return [int((-score * score / 2).exp() * 2**_BITS) for score in scores]


class Lottery:
    """Draws of places with given weights, without those that were removed.

    Weights below 2^-128 of the largest one count as 0 until larger ones are removed.
    """

    def __init__(self, weights: Sequence[int], rng: np.random.Generator) -> None:
        self._weights = list(weights)
        self._rng = rng
        self._removed: set[int] = set()
        self._lost = 0
        self._build()

    def draw(self) -> int:
        """Return a place; its probability is its share of the weights that were not removed."""
        while True:
            position = bisect.bisect_right(self._ends, uniform_below(self._ends[-1], self._rng))
            if position not in self._removed:
                return position

    def remove(self, position: int) -> None:
        """Remove a place."""
        self._removed.add(position)
        self._weights[position] = 0
        self._lost += self._ends[position] - (self._ends[position - 1] if position else 0)
        if 2 * self._lost > self._ends[-1]:
            self._build()

    def _build(self) -> None:
        excess = max(0, max(self._weights).bit_length() - _BITS)
        self._ends = list(itertools.accumulate(weight >> excess for weight in self._weights))
        self._removed = set()
        self._lost = 0


@dataclass(frozen=True, eq=False)
class Diversity:
    """Selection of the configuration with the least number of earlier uses of its options.

    The use of a combination of options is the number of earlier configurations that select all of them; a numeric
    option counts as selected together with the same value only. The sum over all combinations of t options in a
    configuration is the sum of C(c, t) over the earlier configurations, where c is the number of common options.
    """

    scope: Scope
    distances: Distances
    degrees: tuple[int, int]  # the least and the greatest number of options in a combination
    shuffled: bool  # whether equally good configurations are chosen from at random, instead of in a fixed order
    rng: np.random.Generator

    def rows(self, indices: Sequence[int], everywhere: bool) -> Array:
        """Return one distinct solution per distance."""
        by_options = self.degrees == (1, 1) and self.distances.strata.cells <= CELLS
        known = len(self.scope.existing)
        solutions = np.concatenate(
            [self.scope.existing, np.zeros((len(indices), self.scope.existing.shape[1]), dtype=np.int64)]
        )
        strata: dict[int, list[int]] = {}
        uses: dict[int | None, list[Array]] = {}
        pools: dict[int, _Pool] = {}
        totals = [*self.distances.existing, *(self.distances.sums[index] for index in indices)]
        for number, total in enumerate(totals):
            members = strata.setdefault(total, [])
            counts = uses.setdefault(None if everywhere else total, [np.zeros_like(s) for s in self.scope.scales])
            if number >= known and by_options:
                row = self.distances.strata.cheapest(total, self._jittered(counts), solutions[members])
                assert row is not None
                solutions[number] = row
            elif number >= known:
                if total not in pools:
                    pools[total] = self._pool(total, totals.count(total), solutions[members])
                solutions[number] = pools[total].take(solutions[:number] if everywhere else solutions[members])
            for variable, value in zip(self.scope.solutions.variables, solutions[number], strict=True):
                if value or not self.scope.binary[variable]:
                    counts[variable][value] += 1
            members.append(number)
        return solutions[known:]

    def _jittered(self, counts: Sequence[Array]) -> list[Array]:
        """Return counts as costs, with random digits behind them that decide among equal ones."""
        if not self.shuffled:
            return list(counts)
        shift = _JITTER + len(counts).bit_length()
        ends = np.cumsum([len(count) for count in counts])
        digits = np.frombuffer(self.rng.bytes(2 * int(ends[-1])), dtype="<u2").astype(np.int64)
        return [(count << shift) + extra for count, extra in zip(counts, np.split(digits, ends[:-1]), strict=True)]

    def _pool(self, total: int, number: int, excluded: Array) -> _Pool:
        """Return the configurations with a distance to choose from: all, or some that are drawn."""
        count = self.distances.strata.counts[total]
        size = count if count <= COMPARED else min(count, max(MIN_CANDIDATES, CANDIDATES * number))
        listed = size == count and not self.shuffled
        ranks = list(range(count)) if listed else distinct_ranks(count, size, self.rng)
        rows = self.distances.strata.unrank([total] * len(ranks), ranks)
        rows = rows[~contained(rows, excluded)]
        binary = np.array([self.scope.binary[variable] for variable in self.scope.solutions.variables])
        return _Pool(rows, binary, self.degrees)


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
