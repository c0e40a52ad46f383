"""Levels of numeric options: which of an option's values a design uses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from sampling.designs.dotnet_random import DotNetRandom
from sampling.space.space import LIMIT
from splc.errors import SpaceError
from splc.system.options import NumericOption
from splc.types import Array


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
