"""Designs of fixed levels of numeric options: Plackett-Burman, composite, Box-Behnken, one factor, factorial, hyper.

A design chooses some of the values of each option, its levels, and combines them. `compat` variants choose and combine
them as SPL Conqueror's program does.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Self, cast

import numpy as np

from sampling.designs.design import Arguments, Design, distinct_design
from sampling.draws import DotNetRandom
from sampling.space.parts import Parts
from sampling.space.space import LIMIT
from splc.errors import SpaceError, SpecError, plural
from splc.system.options import NumericOption
from splc.types import Array

Options = Sequence[NumericOption]
# Rows of value indices, and notes.
Chosen = tuple[Array, tuple[str, ...]]

_MAX_OPTIONS = 16
_CUT = 1000  # SPL Conqueror's program stops after about as many


def spread(n: int, levels: int) -> list[int]:
    """Return the indices of `levels` of n values, evenly spread with both ends (all, if there are no more)."""
    if n <= levels:
        return list(range(n))
    return [round(level * (n - 1) / (levels - 1)) for level in range(levels)] if levels > 1 else [n // 2]


def compat_spread(n: int, levels: int) -> list[int]:
    """Return the indices of `levels` of n values as SPL Conqueror computes them, ascending.

    The step is rounded once and multiplied, so that the last two levels may be close together or far apart.
    """
    if n <= levels:
        return list(range(n))
    # With fewer than two levels both ends remain.
    step = round((n - 1) / max(levels - 1, 1))
    return [*(min(level * step, n - 1) for level in range(max(levels - 1, 1))), n - 1]


def compat_levels(n: int, levels: int) -> list[int]:
    """Return exactly `levels` indices of n values as SPL Conqueror does: few values are padded with random ones.

    Each added one is drawn from all n values by a new generator whose seed is the length of the list so far.
    """
    indices = compat_spread(n, levels)
    while len(indices) < levels:
        indices.append(DotNetRandom(len(indices)).below(n))
    return indices


def centre(option: NumericOption, compat: bool = False) -> int:
    """Return the index of an option's centre, N//2 of N values.

    SPL Conqueror (`compat`) has one value more where the steps do not meet maxValue (12 after 0, 4, 8 with maxValue
    10); it is not valid, and the last valid value is used instead of it.
    """
    overshoot = compat and option.step is not None and option.maximum is not None
    return min((len(option.values) + overshoot) // 2, len(option.values) - 1)


def compat_nearest(option: NumericOption, value: float) -> int:
    """Return the index of the value that SPL Conqueror uses: the next larger one, or in a list the nearest one."""
    if option.step is None:
        return option.nearest(value)
    return min(int(np.searchsorted(option.values, value)), len(option.values) - 1)


def one_at_a_time(centres: Sequence[int], values: Iterable[Sequence[int]]) -> Array:
    """Return the centre, then for each option its values with the other options at their centres."""
    rows = [list(centres)]
    for position, option_values in enumerate(values):
        rows += [[*centres[:position], value, *centres[position + 1 :]] for value in option_values]
    return np.array(rows, dtype=np.int64)


def grid(text: str, levels: Sequence[Sequence[int]], first_fastest: bool = False) -> Array:
    """Return all combinations of levels; the last option varies fastest unless `first_fastest`."""
    size = math.prod(map(len, levels))
    if size > LIMIT:
        raise SpaceError(
            f"{text}: {size:,} combinations of numeric values are too many (the limit is {LIMIT:,})",
            hint="use fewer levels, or a design whose size does not grow as fast, such as pb:125,5 or dopt:100",
        )
    axes = [np.array(indices, dtype=np.int64) for indices in (levels[::-1] if first_fastest else levels)]
    rows = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(size, len(axes))
    return rows[:, ::-1].copy() if first_fastest else rows


# (measurements, levels) → SPL Conqueror's seed, one digit per column.
SEEDS = {
    (9, 3): "01220211",
    (27, 3): "00101211201110020212210222",
    (81, 3): "01111201211212020221102011001222021002000222210212212101011220102200211101200100",
    (25, 5): "041121032242014434023313",
    (125, 5): (
        "02221041141313412021102443140200444203223212132404220433123040033340144142421430344031124103001113"
        "02332343423101330122432010"
    ),
    (49, 7): "012622160532335204131143065155610245442503646634",
}


@dataclass(frozen=True)
class LevelDesign(ABC):
    """A design of levels, without draws."""

    text: str

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its distinct rows for a system (the seed has no effect)."""
        return distinct_design(*self._chosen(parts.system.numeric_options))

    @abstractmethod
    def _chosen(self, options: Options) -> Chosen:
        """Return its rows for some options, repeated ones included."""


