"""Option-wise sampling: each option with as few others as possible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sampling.designs.design import Design
from sampling.space.completion import minimal, selected
from sampling.space.parts import Parts
from sampling.space.rows import without_repeats


@dataclass(frozen=True)
class OptionWise:
    """`optionwise`: the smallest valid configuration, and for each option the smallest one that selects it.

    Siegmund et al.: "Predicting performance via automated feature-interaction detection", ICSE 2012 (feature-wise).
    SPL Conqueror selects the mandatory top-level options and the option if that is valid, otherwise the smallest valid
    superset. Both are the smallest valid superset, because options that are always selected add nothing to it.
    """

    text: str = "optionwise"
    full: bool = False

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows, in option order (the seed has no effect)."""
        top = [
            parts.system.positions[option.name]
            for option in parts.system.binary_options
            if option.parent is None and option.name in parts.system.mandatory
        ]
        base, valid = minimal(parts, [selected(*top)])
        # The mandatory options alone, if that is a configuration.
        first = base[valid & (base.sum(axis=1) == len(top)) & (len(parts.covered) == 0)]
        options = np.flatnonzero(~parts.covered.any(axis=0)).tolist()
        rows, possible = minimal(parts, [selected(*top, option) for option in options])
        never = [parts.selectable[option] for option, can in zip(options, possible, strict=True) if not can]
        notes = (f"never selected in a valid configuration: {', '.join(never)}",) if never else ()
        found = without_repeats(np.concatenate([first, rows[possible]]))
        return Design(found, notes)
