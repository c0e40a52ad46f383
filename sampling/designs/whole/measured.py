"""The measured configurations as a sample."""

from __future__ import annotations

from dataclasses import dataclass

from sampling.space.parts import Parts
from splc.data.configurations import Configurations
from splc.errors import SpecError


@dataclass(frozen=True)
class Measured:
    """`measured`: every measured configuration that is valid, in the order of the measurements."""

    text: str = "measured"

    def configurations(
        self, parts: Parts, seed: int, measured: Configurations | None
    ) -> tuple[Configurations, tuple[str, ...]]:
        """Return the configurations (the seed has no effect).

        Raises:
            SpecError: if no measurements are given.
        """
        if measured is None:
            raise SpecError("measured: no measurements are given", hint="give measurements, or use another sampling")
        once = measured.unique()
        valid = parts.space.check(once)
        notes = () if valid.all() else (f"{int((~valid).sum()):,} measured configurations are not valid",)
        return once[valid], notes
