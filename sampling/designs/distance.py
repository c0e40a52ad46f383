"""Distance-maximising sampling, and the solutions that all distance-based designs select from, with their scales."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sampling.designs.design import Amount, Arguments, Design, Selected
from sampling.space.parts import Parts
from sampling.space.solutions import Solutions
from sampling.space.strata import Strata
from splc.data.configurations import Configurations
from splc.errors import SpaceError
from splc.system.options import BinaryOption, NumericOption, Option
from splc.types import Array

Kind = Literal["whole", "binary", "numeric"]
_NAMES = {"whole": "configurations", "binary": "binary parts", "numeric": "numeric parts"}

# Distances are integers in this unit: numeric options are rounded to 4 decimals, as in SPL Conqueror.
DECIMALS = 4
UNIT = 10**DECIMALS
_MAX_WEIGHT = 1000


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


@dataclass(frozen=True)
class DistanceMaximizing:
    """`distance:N[,weight=W]`: the smallest configuration, then those with the largest sum of distances to all before.

    SPL Conqueror's distance-based sampling (Siegmund et al.). The distance of two configurations is the number of
    binary options that only one of them selects, in which those that the description calls optional count W times, and
    |difference| / (maximum - minimum) of numeric options (1 if only one of the two configurations has a value). The
    configurations of a sample to be extended count as those before.
    """

    text: str
    kind: Kind  # whether whole configurations or binary parts are selected
    amount: Amount
    weight: int = 1  # the weight of optional options

    @classmethod
    def parse(cls, kind: Kind, arguments: Arguments) -> DistanceMaximizing:
        """Read its arguments."""
        arguments.expect(1, 1, "weight")
        weight = arguments.whole_number(arguments.named.get("weight", "1"), "the weight", 1)
        if weight > _MAX_WEIGHT:
            raise arguments.error(f"the weight must be at most {_MAX_WEIGHT:,}, not {weight:,}")
        return cls(arguments.text, kind, Amount.parse(arguments), weight)

    def configurations(self, parts: Parts, seed: int, measured: Configurations | None) -> Selected:
        """Return whole configurations in order of selection (the seed has no effect)."""
        return Configurations(parts.system, self._rows(parts)), ()

    def design(self, parts: Parts, seed: int) -> Design:
        """Return binary parts in order of selection (the seed has no effect)."""
        return Design(self._rows(parts))

    def _rows(self, parts: Parts) -> Array:
        scope = Scope.of(parts, self.kind)
        n = scope.size(self.text, self.amount, parts)
        variables = scope.solutions.variables
        zeros = [np.zeros(len(scale), dtype=np.int64) for scale in scope.scales]
        strata = Strata(scope.solutions, zeros)
        known = len(scope.existing)
        costs = zeros if known else list(scope.weights())
        rows = np.concatenate([scope.existing, np.zeros((n, len(variables)), dtype=np.int64)])
        for number in range(known + n):
            if number >= known:
                row = strata.cheapest(0, costs, rows[:number])
                assert row is not None
                rows[number] = row
            if number == 0:
                costs = zeros
            for variable, value in zip(variables, rows[number], strict=True):
                scale = scope.scales[variable]
                apart = np.abs(scale - scale[value])
                apart[(scale < 0) != (scale[value] < 0)] = UNIT
                costs[variable] = costs[variable] - apart * (self.weight if scope.optional[variable] else 1)
        return rows[known:]
