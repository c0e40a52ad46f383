"""Random draws without replacement: as splc draws, or as SPL Conqueror's program does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from sampling.designs.amount import Amount, DrawnDesign
from sampling.designs.design import Arguments
from sampling.designs.dotnet_random import redrawn_positions, removed_positions
from sampling.space.parts import Parts
from sampling.space.ranks import Purpose, distinct_ranks
from sampling.space.space import LIMIT
from splc.errors import SpaceError

# The argument that asks for the draws of SPL Conqueror's program, and its value for those of the versions before June
# 2023.
COMPAT, REDRAWING = "compat", "2018"


@dataclass(frozen=True)
class RandomDesign(DrawnDesign):
    """A random design, with the arguments `N[,compat[=2018]][,seed=S][,from=FILE]`."""

    # whether to draw as SPL Conqueror's program does: a position among the elements that are left, by .NET's
    # `System.Random`; everything if the population is too small
    compat: bool = False
    # whether to draw as its versions before June 2023 do: a position in the whole list, drawn again if it was drawn
    # before
    redraws: bool = False
    source: str | None = None  # the file of the population, None for the valid configurations of the system

    @classmethod
    def parse(cls, arguments: Arguments) -> Self:
        """Read the arguments."""
        compat = arguments.flag(COMPAT, 1, COMPAT, "seed", "from")
        redraws = COMPAT in arguments.named and bool(arguments.choice(COMPAT, (REDRAWING,)))
        if compat and redraws:
            raise arguments.error(f"{COMPAT!r} is given twice")
        amount = Amount.parse(arguments)
        source = arguments.named.get("from")
        return cls(arguments.text, amount, arguments.seed(), compat or redraws, redraws, source)

    def new_positions(
        self, parts: Parts, count: int, known: int, seed: int, purpose: Purpose, what: str
    ) -> tuple[list[int], int]:
        """Return enough positions for N new elements of a population of which at most `known` are known, and N."""
        n = self.amount.resolve(parts)
        if n > count:
            raise self.too_few(count, n, what)
        return distinct_ranks(count, min(count, n + known), self.rng(seed, purpose)), n

    def too_few(self, count: int, n: int, what: str) -> SpaceError:
        """Return the error for a population that is too small; `what`: its elements, for the message."""
        location = "" if self.source is None else f" in {self.source}"
        return SpaceError(
            f"{self.text}: there are only {count:,} {what}{location}, not {n:,}", hint=f"ask for at most {count:,}"
        )

    def positions(
        self, parts: Parts, count: int, seed: int, purpose: Purpose, what: str
    ) -> tuple[list[int], tuple[str, ...]]:
        """Return distinct positions in a population of `count` elements, in drawing order, and notes."""
        n = self.amount.resolve(parts)
        if n <= count:
            if self.compat and count > LIMIT:
                message = f"{self.text}: SPL Conqueror draws from a list of all {count:,} {what}"
                raise SpaceError(
                    f"{message} (the limit is {LIMIT:,})", hint=f"leave out {COMPAT!r}, or name fewer options"
                )
            if self.compat:
                own_seed = seed if self.seed is None else self.seed
                return (redrawn_positions if self.redraws else removed_positions)(count, n, own_seed), ()
            return distinct_ranks(count, n, self.rng(seed, purpose)), ()
        error = self.too_few(count, n, what)
        if self.compat:
            message = error.problems[0].message
            return list(range(count)), (f"{message}; all of them are taken, as in SPL Conqueror",)
        raise error
