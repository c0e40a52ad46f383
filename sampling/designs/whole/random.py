"""Random samples of valid configurations."""

from __future__ import annotations

from dataclasses import dataclass

from sampling.designs.design import Selected
from sampling.designs.draws import RandomDesign
from sampling.designs.population import read_population
from sampling.space.parts import Parts
from sampling.space.space import LIMIT
from splc.data.configurations import Configurations
from splc.errors import plural


@dataclass(frozen=True)
class RandomWhole(RandomDesign):
    """`random:N[,compat[=2018]][,seed=S][,from=FILE]`: N distinct configurations, uniformly drawn, in this order.

    Where the constraints are too complex for exact counts, draws are approximately uniform, and a note says so.

    SPL Conqueror draws binary and numeric parts independently; here all valid configurations are equally likely. With
    `compat` the configurations are drawn as SPL Conqueror draws parts, from their list in lexicographic order, and with
    `from` from the rows of a file.
    """

    def configurations(self, parts: Parts, seed: int, measured: Configurations | None) -> Selected:
        """Return the configurations; its own seed takes precedence over `seed`."""
        space = parts.space
        if self.source is not None:
            population = read_population(self.source, parts.system)
            if parts.existing is not None and not self.compat:
                population = population[parts.existing.find(population) < 0]
            positions, notes = self.positions(parts, len(population), seed, "whole", "configurations")
            drawn = population[positions].unique()
            if len(drawn) < len(positions):
                notes += (f"{len(positions) - len(drawn)} of {len(positions)} drawn rows are repeated",)
            valid = space.check(drawn)
            if not valid.all():
                count = plural(int((~valid).sum()), "drawn configuration is", "drawn configurations are")
                notes += (f"{count} not valid and left out",)
            return drawn[valid], notes
        if parts.existing is not None and not self.compat:
            return self._new(parts, parts.existing, seed), ()
        if not self.compat:
            n, rng = self.amount.resolve(parts), self.rng(seed, "whole")
            if not space.is_counted:
                drawn, note = space.draw_approximately(n, rng)
                return drawn, (note,)
            return space.draw(n, rng), ()
        space.require_valid()
        positions, notes = self.positions(parts, space.count, seed, "whole", "valid configurations")
        return space.enumerate(LIMIT)[positions], notes

    def _new(self, parts: Parts, existing: Configurations, seed: int) -> Configurations:
        """Return N configurations that are not in the sample to be extended."""
        parts.space.require_valid()
        count, population = parts.space.count, "valid configurations"
        positions, n = self.new_positions(parts, count, len(existing), seed, "whole", population)
        drawn = Configurations(parts.system, parts.space.solutions.unrank(positions))
        new = drawn[existing.find(drawn) < 0]
        if len(new) < n:
            raise self.too_few(len(new), n, f"{population} that the existing sample does not have")
        return new[:n]
