"""Box-Behnken designs: two options at their ends, the others at their centres."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sampling.designs.design import Arguments, Design, distinct_design
from sampling.designs.numeric.levels import centre
from sampling.space.parts import Parts
from sampling.space.space import LIMIT
from splc.errors import SpaceError
from splc.types import Array


@dataclass(frozen=True)
class BoxBehnken:
    """`bbd[:compat]`: for each pair of options the four combinations of their ends, and the centre: 2k(k-1) + 1 rows.

    Box, Behnken: "Some new three level designs for the study of quantitative variables", Technometrics 2 (1960). As in
    pydoe and in SPL Conqueror, pairs are used for every number k of options, also for k ≥ 6.
    """

    text: str
    compat: bool = False  # whether the centre is that of SPL Conqueror (see `centre`)

    @classmethod
    def parse(cls, arguments: Arguments) -> BoxBehnken:
        """Read its arguments."""
        return cls(arguments.text, arguments.flag("compat", 0))

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows (the seed has no effect)."""
        options = parts.system.numeric_options
        k = len(options)
        if 2 * k * (k - 1) >= LIMIT:
            raise SpaceError(f"{self.text}: {2 * k * (k - 1) + 1:,} rows are too many (the limit is {LIMIT:,})")
        ends = np.array([[0, centre(option, self.compat), len(option.values) - 1] for option in options])
        rows = ends[np.arange(k), _coded(k) + 1]
        notes = () if k > 1 else (f"{self.text}: with one numeric option there is no pair of options, only the centre",)
        return distinct_design(rows, notes)


def _coded(k: int) -> Array:
    """Return the design for k options, -1 at the lower and 1 at the upper end, with the centre last."""
    first, second = (np.repeat(options, 4) for options in np.triu_indices(k, 1))
    rows = np.arange(len(first))
    coded = np.zeros((len(rows) + 1, k), dtype=np.int64)
    coded[rows, first] = rows // 2 % 2 * 2 - 1
    coded[rows, second] = rows % 2 * 2 - 1
    return coded
