"""Random designs of one part: binary selections, or combinations of numeric values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sampling.designs.amount import Amount
from sampling.designs.design import Arguments, Design
from sampling.space.parts import Parts
from sampling.space.ranks import generator
from splc.errors import SpaceError


@dataclass(frozen=True)
class RandomPart:
    """`random:N[,seed=S]`: N distinct valid parts of one kind, uniformly drawn, in drawing order."""

    kind: Literal["binary", "numeric"]
    text: str
    amount: Amount
    seed: int | None = None
    full: bool = False

    @classmethod
    def parse(cls, kind: Literal["binary", "numeric"], arguments: Arguments) -> RandomPart:
        """Read the arguments of a part."""
        arguments.expect(1, 1, "seed")
        return cls(kind, arguments.text, Amount.parse(arguments), arguments.seed())

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows; its own seed takes precedence over `seed`."""
        n = self.amount.resolve(parts)
        space = parts.binary if self.kind == "binary" else parts.numeric
        if n > space.count:
            raise SpaceError(
                f"{self.text}: there are only {space.count:,} valid {self.kind} parts, not {n:,}",
                hint=f"ask for at most {space.count:,}",
            )
        return Design(space.draw(n, generator(seed if self.seed is None else self.seed, self.kind)))
