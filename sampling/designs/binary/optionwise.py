"""Option-wise sampling: each option with as few others as possible."""

from __future__ import annotations

from dataclasses import dataclass

from sampling.designs.design import Design
from sampling.designs.subsets import option_minima
from sampling.space.parts import Parts


@dataclass(frozen=True)
class OptionWise:
    """`optionwise`: the smallest valid configuration, and for each option the smallest one that selects it.

    Siegmund et al.: "Predicting performance via automated feature-interaction detection", ICSE 2012 (feature-wise).
    SPL Conqueror selects the mandatory top-level options and the option if that is valid, otherwise the smallest valid
    superset. Both are the smallest valid superset, because options that are always selected add nothing to it.
    """

    text: str = "optionwise"

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows, in option order (the seed has no effect)."""
        rows, never = option_minima(parts)
        notes = (f"never selected in a valid configuration: {', '.join(never)}",) if never else ()
        return Design(rows, notes)
