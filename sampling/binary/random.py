"""Random valid binary parts."""

from __future__ import annotations

from dataclasses import dataclass

from sampling.amount import Amount
from sampling.design import Arguments, Design
from sampling.parts import Parts
from sampling.ranks import generator
from splc.errors import SpaceError


@dataclass(frozen=True)
class RandomBinary:
    """`random:N[,seed=S]`: N distinct valid binary parts, uniformly drawn, in drawing order."""

    text: str
    amount: Amount
    seed: int | None = None
    full: bool = False

    @classmethod
    def parse(cls, arguments: Arguments) -> RandomBinary:
        """Read its arguments."""
        arguments.expect(1, 1, "seed")
        return cls(arguments.text, Amount.parse(arguments), arguments.seed())

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows; a seed of its own comes before `seed`.

        Raises:
            SpaceError: if there are fewer than N valid ones.
        """
        n = self.amount.resolve(parts)
        if n > parts.binary.count:
            raise SpaceError(
                f"{self.text}: there are only {parts.binary.count:,} valid binary parts, not {n:,}",
                hint=f"ask for at most {parts.binary.count:,}",
            )
        return Design(parts.binary.draw(n, generator(seed if self.seed is None else self.seed, "binary")))
