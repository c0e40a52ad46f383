"""Configurations that the values measured so far suggest: the spec of a design that draws from measured rows."""

from __future__ import annotations

from dataclasses import dataclass

from sampling.designs.amount import DrawnDesign
from sampling.space.parts import Parts
from splc.data.configurations import Configurations
from splc.errors import SpecError


@dataclass(frozen=True)
class Suggested(DrawnDesign):
    """`suggest:N[,seed=S]`: N measured configurations, each batch suggested by the values of those before it.

    What selects them knows values and learns models, which sampling does not: learning and studies do it.
    """

    def configurations(
        self, parts: Parts, seed: int, measured: Configurations | None
    ) -> tuple[Configurations, tuple[str, ...]]:
        """Refuse to draw without values.

        Raises:
            SpecError: always.
        """
        hint = "use it in splc learn or splc study; splc suggest names configurations that are not measured yet"
        raise SpecError(f"{self.text}: suggestions depend on measured values", hint=hint)
