"""The cells of both evaluations: every system with every strategy and seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from casestudies.suggestion.strategies import code_of


def cells_of(systems: Sequence[str], strategies: Sequence[str], seeds: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the title and the cell of each task."""
    for system in systems:
        for strategy in strategies:
            for seed in range(seeds):
                cell = {"system": system, "strategy": strategy, "seed": seed, "code": code_of(strategy)}
                yield f"{system}, {strategy}, seed {seed}", cell
