"""Negative option-wise sampling: the largest configurations, and each option left out once."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sampling.designs.design import Arguments, Design
from sampling.space.paths import literal, optimal
from sampling.space.completion import minimal_bits, unpacked
from sampling.space.parts import Parts
from sampling.space.rows import without_repeats
from splc.errors import SpaceError
from splc.types import Array

# Where an option is left out, SPL Conqueror rewards an option that is kept by 1000 and punishes one that is added by
# 10000; only the ratio matters.
_KEPT, _ADDED = -1, 10
MAX_LARGEST = 100_000


@dataclass(frozen=True)
class NegativeOptionWise:
    """`negoptionwise[:first]`: the largest valid configurations, and for each option the closest one without it.

    The largest configurations are all that select the most options (with `first`, only the first of them), and for each
    option that these do not select the largest one that does. For each optional option without alternatives the first
    of them that selects it is changed as little as possible to a valid configuration that does not.
    """

    text: str
    first: bool = False

    @classmethod
    def parse(cls, arguments: Arguments) -> NegativeOptionWise:
        """Read its argument."""
        arguments.expect(0, 1)
        if arguments.positional not in ((), ("first",)):
            raise arguments.error(f"{arguments.positional[0]!r} is unknown")
        return cls(arguments.text, bool(arguments.positional))

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows: the largest configurations, then those without an option (the seed has no effect)."""
        largest = self._largest(parts)
        uncovered = np.flatnonzero(~largest.any(axis=0))
        bits, possible = minimal_bits(parts, literal(0, 1) + 2 * uncovered[:, None], _most(parts))
        largest = without_repeats(np.concatenate([largest, unpacked(parts, bits[possible])]))
        # For each option that can be left out, the first of the largest configurations that selects it.
        options = np.array([position for position in _optional(parts) if largest[:, position].any()], dtype=np.int64)
        bases = largest[:, options].argmax(axis=0)
        rows = np.zeros((len(options), largest.shape[1]), dtype=np.uint8)
        possible = np.zeros(len(options), dtype=bool)
        for base in np.unique(bases).tolist():
            members = np.flatnonzero(bases == base)
            weights = {i: (0, _KEPT if selected else _ADDED) for i, selected in enumerate(largest[base].tolist())}
            bits, possible[members] = minimal_bits(parts, literal(0, 0) + 2 * options[members, None], weights)
            rows[members] = unpacked(parts, bits)
        always = [parts.selectable[position] for position in options[~possible].tolist()]
        notes = (f"selected in every valid configuration: {', '.join(always)}",) if always else ()
        return Design(without_repeats(np.concatenate([largest, rows[possible]])), notes)

    def _largest(self, parts: Parts) -> Array:
        """Return the configurations that select the most options; of two, the one with an earlier option is first."""
        n = len(parts.selectable)
        if self.first:
            bits, possible = minimal_bits(parts, np.zeros((1, 0), dtype=np.int64), _most(parts))
            return unpacked(parts, bits[possible])
        parts.space.require_valid()
        best = [optimal(diagram, dict.fromkeys(diagram.variables, (0, -1))) for diagram in parts.binary.diagrams]
        count = math.prod(diagram.count for diagram in best)
        if count > MAX_LARGEST:
            raise SpaceError(
                f"{self.text}: {count:,} configurations select the most options (the limit is {MAX_LARGEST:,})",
                hint="take only one of them, negoptionwise:first",
            )
        rows = np.zeros((count, n), dtype=np.uint8)
        inner = 1
        for diagram in best:
            if diagram.variables:
                rows[:, list(diagram.variables)] = diagram.expand()[np.arange(count) // inner % diagram.count]
            inner *= diagram.count
        return rows[np.lexsort(1 - rows.T[::-1])] if n else rows


def _most(parts: Parts) -> dict[int, tuple[int, int]]:
    """Return the weights of which the configurations with the most options have the least sum."""
    return dict.fromkeys(range(len(parts.selectable)), (0, -1))


def _optional(parts: Parts) -> list[int]:
    """Return the positions of optional options, and of switches. Members of alternative groups are not optional."""
    binary = parts.system.binary_options
    return [
        *(position for position, option in enumerate(binary) if option.optional),
        *range(len(binary), len(parts.selectable)),
    ]
