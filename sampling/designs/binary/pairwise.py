"""Pair-wise sampling: each pair of options with as few others as possible."""

from __future__ import annotations

from dataclasses import dataclass

from sampling.designs.design import Design
from sampling.designs.subsets import subset_minima
from sampling.space.parts import Parts


@dataclass(frozen=True)
class PairWise:
    """`pairwise`: for each pair of options the smallest valid configuration that selects both.

    Siegmund et al.: "Predicting performance via automated feature-interaction detection", ICSE 2012. Pairs of
    which one is an ancestor of the other or implies it are left out as in SPL Conqueror, and so are pairs that exclude
    each other.
    """

    text: str = "pairwise"
    full: bool = False

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows, in order of the pairs (the seed has no effect)."""
        rows, impossible = subset_minima(parts, 2)
        notes = (f"{impossible} pairs of options cannot be selected together",) if impossible else ()
        return Design(rows, notes)
