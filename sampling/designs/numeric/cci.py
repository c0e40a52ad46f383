"""Inscribed central composite designs, whose points lie within the ranges of the options."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sampling.designs.design import Arguments, Design, distinct_design
from sampling.designs.numeric.levels import centre, compat_nearest, one_at_a_time
from sampling.space.parts import Parts
from splc.errors import SpecError
from splc.system.options import NumericOption
from splc.types import Array

_MAX_OPTIONS = 16


@dataclass(frozen=True)
class CentralComposite:
    """`cci[:rotatable|:compat]`: the centre, axial points at the ends of the ranges, and a cube in between.

    Box, Wilson: "On the experimental attainment of optimum conditions", J. R. Stat. Soc. B 13 (1951); figure 2.4 of
    the thesis. For k options with centre c (the middle value): c; 2k points with one option at its least or greatest
    value; 2^k points with every option at c - (c - min)/sqrt(k) or c + (max - c)/sqrt(k), each rounded to the nearest
    value (of two equally near ones the smaller).
    """

    text: str
    # `rotatable`: the cube is scaled by 2^(-k/4) instead, the textbook's choice (pydoe's). `compat`: SPL Conqueror's
    # program: k^2 cube points (not 2^k); both sides lie (c - min)/sqrt(k) from the centre; values of step functions are
    # rounded up. Its value list continues one step beyond maxValue if the steps do not meet maxValue, which changes the
    # centre. Such values (12 for 0, 4, 8 with maxValue 10) are not valid; the last valid value (8) is used instead.
    variant: Literal["", "rotatable", "compat"] = ""

    @classmethod
    def parse(cls, arguments: Arguments) -> CentralComposite:
        """Read its arguments."""
        arguments.expect(0, 1)
        match arguments.positional:
            case ():
                return cls(arguments.text)
            case ("rotatable",):
                return cls(arguments.text, "rotatable")
            case ("compat",):
                return cls(arguments.text, "compat")
            case _:
                raise arguments.error(f"cci has no variant {arguments.positional[0]!r}")

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its distinct rows: centre, axial points, cube (the seed has no effect)."""
        options = parts.system.numeric_options
        if len(options) > _MAX_OPTIONS and self.variant != "compat":
            raise SpecError(
                f"{self.text}: the cube over {len(options)} numeric options has {2 ** len(options):,} corners, "
                f"more than {2**_MAX_OPTIONS:,}",
                hint="use a design for many options, such as pb:125,5",
            )
        if self.variant == "compat":
            return distinct_design(_compat(options))
        rotatable = self.variant == "rotatable" and len(options) > 1
        scale = 1 / (2 ** len(options)) ** 0.25 if rotatable else 1 / math.sqrt(len(options))
        cube = np.array(list(itertools.product((-scale, scale), repeat=len(options))))
        return distinct_design(np.concatenate([_axial(options), _uncoded(options, cube)]))


def _uncoded(options: Sequence[NumericOption], coded: Array) -> Array:
    """Return the value indices nearest to points given on the scale -1 (least value), 0 (centre), 1 (greatest)."""
    columns = []
    for column, option in zip(coded.T, options, strict=True):
        below, above = option.center - option.values[0], option.values[-1] - option.center
        points, inverse = np.unique(column, return_inverse=True)
        nearest = [option.nearest(option.center + point * (below if point < 0 else above)) for point in points]
        columns.append(np.array(nearest)[inverse.reshape(-1)])
    return np.stack(columns, axis=1)


def _axial(options: Sequence[NumericOption], compat: bool = False) -> Array:
    """Return the centre, then for each option the ends of its range, with the others at their centres."""
    ends = [(0, len(option.values) - 1) for option in options]
    return one_at_a_time([centre(option, compat) for option in options], ends)


def _compat(options: Sequence[NumericOption]) -> Array:
    k = len(options)
    ends = []
    for option in options:
        middle = option.values[centre(option, compat=True)]
        reach = (middle - option.values[0]) / math.sqrt(k)
        ends.append((compat_nearest(option, middle + reach), compat_nearest(option, middle - reach)))
    cube = [[ends[bit][number >> bit & 1] for bit in range(k)] for number in range(k * k)]
    return np.concatenate([_axial(options, compat=True), np.array(cube, dtype=np.int64)])
