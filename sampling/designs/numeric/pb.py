"""Plackett-Burman designs with 3, 5 and 7 levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sampling.designs.design import Arguments, Design, distinct_design
from sampling.designs.numeric.levels import compat_levels
from sampling.space.parts import Parts
from splc.errors import SpecError
from splc.system.options import NumericOption
from splc.types import Array

# (measurements, levels) → SPL Conqueror's seed, one digit per column.
SEEDS = {
    (9, 3): "01220211",
    (27, 3): "00101211201110020212210222",
    (81, 3): "01111201211212020221102011001222021002000222210212212101011220102200211101200100",
    (25, 5): "041121032242014434023313",
    (125, 5): (
        "02221041141313412021102443140200444203223212132404220433123040033340144142421430344031124103001113"
        "02332343423101330122432010"
    ),
    (49, 7): "012622160532335204131143065155610245442503646634",
}


@dataclass(frozen=True)
class PlackettBurman:
    """`pb:M,L[,compat]`: M measurements at L levels of each numeric option.

    Plackett, Burman: "The design of optimum multifactorial experiments", Biometrika 33 (1946). Each row is the
    previous row shifted to the right (table 2.2 of the thesis); in the last row all options have their lowest level.
    Each pair of the first (M-1)/(L-1) columns contains all pairs of levels equally often; more columns are aliased.
    """

    text: str
    measurements: int  # the number of rows
    levels: int  # the number of levels of each option
    # whether rows are shifted to the left as in SPL Conqueror, which mirrors the design, and levels are those of SPL
    # Conqueror (see `compat_levels`)
    compat: bool = False

    @classmethod
    def parse(cls, arguments: Arguments) -> PlackettBurman:
        """Read its arguments."""
        hint = f"write {arguments.usage}; M,L is one of {'  '.join(f'{m},{n}' for m, n in SEEDS)}"
        if not 2 <= len(arguments.positional) <= 3 or arguments.named:
            raise arguments.error("a number of measurements M and of levels L are expected", hint)
        try:
            pair = int(arguments.positional[0]), int(arguments.positional[1])
        except ValueError:
            raise arguments.error("M and L must be integers", hint) from None
        if pair not in SEEDS:
            raise arguments.error(f"there is no design of {pair[0]} measurements with {pair[1]} levels", hint)
        if arguments.positional[2:] not in ((), ("compat",)):
            raise arguments.error(f"pb has no variant {arguments.positional[2]!r}", hint)
        return cls(arguments.text, *pair, compat=len(arguments.positional) == 3)

    def levels_matrix(self) -> Array:
        """Return the levels of all columns of the design, shape (M, M - 1)."""
        seed = np.array([int(digit) for digit in SEEDS[self.measurements, self.levels]])
        row, column = np.indices((len(seed), len(seed)))
        shifted = seed[(row + column if self.compat else row - column) % len(seed)]
        return np.concatenate([shifted, np.zeros((1, len(seed)), dtype=shifted.dtype)])

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its distinct rows for a system (the seed has no effect)."""
        options: Sequence[NumericOption] = parts.system.numeric_options
        if len(options) > self.measurements - 1:
            raise SpecError(
                f"{self.text}: {self.measurements} measurements allow at most {self.measurements - 1} numeric "
                f"options, not {len(options)}",
                hint="use a larger design, at most pb:125,5",
            )
        levels = self.levels_matrix()[:, : len(options)]
        values = [self._values(option) for option in options]
        rows = np.stack([np.array(indices)[levels[:, column]] for column, indices in enumerate(values)], axis=1)
        strength = (self.measurements - 1) // (self.levels - 1)
        notes = (
            (
                f"{self.text} separates the effects of at most {strength} numeric options; "
                f"with {len(options)} they are aliased",
            )
            if len(options) > strength
            else ()
        )
        return distinct_design(rows, notes)

    def _values(self, option: NumericOption) -> list[int]:
        """Return the indices of one option's levels."""
        if self.compat:
            return compat_levels(len(option.values), self.levels)
        return [option.level(level, self.levels) for level in range(self.levels)]
