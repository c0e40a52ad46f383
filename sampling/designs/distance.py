"""Designs by distance: the farthest configurations, and those whose distances to the origin have a distribution.

`Scope` has the solutions that these designs select from and the scales of their variables, `Distances` the number of
solutions with each distance. Distances are drawn until they run out of solutions. Of all configurations with a
distance, one is drawn, or one is taken whose options were used least often before.
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Literal, get_args

import numpy as np

from sampling.designs.design import Amount, Arguments, Design, Selected, too_few
from sampling.draws import PRECISION, Lottery, distinct_ranks, generator, shuffled_ranks
from sampling.space.parts import Parts
from sampling.space.rows import contained
from sampling.space.solutions import Solutions
from sampling.space.strata import Strata
from splc.data.configurations import Configurations
from splc.errors import SpaceError
from splc.types import Array

Kind = Literal["whole", "binary", "numeric"]
_NAMES = {"whole": "configurations", "binary": "binary parts", "numeric": "numeric parts"}
Distribution = Literal["uniform", "binomial", "geometric", "normal"]
DISTRIBUTIONS: tuple[Distribution, ...] = get_args(Distribution)
Optimization = Literal["none", "local", "global"]
# The arguments that only some of the distributed designs have.
_FURTHER: dict[str, tuple[str, ...]] = {
    "distaware": ("selection", "optimization", "weights"),
    "divdistance": ("selection", "weights"),
    "distpreserving": (),
}

# Distances are integers in this unit: numeric options are rounded to 4 decimals, as in SPL Conqueror.
DECIMALS = 4
UNIT = 10**DECIMALS
_MAX_WEIGHT = 1000
MOST_DISTANCES = 2**14
# Up to this many configurations with a distance are all compared. Otherwise some are drawn: for each selected one so
# many, and at least the other number.
COMPARED = 2000
CANDIDATES, MIN_CANDIDATES = 20, 200
# The largest tables that are searched exactly for each configuration.
CELLS = 2**21
_JITTER = 16


@dataclass(frozen=True)
class Scope:
    """Solutions, and the scales of their variables."""

    kind: Kind  # the kind of the solutions
    solutions: Solutions  # the solutions; there is one
    scales: tuple[Array, ...]  # the position of each value by variable, 0 to 1 in `UNIT`; selected is 1, deselected -1
    optional: tuple[bool, ...]  # which variables select options that are called optional; numeric values do not
    binary: tuple[bool, ...]  # which variables are binary options
    existing: Array  # the distinct solutions of a sample to be extended, not selected again, shape (n, variables)

    @classmethod
    def of(cls, parts: Parts, kind: Kind) -> Scope:
        """Return the scope of a system's configurations or parts."""
        parts.space.require_valid()
        whole = kind == "whole"
        solutions = parts.space.solutions if whole else parts.binary if kind == "binary" else parts.numeric
        existing = np.zeros((0, len(solutions.variables)), dtype=np.int64)
        if kind == "binary":
            existing = parts.known.astype(np.int64)
        elif whole and parts.existing is not None:
            existing = parts.existing.unique().indices.astype(np.int64)
        switches = 0 if whole else len(parts.optional)
        optional = [*(option.optional for option in parts.system.binary_options), *[True] * switches]
        scales = [np.array([0, UNIT])] * len(optional)
        for option in parts.system.numeric_options:
            values = np.array(option.values)
            spread = values[-1] - values[0]
            scale = np.rint((values - values[0]) / (spread or 1.0) * UNIT).astype(np.int64)
            scales.append(np.append(scale, -1) if whole and option.optional else scale)
        binary = [position < len(optional) for position in range(len(scales))]
        optional += [False] * (len(scales) - len(optional))
        return cls(kind, solutions, tuple(scales), tuple(optional), tuple(binary), existing)

    def size(self, text: str, amount: Amount, parts: Parts) -> int:
        """Return the number of solutions that a design asks for, besides those of a sample to be extended."""
        n = amount.resolve(parts)
        remaining = self.solutions.count - len(self.existing)
        if n > remaining:
            raise too_few(text, remaining, n, f"{'more ' if len(self.existing) else ''}valid {_NAMES[self.kind]}")
        return n

    def weights(self, decimals: int = DECIMALS) -> tuple[Array, ...]:
        """Return the part of each value in the distance to the origin, in units of 10^-decimals.

        A selected binary option adds 1, a numeric one (value - minimum) / (maximum - minimum), and one that can be
        deselected 1 more than that.
        """
        coarse = 10 ** (DECIMALS - decimals)
        weights = []
        for scale in self.scales:
            deselectable = scale[-1] < 0
            rounded = (2 * scale + coarse) // (2 * coarse) + (10**decimals if deselectable else 0)
            weights.append(np.where(scale < 0, 0, rounded))
        return tuple(weights)


