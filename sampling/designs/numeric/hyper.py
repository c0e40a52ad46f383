"""Hypersampling: all combinations of a share of each option's values."""

from __future__ import annotations

from dataclasses import dataclass

from sampling.designs.design import Arguments, Design, distinct_design
from sampling.designs.numeric.levels import compat_spread, grid, spread
from sampling.space.parts import Parts

# SPL Conqueror's program stops after about as many.
_CUT = 1000


@dataclass(frozen=True)
class Hypersampling:
    """`hyper:P[,compat]`: all combinations of P percent of each option's values, at least two of each.

    Siegmund et al.: "Performance-influence models for highly configurable systems", ESEC/FSE 2015. Of an option's N
    values, round-half-even(N·P/100) are used, spread evenly, with both ends.
    """

    text: str
    percent: int  # the share of values, 1 to 100
    compat: bool = False  # whether the values are SPL Conqueror's levels

    @classmethod
    def parse(cls, arguments: Arguments) -> Hypersampling:
        """Read its arguments."""
        compat = arguments.flag("compat", 1)
        percent = arguments.whole_number(arguments.positional[0].removesuffix("%"), "the percentage of values", 1)
        if percent > 100:
            raise arguments.error(f"the percentage of values must be at most 100, not {percent}")
        return cls(arguments.text, percent, compat)

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows (the seed has no effect)."""
        sizes = [len(option.values) for option in parts.system.numeric_options]
        levels = compat_spread if self.compat else spread
        rows = grid(self.text, [levels(n, max(2, round(n * self.percent / 100))) for n in sizes])
        cut = self.compat and len(rows) > _CUT
        notes = (f"SPL Conqueror stops after about {_CUT:,} of these {len(rows):,} rows",) if cut else ()
        return distinct_design(rows, notes)
