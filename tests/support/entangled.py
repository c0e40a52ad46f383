"""Systems of optional options with random clauses, few of which can be counted by decision diagrams."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from splc.system.constraints import parse_boolean
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel


def system_of(options: int, clauses: Iterable[str]) -> VariabilityModel:
    """Return a system of optional options `o0`, `o1`, … with constraints among them."""
    bare = VariabilityModel("s", tuple(BinaryOption(f"o{number}", optional=True) for number in range(options)))
    return replace(bare, constraints=tuple(parse_boolean(text, bare.name_table) for text in clauses))


def random_clauses(options: int, number: int, seed: int) -> list[str]:
    """Return random clauses of three options."""
    rng = np.random.default_rng(seed)
    return [
        " | ".join(("!" if rng.random() < 0.5 else "") + f"o{at}" for at in rng.choice(options, 3, replace=False))
        for _ in range(number)
    ]


# Its diagrams are given up within a second; solvers and chains find configurations.
ENTANGLED = system_of(60, random_clauses(60, 100, 0))
