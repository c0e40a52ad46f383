"""Random valid numeric parts."""

from __future__ import annotations

from dataclasses import dataclass

from sampling.amount import Amount
from sampling.design import Arguments, Design
from sampling.parts import Parts
from sampling.ranks import generator
from splc.errors import SpaceError


@dataclass(frozen=True)
class RandomNumeric:
    """`random:N[,seed=S]`: N distinct valid numeric parts, uniformly drawn, in drawing order."""

    text: str
    amount: Amount
    seed: int | None = None
    full: bool = False

    @classmethod
    def parse(cls, arguments: Arguments) -> RandomNumeric:
        """Read its arguments."""
        arguments.expect(1, 1, "seed")
        return cls(arguments.text, Amount.parse(arguments), arguments.seed())

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows; a seed of its own comes before `seed`.

        Raises:
            SpaceError: if there are fewer than N valid ones.
        """
        n = self.amount.resolve(parts)
        if n > parts.numeric.count:
            raise SpaceError(
                f"{self.text}: there are only {parts.numeric.count:,} valid numeric parts, not {n:,}",
                hint=f"ask for at most {parts.numeric.count:,}",
            )
        return Design(parts.numeric.draw(n, generator(seed if self.seed is None else self.seed, "numeric")))