@dataclass(frozen=True)
class PlackettBurman(LevelDesign):
    """`pb:M,L[,compat]`: M measurements at L levels of each numeric option.

    Plackett, Burman: "The design of optimum multifactorial experiments", Biometrika 33 (1946). Each row is the
    previous row shifted to the right (table 2.2 of the thesis); in the last row all options have their lowest level.
    Each pair of the first (M-1)/(L-1) columns contains all pairs of levels equally often; more columns are aliased.
    """

    measurements: int  # the number of rows
    levels: int  # the number of levels of each option
    compat: bool = False  # whether rows are shifted to the left as in SPL Conqueror, with its levels (`compat_levels`)

    @classmethod
    def parse(cls, arguments: Arguments) -> PlackettBurman:
        """Read its arguments."""
        compat = arguments.flag("compat", 2)
        measurements, levels = arguments.positional[:2]
        pair = next((pair for pair in SEEDS if (measurements, levels) == tuple(map(str, pair))), None)
        if pair is None:
            raise arguments.error(f"there is no design of {measurements} measurements with {levels} levels")
        return cls(arguments.text, *pair, compat)

    def _chosen(self, options: Options) -> Chosen:
        if len(options) > self.measurements - 1:
            raise SpecError(
                f"{self.text}: {self.measurements} measurements allow at most {self.measurements - 1} numeric "
                f"options, not {len(options)}",
                hint="use a larger design, at most pb:125,5",
            )
        # The level of each option in each row.
        seed = np.array([int(digit) for digit in SEEDS[self.measurements, self.levels]])
        row, column = np.indices((len(seed), len(options)))
        levels = np.pad(seed[(row + column if self.compat else row - column) % len(seed)], ((0, 1), (0, 0)))
        values = [
            compat_levels(len(option.values), self.levels)
            if self.compat
            else [option.level(level, self.levels) for level in range(self.levels)]
            for option in options
        ]
        rows = np.stack([np.array(own)[column] for own, column in zip(values, levels.T, strict=True)], axis=1)
        strength = (self.measurements - 1) // (self.levels - 1)
        separated = f"{self.text} separates the effects of at most {strength} numeric options"
        aliased = f"{separated}; with {len(options)} they are aliased"
        return rows, (aliased,) if len(options) > strength else ()


