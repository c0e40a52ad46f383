"""Random valid binary parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sampling.designs.random_part import RandomPart


@dataclass(frozen=True)
class RandomBinary(RandomPart):
    """`random:N[,seed=S]`: N distinct valid binary parts, uniformly drawn, in drawing order."""

    kind: ClassVar[Literal["binary", "numeric"]] = "binary"
