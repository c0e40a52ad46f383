"""Factorial designs with the same number of levels for each option."""

from __future__ import annotations

from dataclasses import dataclass

from sampling.designs.design import Arguments, Design, distinct_design
from sampling.designs.numeric.levels import compat_nearest, grid
from sampling.space.parts import Parts
from splc.errors import SpecError
from splc.system.options import NumericOption


@dataclass(frozen=True)
class Factorial:
    """`factorial:K[,compat]`: all combinations of K levels of each option, K^k rows.

    Box, Hunter, Hunter: "Statistics for Experimenters", Wiley 1978. The levels are at equal distances between the least
    and the greatest value; the value nearest to each is used. If the values are not at equal distances (1, 2, 4, 8, …),
    several levels may be the same value.
    """

    text: str
    levels: int = 2  # the number of levels of each option
    # whether the rows are those of SPL Conqueror: values of step functions are rounded up, and the first option varies
    # fastest
    compat: bool = False

    @classmethod
    def parse(cls, arguments: Arguments) -> Factorial:
        """Read its arguments."""
        compat = arguments.flag("compat", 1)
        levels = arguments.whole_number(arguments.positional[0], "the number of levels", 2)
        return cls(arguments.text, levels, compat)

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows (the seed has no effect)."""
        options = parts.system.numeric_options
        few = [f"{option.name} ({len(option.values)})" for option in options if len(option.values) < self.levels]
        if few:
            raise SpecError(
                f"{self.text}: fewer than {self.levels} values: {', '.join(few)}",
                hint="use fewer levels, restrict the design to other options as in "
                f"{self.text}[a,b], or use hyper:P, whose levels depend on the number of values",
            )
        levels = [self._indices(option) for option in options]
        close = [option.name for option, indices in zip(options, levels, strict=True) if len(indices) < self.levels]
        coinciding = f"{self.text}: several levels are the same value: {', '.join(close)}"
        return distinct_design(grid(self.text, levels, self.compat), (coinciding,) if close else ())

    def _indices(self, option: NumericOption) -> list[int]:
        """Return the indices of one option's levels."""
        least, greatest = option.values[0], option.values[-1]
        values = [least + level * (greatest - least) / (self.levels - 1) for level in range(self.levels)]
        nearest = compat_nearest if self.compat else NumericOption.nearest
        return list(dict.fromkeys(nearest(option, value) for value in values))