@dataclass(frozen=True)
class ScopeDesign(ABC):
    """A design that selects N of the solutions of a scope."""

    text: str
    kind: Kind  # whether whole configurations or parts of them are selected
    amount: Amount

    def configurations(self, parts: Parts, seed: int, measured: Configurations | None) -> Selected:
        """Return whole configurations, in order of selection."""
        rows, notes = self._selected(parts, seed)
        return Configurations(parts.system, rows), notes

    def design(self, parts: Parts, seed: int) -> Design:
        """Return binary or numeric parts, in order of selection."""
        return Design(*self._selected(parts, seed))

    def _selected(self, parts: Parts, seed: int) -> tuple[Array, tuple[str, ...]]:
        scope = Scope.of(parts, self.kind)
        return self._rows(scope, scope.size(self.text, self.amount, parts), seed)

    @abstractmethod
    def _rows(self, scope: Scope, n: int, seed: int) -> tuple[Array, tuple[str, ...]]:
        """Return n solutions, and notes."""


@dataclass(frozen=True)
class DistanceMaximizing(ScopeDesign):
    """`distance:N[,weight=W]`: the smallest configuration, then those with the largest sum of distances to all before.

    SPL Conqueror's distance-based sampling (Siegmund et al.). The distance of two configurations is the number of
    binary options that only one of them selects, in which those that the description calls optional count W times, and
    |difference| / (maximum - minimum) of numeric options (1 if only one of the two configurations has a value). The
    configurations of a sample to be extended count as those before.
    """

    weight: int = 1  # the weight of optional options

    @classmethod
    def parse(cls, kind: Kind, arguments: Arguments) -> DistanceMaximizing:
        """Read its arguments."""
        arguments.expect(1, 1, "weight")
        weight = arguments.whole_number(arguments.named.get("weight", "1"), "the weight", 1)
        if weight > _MAX_WEIGHT:
            raise arguments.error(f"the weight must be at most {_MAX_WEIGHT:,}, not {weight:,}")
        return cls(arguments.text, kind, Amount.parse(arguments), weight)

    def _rows(self, scope: Scope, n: int, seed: int) -> tuple[Array, tuple[str, ...]]:
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
                apart = np.where((scale < 0) != (scale[value] < 0), UNIT, np.abs(scale - scale[value]))
                costs[variable] = costs[variable] - apart * (self.weight if scope.optional[variable] else 1)
        return rows[known:], ()


