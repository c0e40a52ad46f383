"""What random binary parts and random numeric parts have in common: how they are read, drawn and refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Self

from sampling.designs.amount import Amount
from sampling.designs.design import Arguments, Design
from sampling.space.parts import Parts
from sampling.space.ranks import generator
from splc.errors import SpaceError


@dataclass(frozen=True)
class RandomPart:
    """`random:N[,seed=S]`: N distinct valid parts of one kind, uniformly drawn, in drawing order."""

    text: str
    amount: Amount
    seed: int | None = None
    full: bool = False

    kind: ClassVar[Literal["binary", "numeric"]]

    @classmethod
    def parse(cls, arguments: Arguments) -> Self:
        """Read its arguments."""
        arguments.expect(1, 1, "seed")
        return cls(arguments.text, Amount.parse(arguments), arguments.seed())

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows; a seed of its own comes before `seed`.

        Raises:
            SpaceError: if there are fewer than N valid ones.
        """
        n = self.amount.resolve(parts)
        those = parts.binary if self.kind == "binary" else parts.numeric
        if n > those.count:
            raise SpaceError(
                f"{self.text}: there are only {those.count:,} valid {self.kind} parts, not {n:,}",
                hint=f"ask for at most {those.count:,}",
            )
        return Design(those.draw(n, generator(seed if self.seed is None else self.seed, self.kind)))
