"""A chart: panels with axes and marks in rows, independent of how it is drawn, and the looks of roles.

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
SERIES: tuple[Series, ...] = get_args(Series)  # the roles of learners, or of models, in their order

WIDE = 20.0  # values that span more than this factor are on a logarithmic axis
MARGIN = 0.04  # the part of an axis that stays free at either end
# Equal values, and the greatest numbers, have an axis of a finite range, too.
_LARGEST, _SMALLEST = 1e300, 1e-290
_WIDEST = 1e60  # a logarithmic axis spans at most this factor
# The greatest width of a row of several panels, and the distance of panels, in pixels.
WIDTH, GAP = 800, 6
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)  # the steps of round numbers within a power of ten
MAX_POINTS = 250  # the greatest number of points in a panel of which there are several


@dataclass(frozen=True)
class Axis:
    """An axis."""

    label: str = ""  # what it shows, with the unit
    low: float = 0.0
    high: float = 1.0
    log: bool = False  # whether it is logarithmic
    names: tuple[str, ...] = ()  # the names of a categorical axis
    at: tuple[float, ...] = ()  # the values of its ticks; empty if they are chosen

    @classmethod
    def over(cls, values: Iterable[float] | Array, label: str, *, log: bool | None = None, zero: bool = False) -> Axis:
        """Return an axis for values; what is not finite has no place.

        `log`: whether it is logarithmic; None: where positive values span more than the factor `WIDE`. `zero`: whether
        it has to contain 0.
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
        return cls(label, low - space * (low != 0 or not zero), high + space * (high != 0 or not zero))

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
    """Points."""

    x: Array
    y: Array
    role: Role = "measured"
    names: tuple[str, ...] = ()  # a text for each point, shown for the one that is chosen; may be empty
    keys: tuple[int, ...] = ()  # what each point is about, such as a row; equal ones belong together; may be empty


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
    """Horizontal bars at the positions 0, 1, … of a categorical y axis."""

    start: Array
    end: Array
    roles: tuple[Role, ...]  # what each is; one for all, or one for each
    texts: tuple[str, ...] = ()  # the text at each end; may be empty
    thickness: float = 0.62  # their height, as a part of the distance of two of them


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
    """A heat map on two categorical axes."""

    shades: Array  # 0 to 1, NaN for an empty cell, shape (rows, columns)
    texts: tuple[tuple[str, ...], ...]  # the text of each cell
    names: tuple[tuple[str, ...], ...]  # the text that is shown for the one that is chosen
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
    """A drawing area with two axes; the first name of a categorical y axis is at the top."""

    x: Axis
    y: Axis
    marks: tuple[Mark, ...]  # what is drawn, the first below the others
    title: str = ""
    width: int = 340  # in pixels
    height: int = 250  # in pixels; for a categorical y axis 0: as high as its names need


@dataclass(frozen=True)
class Chart:
    """A picture."""

    name: str  # a short name without spaces
    title: str
    description: str  # what it shows, in sentences, for those who do not see it
    panels: tuple[Panel, ...]
    legend: Mapping[Role, str] = field(default_factory=dict)  # role → what it stands for
    table: Mapping[str, Sequence[Any]] = field(default_factory=dict)  # its values as columns


