"""One-factor-at-a-time designs: one option varies, the others are at their centres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sampling.designs.design import Arguments, Design, distinct_design
from sampling.designs.numeric.levels import centre, compat_spread, one_at_a_time, spread
from sampling.space.parts import Parts
from splc.errors import plural
from splc.system.options import NumericOption


@dataclass(frozen=True)
class OneFactor:
    """`ofat:K[,compat]`: K values of each option, one of them its centre, while the others are at their centres.

    Daniel: "One-at-a-time plans", J. Am. Stat. Assoc. 68 (1973). The values are K - 1 that are spread evenly, and the
    centre. If the centre is one of them, they are K that are spread evenly, the one nearest to the centre replaced by
    the centre.
    """

    text: str
    values: int  # the number of values of each option; options with fewer values have all of theirs
    # whether the values are those of SPL Conqueror: its levels, its centre, and one value more if the centre is not one
    # of K levels
    compat: bool = False

    @classmethod
    def parse(cls, arguments: Arguments) -> OneFactor:
        """Read its arguments."""
        compat = arguments.flag("compat", 1)
        least = 2 if compat else 3
        values = arguments.whole_number(arguments.positional[0], "the number of values", least)
        return cls(arguments.text, values, compat)

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows (the seed has no effect)."""
        options = parts.system.numeric_options
        centres = [centre(option, self.compat) for option in options]
        values = [self._values(option, middle) for option, middle in zip(options, centres, strict=True)]
        few = [option.name for option in options if len(option.values) < self.values]
        notes = (f"{plural(len(few), 'option has', 'options have')} fewer than {self.values} values",) if few else ()
        return distinct_design(one_at_a_time(centres, values), notes)

    def _values(self, option: NumericOption, middle: int) -> Sequence[int]:
        """Return the indices of one option's values without its centre."""
        n = len(option.values)
        levels = compat_spread if self.compat else spread
        indices = levels(n, self.values - 1)
        # In SPL Conqueror, the last level is maxValue itself, which the centre is not if the steps do not meet it.
        beyond = self.compat and option.maximum is not None and len(indices) < n
        if middle in indices[: len(indices) - beyond]:
            indices = levels(n, self.values)
            if middle not in indices and not self.compat:
                indices.remove(min(indices[1:-1], key=lambda index: abs(index - middle)))
        return [index for index in indices if index != middle]
