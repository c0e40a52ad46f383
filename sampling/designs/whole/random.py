"""Random samples of valid configurations."""

from __future__ import annotations

from dataclasses import dataclass

from sampling.designs.design import Arguments
from sampling.designs.draws import Draw
from sampling.designs.population import read_population
from sampling.space.parts import Parts
from sampling.space.ranks import generator
from sampling.space.space import LIMIT
from splc.data.configurations import Configurations
from splc.errors import plural


@dataclass(frozen=True)
class RandomWhole:
    """`random:N[,compat][,seed=S][,from=FILE]`: N distinct valid configurations, uniformly drawn, in drawing order.

    SPL Conqueror draws binary and numeric parts independently; here all valid configurations are equally likely. With
    `compat` the configurations are drawn as SPL Conqueror draws parts, from their list in lexicographic order, and with
    `from` from the rows of a file.
    """

    draw: Draw

    @classmethod
    def parse(cls, arguments: Arguments) -> RandomWhole:
        """Read its arguments."""
        return cls(Draw.parse(arguments))

    @property
    def text(self) -> str:
        """Its spec."""
        return self.draw.text

    @property
    def seed(self) -> int | None:
        """Its own seed, None if the spec states none."""
        return self.draw.seed

    def configurations(
        self, parts: Parts, seed: int, measured: Configurations | None
    ) -> tuple[Configurations, tuple[str, ...]]:
        """Return the configurations; its own seed takes precedence over `seed`.

        Raises:
            SpaceError: if there are fewer than N valid ones.
            InputError: if the file cannot be read.
        """
        space = parts.space
        if self.draw.source is not None:
            population = read_population(self.draw.source, parts.system)
            positions, notes = self.draw.positions(parts, len(population), seed, "whole", "configurations")
            found = population[positions].unique()
            if len(found) < len(positions):
                notes += (f"{len(positions) - len(found)} of {len(positions)} drawn rows are repeated",)
            valid = space.check(found)
            if not valid.all():
                count = plural(int((~valid).sum()), "drawn configuration is", "drawn configurations are")
                notes += (f"{count} not valid and left out",)
            return found[valid], notes
        if not self.draw.compat:
            own = seed if self.draw.seed is None else self.draw.seed
            return space.draw(self.draw.amount.resolve(parts), generator(own, "whole")), ()
        space.require_valid()
        positions, notes = self.draw.positions(parts, space.count, seed, "whole", "valid configurations")
        return space.enumerate(LIMIT)[positions], notes
