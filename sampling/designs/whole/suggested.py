"""Configurations that the values measured so far suggest: the spec of a design that draws from measured rows."""

from __future__ import annotations

from dataclasses import dataclass

from sampling.designs.amount import Amount
from sampling.designs.design import Arguments
from sampling.space.parts import Parts
from splc.data.configurations import Configurations
from splc.errors import SpecError


@dataclass(frozen=True)
class Suggested:
    """`suggest:N[,seed=S]`: N measured configurations, each batch suggested by the values of those before it.

    What selects them knows values and learns models, which sampling does not: learning and studies do it.

    Attributes:
        text: the spec.
        amount: the number of configurations.
        seed: its own seed, which takes precedence.
    """

    text: str
    amount: Amount
    seed: int | None = None

    @staticmethod
    def parse(arguments: Arguments) -> Suggested:
        """Read its arguments."""
        arguments.expect(1, 1, "seed")
        return Suggested(arguments.text, Amount.parse(arguments), arguments.seed())

    def configurations(
        self, parts: Parts, seed: int, measured: Configurations | None
    ) -> tuple[Configurations, tuple[str, ...]]:
        """Refuse to draw without values.

        Raises:
            SpecError: always.
        """
        hint = "use it in splc learn or splc study; splc suggest names configurations that are not measured yet"
        raise SpecError(f"{self.text}: suggestions depend on measured values", hint=hint)
