"""Random samples of valid configurations."""

from __future__ import annotations

from dataclasses import dataclass

from sampling.designs.amount import Amount
from sampling.designs.design import Arguments
from sampling.space.parts import Parts
from sampling.space.ranks import generator
from splc.data.configurations import Configurations


@dataclass(frozen=True)
class RandomWhole:
    """`random:N[,seed=S]`: N distinct valid configurations, uniformly drawn, in drawing order.

    SPL Conqueror draws binary and numeric parts independently; here all valid configurations are equally likely.
    """

    text: str
    amount: Amount
    seed: int | None = None

    @classmethod
    def parse(cls, arguments: Arguments) -> RandomWhole:
        """Read its arguments."""
        arguments.expect(1, 1, "seed")
        return cls(arguments.text, Amount.parse(arguments), arguments.seed())

    def configurations(
        self, parts: Parts, seed: int, measured: Configurations | None
    ) -> tuple[Configurations, tuple[str, ...]]:
        """Return the configurations; its own seed takes precedence over `seed`.

        Raises:
            SpaceError: if there are fewer than N valid ones.
        """
        n = self.amount.resolve(parts)
        return parts.space.draw(n, generator(seed if self.seed is None else self.seed, "whole")), ()
