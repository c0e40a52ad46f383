"""Configurations that the values measured so far suggest: the spec of a design that draws from measured rows."""

from __future__ import annotations

from dataclasses import dataclass

from sampling.designs.amount import DrawnDesign
from sampling.designs.design import Selected
from sampling.space.parts import Parts
from splc.data.configurations import Configurations
from splc.errors import SpecError


@dataclass(frozen=True)
class Suggested(DrawnDesign):
    """`suggest:N[,seed=S]`: N measured configurations, each batch suggested by the values of those before it.

    Learning and studies select them: the selection needs values and models, which sampling does not have.
    """

    def configurations(self, parts: Parts, seed: int, measured: Configurations | None) -> Selected:
        """Refuse to draw without values."""
        hint = "use it in splc learn or splc study; splc suggest names configurations that are not measured yet"
        raise SpecError(f"{self.text}: suggestions depend on measured values", hint=hint)