def spread(count: int, most: int = MAX_POINTS) -> Array:
    """Return the positions of at most `most` of so many rows, evenly spread."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int)) if count else np.zeros(0, int)


def beside(count: int) -> Array:
    """Return offsets of points with one name, from -0.25 to 0.25, without an order that looks like a trend."""
    return np.asarray(0.5 * ((np.arange(count) * 0.618034) % 1 - 0.5))


def further(count: int, most: int, what: str = "further options") -> str:
    """Return the sentence about what is not drawn, if there is more than is drawn."""
    return f" {count - most:,} {what} are not drawn." if count > most else ""


def columns_of(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> dict[str, list[Any]]:
    """Return rows as the columns of a table."""
    lines = list(rows)
    return {name: [line[at] for line in lines] for at, name in enumerate(names)}


def rows_of(panels: Sequence[Panel]) -> list[list[Panel]]:
    """Return panels in rows, each as full as its width allows."""
    rows: list[list[Panel]] = []
    for panel in panels:
        if rows and sum(box.width + GAP for box in (*rows[-1], panel)) <= WIDTH:
            rows[-1].append(panel)
        else:
            rows.append([panel])
    return rows


def joined(charts: Sequence[Chart], title: str) -> Chart:
    """Return charts as one, the panels of the first one first."""
    legend: dict[Role, str] = {}
    for chart in charts:
        legend |= chart.legend
    names, texts = "-".join(chart.name for chart in charts), " ".join(chart.description for chart in charts)
    return Chart(names, title, texts, tuple(panel for chart in charts for panel in chart.panels), legend)


def ticks(axis: Axis, most: int) -> tuple[float, ...]:
    """Return the values of at most about `most` ticks of an axis, in ascending order."""
    if axis.names:
        return tuple(float(at) for at in range(len(axis.names)))
    if axis.at:
        return tuple(value for value in axis.at if axis.low <= value <= axis.high)
    if not axis.log:
        return _linear(axis.low, axis.high, most)
    values = _powers(axis.low, axis.high, most)
    return values if len(values) >= 2 else _apart(axis, _linear(axis.low, axis.high, most), 1 / most)


def _apart(axis: Axis, values: tuple[float, ...], least: float) -> tuple[float, ...]:
    """Return the ticks that are at least a part of the axis from each other: even numbers are not even on its scale."""
    result: list[float] = []
    for value in values:
        if not result or axis.place(value) - axis.place(result[-1]) >= least:
            result.append(value)
    return tuple(result)


def _linear(low: float, high: float, most: int) -> tuple[float, ...]:
    """Return multiples of the least round step that gives few enough ticks."""
    size = 10.0 ** math.floor(math.log10((high - low) / max(1, most)))
    for factor in _STEPS:
        step = size * factor
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first < most:
            break
    return tuple(float(f"{number * step:.12g}") for number in range(first, last + 1))


def _powers(low: float, high: float, most: int) -> tuple[float, ...]:
    """Return powers of ten, with 2 and 5 between them where there is space."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for factors in ((1, 2, 5), (1, 3), (1,)):
        values = [factor * 10.0**power for power in range(first, last + 1) for factor in factors]
        values = [float(f"{value:.12g}") for value in values if low <= value <= high]
        if len(values) <= most:
            return tuple(values)
    return tuple(values[:: -(-len(values) // most)])


def tick_text(value: float) -> str:
    """Return the text of a tick."""
    return f"{value:g}".replace("-", "−").replace("e+0", "e").replace("e+", "e").replace("e−0", "e−")


@dataclass(frozen=True)
class Look:
    """The look of a model: colour, pattern of the line, marker, order of drawing, and whether it has a name."""

    color: str
    dashes: Any
    marker: str
    height: float
    named: bool = True


# Okabe and Ito's colours, in an order in which neighbours differ in lightness. Yellow is too light on white, and black
# is the colour of measured values: a dark blue, a violet and an olive replace them.
LOOKS = (
    Look("#00335c", (0, ()), "o", 4.8),
    Look("#e69f00", (0, (6, 2)), "s", 4.7),
    Look("#009e73", (0, (2, 1.2)), "^", 4.6),
    Look("#cc79a7", (0, (7, 2, 1.5, 2)), "D", 4.5),
    Look("#d55e00", (0, (1, 1)), "v", 4.4),
    Look("#56b4e9", (0, (9, 2, 3, 2)), "P", 4.3),
    Look("#6a3d9a", (0, (4, 1.5, 1, 1.5, 1, 1.5)), "X", 4.2),
    Look("#8c7a1e", (0, (12, 3)), "p", 4.1),
)
# Further models share one look, since more looks could not be distinguished.
REST = Look("#a0a0a0", "-", ".", 2.7, named=False)
# Colours that differ for every kind of colour blindness, and in grey. Learners and models have those of `LOOKS`.
LIGHT: dict[Role, str] = {
    "model": "#0b5394",
    "measured": "#555555",
    "rise": "#c8560a",
    "fall": "#0b5394",
    "quiet": "#9a9a9a",
    **{role: look.color for role, look in zip(SERIES, LOOKS, strict=True)},
}
DARK: dict[Role, str] = {
    "model": "#6fb1f0",
    "measured": "#b5b5b5",
    "rise": "#f2a25c",
    "fall": "#6fb1f0",
    "quiet": "#808080",
    # The hues of the light ones, light enough for a dark page.
    **dict(
        zip(
            SERIES,
            ("#7fb2e5", "#f0b640", "#2fc79a", "#e3a0c5", "#f28a4a", "#8fd0f5", "#b59ae0", "#c9b95a"),
            strict=True,
        )
    ),
}
# The dashes of a line in SVG, in pixels.
_DASHES = {
    role: " ".join(f"{1.8 * length:g}" for length in look.dashes[1])
    for role, look in zip(SERIES, LOOKS, strict=True)
    if look.dashes[1]
}


def variables(colors: dict[Role, str]) -> str:
    """Return the colours as variables of CSS."""
    return "".join(f"--{role}:{color};" for role, color in colors.items())


def rules() -> str:
    """Return the rules of CSS for strokes, areas and swatches of each role, and for the dashes of lines."""
    lines = [
        f".chart .s-{role}{{stroke:var(--{role})}}.chart .f-{role}{{fill:var(--{role})}}"
        f".b-{role}{{background:var(--{role})}}"
        for role in LIGHT
    ]
    lines += [f".chart .line.s-{role}{{stroke-dasharray:{dashes}}}" for role, dashes in _DASHES.items()]
    return "\n".join(lines)


def look_of(role: Role) -> Look | None:
    """Return the dashes and the marker of a learner or model; None for another role."""
    return LOOKS[SERIES.index(role)] if role in SERIES else None


def role_of(place: int) -> Role:
    """Return the role of the learner or model at a place of their order; those beyond the last colour are grey."""
    return SERIES[place] if place < len(SERIES) else "quiet"
