"""Random valid numeric parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sampling.designs.random_part import RandomPart


@dataclass(frozen=True)
class RandomNumeric(RandomPart):
    """`random:N[,seed=S]`: N distinct valid numeric parts, uniformly drawn, in drawing order."""

    kind: ClassVar[Literal["binary", "numeric"]] = "numeric"