@dataclass(frozen=True)
class CentralComposite(LevelDesign):
    """`cci[:rotatable|:compat]`: the centre, axial points at the ends of the ranges, and a cube in between.

    Box, Wilson: "On the experimental attainment of optimum conditions", J. R. Stat. Soc. B 13 (1951); figure 2.4 of
    the thesis. For k options with centre c (the middle value): c; 2k points with one option at its least or greatest
    value; 2^k points with every option at c - (c - min)/sqrt(k) or c + (max - c)/sqrt(k), each rounded to the nearest
    value (of two equally near ones the smaller).
    """

    # `rotatable`: the cube is scaled by 2^(-k/4) instead, the textbook's choice (pydoe's). `compat`: SPL Conqueror's
    # program: k^2 cube points (not 2^k); both sides lie (c - min)/sqrt(k) from the centre; values of step functions are
    # rounded up. Its value list continues one step beyond maxValue if the steps do not meet maxValue, which changes the
    # centre. Such values (12 for 0, 4, 8 with maxValue 10) are not valid; the last valid value (8) is used instead.
    variant: Literal["", "rotatable", "compat"] = ""

    @classmethod
    def parse(cls, arguments: Arguments) -> CentralComposite:
        """Read its arguments."""
        arguments.expect(0, 1)
        (variant,) = arguments.positional or ("",)
        if variant not in ("", "rotatable", "compat"):
            raise arguments.error(f"cci has no variant {variant!r}")
        return cls(arguments.text, cast(Literal["", "rotatable", "compat"], variant))

    def _chosen(self, options: Options) -> Chosen:
        if len(options) > _MAX_OPTIONS and self.variant != "compat":
            raise SpecError(
                f"{self.text}: the cube over {len(options)} numeric options has {2 ** len(options):,} corners, "
                f"more than {2**_MAX_OPTIONS:,}",
                hint="use a design for many options, such as pb:125,5",
            )
        k, compat = len(options), self.variant == "compat"
        scale = 1 / (2**k) ** 0.25 if self.variant == "rotatable" and k > 1 else 1 / math.sqrt(k)
        # The two values of each option in the cube.
        sides = []
        for option in options:
            middle, least, greatest = option.center, option.values[0], option.values[-1]
            if compat:
                middle = option.values[centre(option, compat)]
                reach = (middle - least) / math.sqrt(k)
                sides.append((compat_nearest(option, middle + reach), compat_nearest(option, middle - reach)))
            else:
                ends = middle - scale * (middle - least), middle + scale * (greatest - middle)
                sides.append((option.nearest(ends[0]), option.nearest(ends[1])))
        # In SPL Conqueror's program the first option is the fastest.
        numbers = np.arange(k * k if compat else 2**k)[:, None]
        bits = numbers >> np.minimum(np.arange(k) if compat else np.arange(k)[::-1], 62) & 1
        cube = np.array(sides)[np.arange(k), bits]
        axial = one_at_a_time([centre(option, compat) for option in options], [(0, len(o.values) - 1) for o in options])
        return np.concatenate([axial, cube]), ()


@dataclass(frozen=True)
class BoxBehnken(LevelDesign):
    """`bbd[:compat]`: for each pair of options the four combinations of their ends, and the centre: 2k(k-1) + 1 rows.

    Box, Behnken: "Some new three level designs for the study of quantitative variables", Technometrics 2 (1960). As in
    pydoe and in SPL Conqueror, pairs are used for every number k of options, also for k ≥ 6.
    """

    compat: bool = False  # whether the centre is that of SPL Conqueror (see `centre`)

    @classmethod
    def parse(cls, arguments: Arguments) -> BoxBehnken:
        """Read its arguments."""
        return cls(arguments.text, arguments.flag("compat", 0))

    def _chosen(self, options: Options) -> Chosen:
        k = len(options)
        if 2 * k * (k - 1) >= LIMIT:
            raise SpaceError(f"{self.text}: {2 * k * (k - 1) + 1:,} rows are too many (the limit is {LIMIT:,})")
        levels = np.array([[0, centre(option, self.compat), len(option.values) - 1] for option in options])
        # The position of each level: 1 is the centre, which comes last.
        first, second = (np.repeat(pairs, 4) for pairs in np.triu_indices(k, 1))
        rows = np.arange(len(first))
        positions = np.ones((len(rows) + 1, k), dtype=np.int64)
        positions[rows, first] = rows // 2 % 2 * 2
        positions[rows, second] = rows % 2 * 2
        notes = () if k > 1 else (f"{self.text}: with one numeric option there is no pair of options, only the centre",)
        return levels[np.arange(k), positions], notes


@dataclass(frozen=True)
class CountedLevels(LevelDesign):
    """A design `NAME:K[,compat]` of K levels of each option, or of K percent of its values."""

    number: int = 2
    # whether the levels are those of SPL Conqueror's program, and their order
    compat: bool = False
    meaning: ClassVar[str] = "the number of levels"
    unit: ClassVar[str] = ""
    least: ClassVar[tuple[int, int]] = 2, 2  # the least number, and that of SPL Conqueror's program

    @classmethod
    def parse(cls, arguments: Arguments) -> Self:
        """Read its arguments."""
        compat = arguments.flag("compat", 1)
        text = arguments.positional[0].removesuffix(cls.unit)
        return cls(arguments.text, arguments.whole_number(text, cls.meaning, cls.least[compat]), compat)


