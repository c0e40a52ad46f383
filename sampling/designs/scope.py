"""The solutions that distance-based designs select from: whole configurations, or their binary or numeric parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sampling.designs.amount import Amount
from sampling.space.parts import Parts
from sampling.space.solutions import Solutions
from splc.errors import SpaceError
from splc.system.options import BinaryOption, NumericOption, Option
from splc.types import Array

Kind = Literal["whole", "binary", "numeric"]
_NAMES = {"whole": "configurations", "binary": "binary parts", "numeric": "numeric parts"}

# Distances are integers in this unit: numeric options are rounded to 4 decimals, as in SPL Conqueror.
DECIMALS = 4
UNIT = 10**DECIMALS


@dataclass(frozen=True)
class Scope:
    """Solutions, and the scales of their variables."""

    kind: Kind  # the kind of the solutions
    solutions: Solutions  # the solutions; there is one
    # for each variable of the problem, the position of each value between 0 and 1, in `UNIT`; "deselected" is -1. A
    # selected binary option is at 1.
    scales: tuple[Array, ...]
    # which variables select options that the description calls optional; values of numeric options do not
    optional: tuple[bool, ...]
    binary: tuple[bool, ...]  # which variables are binary options
    # the distinct solutions of a sample to be extended, which are not selected again, shape (n, variables)
    existing: Array

    @classmethod
    def of(cls, parts: Parts, kind: Kind) -> Scope:
        """Return the scope of a system's configurations or parts."""
        parts.space.require_valid()
        selection = np.array([0, UNIT])
        existing = np.zeros((0, len(parts.system.options)), dtype=np.int64)
        if kind == "whole":
            if parts.existing is not None:
                existing = parts.existing.unique().indices.astype(np.int64)
            options: Sequence[Option] = parts.system.options
            solutions = parts.space.solutions
            scales = [selection if isinstance(option, BinaryOption) else _scale(option) for option in options]
            binary = [isinstance(option, BinaryOption) for option in options]
            optional = [option.optional and is_binary for option, is_binary in zip(options, binary, strict=True)]
        else:
            solutions = parts.binary if kind == "binary" else parts.numeric
            existing = parts.known.astype(np.int64) if kind == "binary" else existing[:, : len(solutions.variables)]
            numeric = parts.system.numeric_options
            switches = len(parts.selectable) - len(parts.binary_names)
            scales = [selection] * len(parts.selectable) + [_scale(option)[: len(option.values)] for option in numeric]
            optional = [option.optional for option in parts.system.binary_options] + [True] * switches
            optional += [False] * len(numeric)
            binary = [True] * len(parts.selectable) + [False] * len(numeric)
        return cls(kind, solutions, tuple(scales), tuple(optional), tuple(binary), existing)

    def size(self, text: str, amount: Amount, parts: Parts) -> int:
        """Return the number of solutions that a design asks for, besides those of a sample to be extended."""
        n = amount.resolve(parts)
        remaining = self.solutions.count - len(self.existing)
        if n > remaining:
            more = " more" if len(self.existing) else ""
            raise SpaceError(
                f"{text}: there are only {remaining:,}{more} valid {_NAMES[self.kind]}, not {n:,}",
                hint=f"ask for at most {remaining:,}",
            )
        return n

    def distances(self, rows: Array, weights: Sequence[Array]) -> list[int]:
        """Return the sums of the weights of the values in each row."""
        sums = np.zeros(len(rows), dtype=np.int64)
        for column, variable in enumerate(self.solutions.variables):
            sums += weights[variable][rows[:, column]]
        return [int(total) for total in sums]

    def weights(self, decimals: int = DECIMALS) -> tuple[Array, ...]:
        """Return the part of each value in the distance to the origin, in units of 10^-decimals.

        A selected binary option adds 1, a numeric one (value - minimum) / (maximum - minimum), and one that can be
        deselected 1 more than that.
        """
        coarse = 10 ** (DECIMALS - decimals)
        weights = []
        for scale in self.scales:
            deselectable = scale[-1] < 0
            rounded = (2 * scale + coarse) // (2 * coarse) + (10**decimals if deselectable else 0)
            weights.append(np.where(scale < 0, 0, rounded))
        return tuple(weights)


def _scale(option: NumericOption) -> Array:
    """Return (value - minimum) / (maximum - minimum) of each value in `UNIT`, and -1 for "deselected"."""
    values = np.array(option.values)
    spread = values[-1] - values[0]
    scaled = np.rint((values - values[0]) / (spread or 1.0) * UNIT).astype(np.int64)
    return np.append(scaled, -1) if option.optional else scaled


def contained(rows: Array, others: Array) -> Array:
    """Return which rows are among others, shape (n,), bool."""
    known = set(map(tuple, others.tolist()))
    return np.array([tuple(row) in known for row in rows.tolist()], dtype=bool)
