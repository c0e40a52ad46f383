"""Sample sizes of random designs: a number, or the size of another design."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sampling.designs.design import Arguments
from sampling.designs.subsets import subset_minima
from sampling.space.completion import minimal
from sampling.space.parts import Parts
from sampling.space.rows import without_repeats

_AS = ("asOW", "asTW2", "asTW3")
# More configurations are neither measured nor held in less than 1 GB of memory.
MOST = 1_000_000


@dataclass(frozen=True)
class Amount:
    """A sample size: `text` is a number, or one of `asOW`, `asTW2`, `asTW3`."""

    text: str

    @classmethod
    def parse(cls, arguments: Arguments) -> Amount:
        """Read the first argument."""
        text = arguments.positional[0]
        if text in _AS:
            return cls(text)
        if not text.isdigit():
            raise arguments.error(
                f"{text!r} is not a number of configurations", f"write an integer, or one of {', '.join(_AS)}"
            )
        n = arguments.whole_number(text, "the number of configurations", 1)
        if n > MOST:
            raise arguments.error(
                f"{n:,} configurations are too many (the limit is {MOST:,})", "ask for as many as you can measure"
            )
        return cls(str(n))

    def resolve(self, parts: Parts) -> int:
        """Return the number for a system, whatever sample is extended."""
        parts = Parts(parts.space)
        if self.text == "asOW":
            # SPL Conqueror counts the distinct smallest configurations with and without each option.
            options = range(len(parts.selectable))
            rows, possible = minimal(parts, [frozenset({(option, value)}) for option in options for value in (1, 0)])
            return len(without_repeats(np.ascontiguousarray(rows[possible])))
        if self.text.startswith("asTW"):
            return len(subset_minima(parts, int(self.text[4:]))[0])
        return int(self.text)