@dataclass(frozen=True)
class OneFactor(CountedLevels):
    """`ofat:K[,compat]`: K values of each option, one of them its centre, while the others are at their centres.

    Daniel: "One-at-a-time plans", J. Am. Stat. Assoc. 68 (1973). The values are K - 1 that are spread evenly, and the
    centre. If the centre is one of them, they are K that are spread evenly, the one nearest to the centre replaced by
    the centre. SPL Conqueror has its own levels and centre, and one value more if the centre is not one of K levels.
    """

    meaning: ClassVar[str] = "the number of values"
    least: ClassVar[tuple[int, int]] = 3, 2

    def _chosen(self, options: Options) -> Chosen:
        centres = [centre(option, self.compat) for option in options]
        values = [self._values(option, middle) for option, middle in zip(options, centres, strict=True)]
        few = [option.name for option in options if len(option.values) < self.number]
        notes = (f"{plural(len(few), 'option has', 'options have')} fewer than {self.number} values",) if few else ()
        return one_at_a_time(centres, values), notes

    def _values(self, option: NumericOption, middle: int) -> Sequence[int]:
        """Return the indices of one option's values without its centre."""
        n = len(option.values)
        levels = compat_spread if self.compat else spread
        indices = levels(n, self.number - 1)
        # In SPL Conqueror, the last level is maxValue itself, which the centre is not if the steps do not meet it.
        beyond = self.compat and option.maximum is not None and len(indices) < n
        if middle in indices[: len(indices) - beyond]:
            indices = levels(n, self.number)
            if middle not in indices and not self.compat:
                indices.remove(min(indices[1:-1], key=lambda index: abs(index - middle)))
        return [index for index in indices if index != middle]


@dataclass(frozen=True)
class Factorial(CountedLevels):
    """`factorial:K[,compat]`: all combinations of K levels of each option, K^k rows.

    Box, Hunter, Hunter: "Statistics for Experimenters", Wiley 1978. The levels are at equal distances between the least
    and the greatest value; the value nearest to each is used. If the values are not at equal distances (1, 2, 4, 8, …),
    several levels may be the same value. In SPL Conqueror, values of step functions are rounded up, and the first
    option varies fastest.
    """

    def _chosen(self, options: Options) -> Chosen:
        few = [f"{option.name} ({len(option.values)})" for option in options if len(option.values) < self.number]
        if few:
            raise SpecError(
                f"{self.text}: fewer than {self.number} values: {', '.join(few)}",
                hint="use fewer levels, restrict the design to other options as in "
                f"{self.text}[a,b], or use hyper:P, whose levels depend on the number of values",
            )
        nearest = compat_nearest if self.compat else NumericOption.nearest
        levels = []
        for option in options:
            least, greatest = option.values[0], option.values[-1]
            values = [least + level * (greatest - least) / (self.number - 1) for level in range(self.number)]
            levels.append(list(dict.fromkeys(nearest(option, value) for value in values)))
        close = [option.name for option, indices in zip(options, levels, strict=True) if len(indices) < self.number]
        coinciding = f"{self.text}: several levels are the same value: {', '.join(close)}"
        return grid(self.text, levels, self.compat), (coinciding,) if close else ()


@dataclass(frozen=True)
class Hypersampling(CountedLevels):
    """`hyper:P[,compat]`: all combinations of P percent of each option's values, at least two of each.

    Siegmund et al.: "Performance-influence models for highly configurable systems", ESEC/FSE 2015. Of an option's N
    values, round-half-even(N·P/100) are used, spread evenly, with both ends; or SPL Conqueror's levels (`compat`).
    """

    meaning: ClassVar[str] = "the percentage of values"
    unit: ClassVar[str] = "%"
    least: ClassVar[tuple[int, int]] = 1, 1

    @classmethod
    def parse(cls, arguments: Arguments) -> Self:
        """Read its arguments."""
        design = super().parse(arguments)
        if design.number > 100:
            raise arguments.error(f"the percentage of values must be at most 100, not {design.number}")
        return design

    def _chosen(self, options: Options) -> Chosen:
        levels = compat_spread if self.compat else spread
        sizes = [len(option.values) for option in options]
        rows = grid(self.text, [levels(n, max(2, round(n * self.number / 100))) for n in sizes])
        cut = self.compat and len(rows) > _CUT
        return rows, (f"SPL Conqueror stops after about {_CUT:,} of these {len(rows):,} rows",) if cut else ()