@dataclass(frozen=True)
class DistanceAware(ScopeDesign):
    """`distaware:N`, `divdistance:N` and `distpreserving:N`: N distinct configurations whose distances are distributed.

    Kaltenecker, Grebhahn, Siegmund, Guo, Apel: "Distance-based sampling of software configuration spaces", ICSE 2019.
    The distance is the Manhattan distance to the origin: the number of selected options, and (value - minimum) /
    (maximum - minimum) of each numeric option. Each configuration is drawn in two steps: a distance, then a
    configuration with this distance that is not in the sample. Distances without (more) configurations are left out,
    and the probabilities of the others rise in proportion.
    """

    distribution: Distribution = "uniform"  # over all possible distances, ascending, empty ones included
    preserving: bool = False  # whether probabilities are multiplied by the number of configurations with each distance
    # `random` draws uniformly among the configurations with a distance; `solver` takes the first one in a fixed order
    selection: Literal["random", "solver"] = "random"
    # `local` takes a configuration whose options were used least often by the sampled configurations with the same
    # distance, `global` by all sampled ones
    optimization: Optimization = "none"
    degrees: tuple[int, int] = (1, 1)  # the least and the greatest size of the combinations whose use is counted
    seed: int | None = None  # its own seed, which takes precedence

    @classmethod
    def parse(cls, kind: Kind, arguments: Arguments) -> DistanceAware:
        """Read the arguments of `distaware`, `divdistance` or `distpreserving`."""
        arguments.expect(1, 1, "distribution", "metric", "seed", *_FURTHER[arguments.name])
        optimization: Optimization = "local"
        if arguments.name != "divdistance":
            optimization = arguments.choice("optimization", ("none", "local", "global"))
        arguments.choice("metric", ("manhattan",))
        if "weights" in arguments.named and optimization == "none":
            raise arguments.error("weights counts combinations of options, which needs optimization=local or global")
        return cls(
            arguments.text,
            kind,
            Amount.parse(arguments),
            arguments.choice("distribution", DISTRIBUTIONS),
            arguments.name == "distpreserving",
            arguments.choice("selection", ("random", "solver")),
            optimization,
            _degrees(arguments),
            arguments.seed(),
        )

    def _rows(self, scope: Scope, n: int, seed: int) -> tuple[Array, tuple[str, ...]]:
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
        totals = [distances.sums[index] for index in indices]
        if self.optimization != "none":
            return self._diverse(scope, distances, totals, rng), notes
        known = set(map(tuple, scope.existing.tolist()))
        unrank = distances.strata.unrank

        def ranks(total: int) -> Iterator[int]:
            """Return the ranks of configurations with a distance that are not known, in the order of selection."""
            count = distances.strata.counts[total]
            order = shuffled_ranks(count, rng) if self.selection == "random" else iter(range(count))
            if total not in distances.existing:
                return order
            return (rank for rank in order if tuple(unrank([total], [rank])[0].tolist()) not in known)

        ranks_of = {total: ranks(total) for total in dict.fromkeys(totals)}
        return unrank(totals, [next(ranks_of[total]) for total in totals]), notes

    def _drawn_indices(self, distances: Distances, n: int, rng: np.random.Generator) -> tuple[list[int], int]:
        """Return the indices of n drawn distances, and the number of distances that ran out."""
        known = Counter(distances.existing)
        remaining = [count - known[total] for total, count in zip(distances.sums, distances.counts, strict=True)]
        # Integers proportional to the probabilities, 0 where nothing can be selected.
        shares = zip(probabilities(self.distribution, len(remaining)), remaining, strict=True)
        lottery = Lottery([share * (count if self.preserving else count > 0) for share, count in shares], rng)
        indices = []
        exhausted = 0
        for number in range(n):
            indices.append(lottery.draw())
            remaining[indices[-1]] -= 1
            if not remaining[indices[-1]] and number < n - 1:
                lottery.remove(indices[-1])
                exhausted += 1
        return indices, exhausted

    def _diverse(self, scope: Scope, distances: Distances, totals: Sequence[int], rng: np.random.Generator) -> Array:
        """Return one distinct solution per distance, each with the least number of earlier uses of its options.

        The use of a combination of options is the number of earlier configurations that select all of them; a numeric
        option counts as selected together with the same value only. The sum over all combinations of t options in a
        configuration is the sum of C(c, t) over the earlier configurations, where c is the number of common options.
        """
        strata, shuffled = distances.strata, self.selection == "random"
        everywhere = self.optimization == "global"
        known = len(scope.existing)
        all_totals = [*distances.existing, *totals]
        solutions = np.zeros((len(all_totals), scope.existing.shape[1]), dtype=np.int64)
        solutions[:known] = scope.existing
        members_of: dict[int, list[int]] = {}
        uses: dict[int | None, list[Array]] = {}
        pools: dict[int, _Pool] = {}
        for number, total in enumerate(all_totals):
            members = members_of.setdefault(total, [])
            counts = uses.setdefault(None if everywhere else total, [np.zeros_like(s) for s in scope.scales])
            if number >= known and self.degrees == (1, 1) and strata.cells <= CELLS:
                costs = _jittered(counts, rng) if shuffled else counts
                row = strata.cheapest(total, costs, solutions[members])
                assert row is not None
                solutions[number] = row
            elif number >= known:
                if total not in pools:
                    # All configurations with the distance, or some that are drawn.
                    count = strata.counts[total]
                    most = max(MIN_CANDIDATES, CANDIDATES * all_totals.count(total))
                    size = count if count <= COMPARED else min(count, most)
                    ranks = list(range(count)) if size == count and not shuffled else distinct_ranks(count, size, rng)
                    rows = strata.unrank([total] * size, ranks)
                    binary = np.array([scope.binary[variable] for variable in scope.solutions.variables])
                    pools[total] = _Pool(rows[~contained(rows, solutions[members])], binary, self.degrees)
                solutions[number] = pools[total].take(solutions[:number] if everywhere else solutions[members])
            for variable, value in zip(scope.solutions.variables, solutions[number], strict=True):
                if value or not scope.binary[variable]:
                    counts[variable][value] += 1
            members.append(number)
        return solutions[known:]


