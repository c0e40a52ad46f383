"""Minimal configurations of subsets of options, for pair-wise and t-wise sampling."""

from __future__ import annotations

import itertools
import math

from sampling.space.completion import minimal, selected
from sampling.space.parts import Parts
from sampling.space.rows import without_repeats
from splc.errors import SpaceError
from splc.types import Array

MAX_SUBSETS = 500_000


def subset_minima(parts: Parts, t: int) -> tuple[Array, int]:
    """Return the distinct minimal configurations of all t-subsets of options, and the number of subsets without one.

    Subsets in which one option is an ancestor of another, or implies another one alone, are left out.
    """
    options = range(len(parts.selectable))
    if math.comb(len(options), t) > MAX_SUBSETS:
        raise SpaceError(
            f"{len(options)} options have {math.comb(len(options), t):,} subsets of {t}, more than {MAX_SUBSETS:,}",
            hint="use smaller subsets",
        )
    related = parts.related()
    subsets = [
        subset
        for subset in itertools.combinations(options, t)
        if not any(frozenset(pair) in related for pair in itertools.combinations(subset, 2))
    ]
    rows, possible = minimal(parts, [selected(*subset) for subset in subsets])
    return without_repeats(rows[possible]), int((~possible).sum())
