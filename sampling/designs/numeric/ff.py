"""The full factorial design: every combination of values."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sampling.designs.design import Design
from sampling.space.parts import Parts
from sampling.space.space import LIMIT
from splc.errors import SpaceError


@dataclass(frozen=True)
class FullFactorial:
    """`ff`: every combination of the numeric options' values, in lexicographic order (last option fastest).

    Box, Hunter, Hunter: "Statistics for Experimenters", Wiley 1978; figure 2.2 of the thesis.
    """

    text: str = "ff"

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows (the seed has no effect)."""
        sizes = [len(option.values) for option in parts.system.numeric_options]
        if math.prod(sizes) > LIMIT:
            raise SpaceError(
                f"ff: {math.prod(sizes):,} combinations of numeric values are too many (the limit is {LIMIT:,})"
            )
        return Design(np.indices(sizes, dtype=np.int64).reshape(len(sizes), math.prod(sizes)).T.copy())
