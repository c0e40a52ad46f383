"""Distance-based sampling: distances to the origin from a distribution, then configurations with these distances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from sampling.designs.amount import Amount
from sampling.designs.design import Arguments, Design, Selected
from sampling.designs.distances import Distances
from sampling.designs.distributions import DISTRIBUTIONS, Distribution, Lottery, probabilities
from sampling.designs.diversity import Diversity
from sampling.designs.scope import Kind, Scope
from sampling.space.parts import Parts
from sampling.space.ranks import generator, shuffled_ranks
from splc.data.configurations import Configurations
from splc.types import Array

Selection = Literal["random", "solver"]
Optimization = Literal["none", "local", "global"]


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
        """Read the arguments of `distaware`."""
        keys = ("distribution", "metric", "selection", "optimization", "weights", "seed")
        arguments.expect(1, 1, *keys)
        optimization = cast(Optimization, arguments.choice("optimization", ("none", "local", "global")))
        return cls._read(kind, arguments, optimization)

    @classmethod
    def parse_diversified(cls, arguments: Arguments) -> DistanceAware:
        """Read the arguments of `divdistance`."""
        arguments.expect(1, 1, "distribution", "metric", "selection", "weights", "seed")
        return cls._read("binary", arguments, "local")

    @classmethod
    def parse_preserving(cls, kind: Kind, arguments: Arguments) -> DistanceAware:
        """Read the arguments of `distpreserving`."""
        arguments.expect(1, 1, "distribution", "metric", "seed")
        return cls._read(kind, arguments, "none", preserving=True)

    @classmethod
    def _read(
        cls, kind: Kind, arguments: Arguments, optimization: Optimization, preserving: bool = False
    ) -> DistanceAware:
        arguments.choice("metric", ("manhattan",))
        if "weights" in arguments.named and optimization == "none":
            raise arguments.error("weights counts combinations of options, which needs optimization=local or global")
        return cls(
            arguments.text,
            kind,
            Amount.parse(arguments),
            cast(Distribution, arguments.choice("distribution", DISTRIBUTIONS)),
            preserving,
            cast(Selection, arguments.choice("selection", ("random", "solver"))),
            optimization,
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