def _degrees(arguments: Arguments) -> tuple[int, int]:
    """Return the range that the argument `weights` states: `2` or `1-2`."""
    least, dash, most = arguments.named.get("weights", "1").partition("-")
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
    def of(cls, scope: Scope, decimals: int = DECIMALS) -> Distances:
        """Return the distances of a scope's solutions, rounded as coarsely as needed to have at most 2^14 of them."""
        variables, weights = scope.solutions.variables, scope.weights(decimals)
        possible = zip(variables, scope.solutions.value_counts(), strict=True)
        option_weights = [np.unique(weights[v][np.array(counts) > 0]).tolist() for v, counts in possible]
        divisor = math.gcd(*(weight for weight_set in option_weights for weight in weight_set)) or 1
        reached = 1
        for weight_set in option_weights:
            reached = functools.reduce(int.__or__, (reached << weight // divisor for weight in weight_set))
        if reached.bit_count() > MOST_DISTANCES and decimals:
            return cls.of(scope, decimals - 1)
        weights = tuple(weight // divisor for weight in weights)
        try:
            strata = Strata(scope.solutions, weights)
        except SpaceError:
            if not decimals:
                raise
            return cls.of(scope, decimals - 1)
        sums = tuple(position for position, digit in enumerate(bin(reached)[:1:-1]) if digit == "1")
        counts = tuple(strata.counts.get(total, 0) for total in sums)
        known = zip(variables, scope.existing.T, strict=True)
        existing = sum((weights[v][column] for v, column in known), np.zeros(len(scope.existing), dtype=np.int64))
        return cls(sums, counts, strata, tuple(existing.tolist()), divisor / 10**decimals, decimals)

    def notes(self) -> tuple[str, ...]:
        """Return notes on distances without solutions and on coarse rounding."""
        remarks: tuple[str, ...] = ()
        if empty := self.counts.count(0):
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
                return [int((-score * score / 2).exp() * 2**PRECISION) for score in scores]


def _jittered(counts: Sequence[Array], rng: np.random.Generator) -> list[Array]:
    """Return counts as costs, with random digits behind them that decide among equal ones."""
    shift = _JITTER + len(counts).bit_length()
    ends = np.cumsum([len(count) for count in counts])
    digits = np.frombuffer(rng.bytes(2 * int(ends[-1])), dtype="<u2").astype(np.int64)
    return [(count << shift) + extra for count, extra in zip(counts, np.split(digits, ends[:-1]), strict=True)]


class _Pool:
    """Candidates of one distance."""

    def __init__(self, rows: Array, binary: Array, degrees: tuple[int, int]) -> None:
        self._rows, self._binary, self._seen = rows, binary, 0
        sizes = range(degrees[0], degrees[1] + 1)
        uses = [sum(math.comb(common, t) for t in sizes) for common in range(rows.shape[1] + 1)]
        self._combinations = np.array(uses, dtype=float)
        # What was taken costs infinitely much.
        self._costs = np.zeros(len(rows))

    def take(self, earlier: Array) -> Array:
        """Return the candidate with the least uses by `earlier` configurations, and do not return it again."""
        for row in earlier[self._seen :]:
            same = self._rows == row
            common = (same & ~(self._binary & (row == 0))).sum(axis=1)
            self._costs += self._combinations[common]
        self._seen = len(earlier)
        best = int(self._costs.argmin())
        self._costs[best] = np.inf
        return np.asarray(self._rows[best])
