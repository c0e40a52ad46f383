"""A chart: panels with axes and marks, independent of how it is drawn.

Values are in the units of the data. A categorical axis has names, and the values 0, 1, … of its marks are their
positions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from splc.types import Array

Series = Literal["series1", "series2", "series3", "series4", "series5", "series6", "series7", "series8"]
Role = Literal["model", "measured", "rise", "fall", "quiet"] | Series
# The roles of learners, or of models, in their order.
SERIES: tuple[Series, ...] = get_args(Series)

# Values that span more than this factor are on a logarithmic axis.
WIDE = 20.0
# The part of an axis that stays free at either end.
MARGIN = 0.04
# Equal values, and the greatest numbers, have an axis of a finite range, too.
_LARGEST, _SMALLEST = 1e300, 1e-290
# A logarithmic axis spans at most this factor.
_WIDEST = 1e60


@dataclass(frozen=True)
class Axis:
    """An axis.

    Attributes:
        label: what it shows, with the unit.
        low: its lower end.
        high: its upper end.
        log: whether it is logarithmic.
        names: the names of a categorical axis.
        at: the values of its ticks; empty if they are chosen.
    """

    label: str = ""
    low: float = 0.0
    high: float = 1.0
    log: bool = False
    names: tuple[str, ...] = ()
    at: tuple[float, ...] = ()

    @classmethod
    def over(cls, values: Iterable[float] | Array, label: str, *, log: bool | None = None, zero: bool = False) -> Axis:
        """Return an axis for values; what is not finite has no place.

        Args:
            values: the values.
            label: what it shows.
            log: whether it is logarithmic; None: where positive values span more than the factor `WIDE`.
            zero: whether it has to contain 0.
        """
        array = np.asarray(values if isinstance(values, np.ndarray) else list(values), dtype=float).ravel()
        # Smaller values are 0 relative to any tick.
        array = np.where(np.abs(array) < _SMALLEST, 0.0, array)
        array = np.clip(array[np.isfinite(array)], -_LARGEST, _LARGEST)
        if zero:
            array = np.append(array, 0.0)
        if not len(array):
            return cls(label)
        low, high = float(array.min()), float(array.max())
        if log is None:
            log = low > 0 and high > WIDE * low
        # The margins of a wider axis would not be finite.
        log = log and low > high / _WIDEST
        if log:
            ratio = (high / low) ** MARGIN if high > low else 1.5
            return cls(label, low / ratio, high * ratio, log=True)
        if high - low <= 1e-9 * max(abs(low), abs(high)):
            # An axis of rounding errors would look like a difference.
            space = 0.1 * max(abs(low), abs(high)) or 1.0
            return cls(label, low - space, high + space)
        space = MARGIN * (high - low)
        return cls(
            label, low - (space if low != 0 or not zero else 0.0), high + (space if high != 0 or not zero else 0)
        )

    @classmethod
    def of_names(cls, names: Sequence[str], label: str = "") -> Axis:
        """Return a categorical axis; without names it has one that says so."""
        names = tuple(names) or ("none",)
        return cls(label, -0.5, len(names) - 0.5, names=names)

    def place(self, values: Array | float) -> Array:
        """Return values as parts of the axis: 0 at its lower end, 1 at its upper end, NaN where they have no place."""
        array = np.asarray(values, dtype=float)
        if not self.log:
            return np.asarray((array - self.low) / (self.high - self.low))
        low, high = math.log(self.low), math.log(self.high)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((np.log(np.where(array > 0, array, np.nan)) - low) / (high - low))


@dataclass(frozen=True)
class Points:
    """Points.

    Attributes:
        x: their places on the x axis, shape (n,).
        y: their places on the y axis, shape (n,).
        role: what they are.
        names: a text for each point, shown for the one that is chosen; may be empty.
        keys: what each point is about (a row of the measurements); points of one key belong together. May be empty.
    """

    x: Array
    y: Array
    role: Role = "measured"
    names: tuple[str, ...] = ()
    keys: tuple[int, ...] = ()


@dataclass(frozen=True)
class Curve:
    """A line through points; gaps where values are not finite."""

    x: Array
    y: Array
    role: Role = "model"
    marked: bool = False


@dataclass(frozen=True)
class Band:
    """The area between two lines."""

    x: Array
    low: Array
    high: Array
    role: Role = "model"


@dataclass(frozen=True)
class BarMarks:
    """Horizontal bars at the positions 0, 1, … of a categorical y axis.

    Attributes:
        start: where they start, shape (n,).
        end: where they end, shape (n,).
        roles: what each is; one for all, or one for each.
        texts: the text at each end; may be empty.
        thickness: their height, as a part of the distance of two of them.
    """

    start: Array
    end: Array
    roles: tuple[Role, ...]
    texts: tuple[str, ...] = ()
    thickness: float = 0.62


@dataclass(frozen=True)
class Spans:
    """Intervals at the positions 0, 1, … of a categorical axis: on the y axis if `across`, else on the x axis."""

    low: Array
    high: Array
    role: Role = "model"
    across: bool = True
    at: Array | None = None


@dataclass(frozen=True)
class HeatCells:
    """A heat map on two categorical axes.

    Attributes:
        shades: 0 to 1, NaN for an empty cell, shape (rows, columns).
        texts: the text of each cell.
        names: the text that is shown for the one that is chosen.
        role: its colour.
    """

    shades: Array
    texts: tuple[tuple[str, ...], ...]
    names: tuple[tuple[str, ...], ...]
    role: Role = "model"


@dataclass(frozen=True)
class ReferenceLine:
    """A line that values are compared with: at x, at y, or y = x where both are None."""

    x: float | None = None
    y: float | None = None
    text: str = ""


Mark = Points | Curve | Band | BarMarks | Spans | HeatCells | ReferenceLine


@dataclass(frozen=True)
class Panel:
    """A drawing area with two axes.

    Attributes:
        x: the horizontal axis.
        y: the vertical axis; the first name of a categorical one is at the top.
        marks: what is drawn, the first below the others.
        title: its title.
        width: in pixels.
        height: in pixels; for a categorical y axis 0: as high as its names need.
    """

    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    title: str = ""
    width: int = 340
    height: int = 250


@dataclass(frozen=True)
class Chart:
    """A picture.

    Attributes:
        name: a short name without spaces.
        title: its title.
        description: what it shows, in sentences, for those who do not see it.
        panels: its panels.
        legend: role → what it stands for.
        table: its values as columns.
    """

    name: str
    title: str
    description: str
    panels: tuple[Panel, ...]
    legend: Mapping[Role, str] = field(default_factory=dict)
    table: Mapping[str, Sequence[Any]] = field(default_factory=dict)


# The greatest number of points in a panel of which there are several.
MAX_POINTS = 250


def spread(count: int, most: int = MAX_POINTS) -> Array:
    """Return the positions of at most `most` of so many rows, evenly spread."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int)) if count else np.zeros(0, int)


def beside(count: int) -> Array:
    """Return offsets of points with one name, from -0.25 to 0.25, without an order that looks like a trend."""
    return np.asarray(0.5 * ((np.arange(count) * 0.618034) % 1 - 0.5))
