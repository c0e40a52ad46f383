"""All valid binary parts."""

from __future__ import annotations

from dataclasses import dataclass

from sampling.designs.design import Design
from sampling.space.parts import Parts
from sampling.space.space import LIMIT


@dataclass(frozen=True)
class All:
    """`all`: every valid selection of binary options, in lexicographic order."""

    text: str = "all"

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows (the seed has no effect)."""
        return Design(parts.binary.enumerate(LIMIT))
