"""Sample sizes of random designs: a number, or the size of another design; and designs that have only a size."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

import numpy as np

from sampling.designs.design import Arguments
from sampling.space.parts import Parts
from sampling.space.ranks import Purpose, generator
from sampling.space.rows import without_repeats
from splc.errors import EmptySampleError

_AS = re.compile(r"asOW|asTW[1-9]")
# More configurations are neither measured nor held in less than 1 GB of memory.
MOST = 1_000_000


@dataclass(frozen=True)
class Amount:
    """A sample size: `text` is a number, `asOW`, or `asTWt` such as `asTW2`."""

    text: str

    @classmethod
    def parse(cls, arguments: Arguments) -> Amount:
        """Read the first argument."""
        text = arguments.positional[0]
        if _AS.fullmatch(text):
            return cls(text)
        if not text.isdigit():
            raise arguments.error(
                f"{text!r} is not a number of configurations", "write an integer, asOW, or asTW2 (T = 1 to 9)"
            )
        n = arguments.whole_number(text, "the number of configurations", 1)
        if n > MOST:
            raise arguments.error(
                f"{n:,} configurations are too many (the limit is {MOST:,})", "ask for as many as you can measure"
            )
        return cls(str(n))

    def resolve(self, parts: Parts) -> int:
        """Return the number for a system, also where a sample is extended."""
        if self.text.isdigit():
            return int(self.text)
        n = self._size(Parts(parts.space))
        if not n:
            message = f"{self.text} is 0 for {parts.system.name}: no such sets of unrelated options can be selected"
            raise EmptySampleError(message, hint="state a number")
        return n

    def _size(self, parts: Parts) -> int:
        """Return the number of configurations of the other design."""
        # Sizes that are numbers do without these.
        from sampling.designs.subsets import option_minima, subset_minima
        from sampling.space.completion import minimal

        if self.text == "asTW1":
            return len(option_minima(parts)[0])
        if self.text.startswith("asTW"):
            return len(subset_minima(parts, int(self.text[4:]))[0])
        # SPL Conqueror counts the distinct smallest configurations with and without each option.
        options = range(len(parts.selectable))
        rows, possible = minimal(parts, [frozenset({(option, value)}) for option in options for value in (1, 0)])
        return len(without_repeats(np.ascontiguousarray(rows[possible])))


@dataclass(frozen=True)
class DrawnDesign:
    """A design `NAME:N[,seed=S]` of N drawn rows."""

    text: str
    amount: Amount  # the number of rows
    seed: int | None = None  # its own seed, which takes precedence

    @classmethod
    def parse(cls, arguments: Arguments) -> Self:
        """Read its arguments."""
        arguments.expect(1, 1, "seed")
        return cls(arguments.text, Amount.parse(arguments), arguments.seed())

    def rng(self, seed: int, purpose: Purpose) -> np.random.Generator:
        """Return the random generator for a purpose, by its own seed or else by `seed`."""
        return generator(seed if self.seed is None else self.seed, purpose)
