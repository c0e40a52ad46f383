"""The columns of the full model as functions of a number (docs/decisions/0009-default-learner.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from splc.learning.projection.constants import HALF_RANGE, SQUARE_SHIFT
from splc.types import Array

Transform = Literal["identity", "ln", "ln1p"]
_TRANSFORMS: Mapping[str, Callable[[Array], Array]] = {"identity": np.asarray, "ln": np.log, "ln1p": np.log1p}


@dataclass(frozen=True)
class ScaledShape:
    """A transform of the value, scaled to about unit size, or the square of that minus about its mean."""

    transform: Transform  # 'identity', 'ln', or 'ln1p', which is ln(1 + x)
    middle: float  # the centre of the transform's range
    half: float  # the transform's distance from it that is scaled to 1
    squared: bool = False  # whether it is the square

    def values(self, x: Array) -> Array:
        """Return the column of values, shape (n,)."""
        scaled: Array = (_TRANSFORMS[self.transform](x) - self.middle) / self.half
        return scaled**2 - SQUARE_SHIFT if self.squared else scaled

    @classmethod
    def of(cls, transform: Transform, values: Sequence[float], squared: bool = False) -> ScaledShape:
        """Return the shape that is scaled to the described values; constant transforms give 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = _TRANSFORMS[transform](np.array([min(values), max(values)], dtype=float))
        middle, half_range = ends.mean(), (ends[1] - ends[0]) / 2 / HALF_RANGE
        return cls(transform, float(middle), float(half_range), squared)


@dataclass(frozen=True)
class LevelShape:
    """1 for one value, else -1."""

    value: float

    def values(self, x: Array) -> Array:
        """Return the column of values, shape (n,)."""
        return np.where(x == self.value, 1.0, -1.0)


@dataclass(frozen=True)
class ThresholdShape:
    """A step at a value, minus its mean, scaled."""

    value: float
    share: float
    size: float

    def values(self, x: Array) -> Array:
        """Return the column of values, shape (n,)."""
        column: Array = ((x >= self.value) - self.share) / self.size
        return column


@dataclass(frozen=True)
class PresenceShape:
    """1 where the option has a value, -1 where it is deselected; the only shape that is not 0 there."""


Shape = ScaledShape | LevelShape | ThresholdShape | PresenceShape


def column_of(shape: Shape, x: Array) -> Array:
    """Return the column of a shape for values, shape (n,), NaN where the option is deselected."""
    absent = np.isnan(x)
    if isinstance(shape, PresenceShape):
        return np.where(absent, -1.0, 1.0)
    if not absent.any():
        return shape.values(x)
    column = np.zeros(len(x))
    column[~absent] = shape.values(x[~absent])
    return column
