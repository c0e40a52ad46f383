"""Charts as files: SVG as it is, PNG and PDF by matplotlib (the extra `plot`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from splc.errors import SpecError, plural
from splc.io.files import require_writable, write_whole
from splc.plotting import style
from splc.plotting.charts.chart import (
    LIGHT,
    Axis,
    Band,
    BarMarks,
    Chart,
    Curve,
    HeatCells,
    Panel,
    Points,
    ReferenceLine,
    Spans,
    look_of,
    rows_of,
    tick_text,
    ticks,
)
from splc.plotting.charts.svg import chart_svg, height_of
from splc.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Pixels per inch of a chart. In inches: the length of names beside and below a panel, and what labels leave free.
_PER_INCH, _NAMES, _SLANTED, _MARGIN = 88.0, 2.2, 1.2, 0.9
_BESIDE = 0.2  # the distance of slanted names in inches
_LINE = 0.19  # the height of a line of the title or the legend in inches
_VECTORS = 20_000  # more points are drawn as pixels


@dataclass(frozen=True)
class Picture:
    """A picture as a value, which is drawn as a file of a format when a notebook shows it, or when it is saved."""

    draw: Callable[[str], bytes]

    def save(self, file: str | Path) -> None:
        """Write it to a file; the suffix chooses the format."""
        write_whole(file, self.draw(style.plot_format(file)))

    @property
    def shown(self) -> str:
        """The format that notebooks show: PNG, which every one has, or SVG without matplotlib."""
        return "png" if style.has_matplotlib() else "svg"

    def _repr_mimebundle_(self, **options: object) -> dict[str, bytes | str]:
        del options
        if self.shown == "svg":
            return {"image/svg+xml": self.draw("svg").decode()}
        return {"image/png": self.draw("png")}


def require_picture(file: str | None, inputs: Iterable[str | None] = ()) -> None:
    """Refuse the file of a picture that cannot be drawn in its format, or cannot be written, or is an input."""
    if file is not None:
        style.plot_format(file)
        require_writable(file, inputs)


def write_picture(chart: Chart, file: str) -> None:
    """Write a chart to a file; the suffix chooses the format."""
    Picture(partial(chart_file, chart)).save(file)


def chart_file(chart: Chart, file_format: str, dpi: int = style.SCREEN) -> bytes:
    """Return a chart as a file of one of `splc.plotting.FORMATS`; the same chart gives the same bytes."""
    if file_format == "svg":
        return chart_svg(chart).encode()
    from matplotlib.patches import Patch

    with style.drawing():
        rows = rows_of(chart.panels)
        width = max(sum(panel.width for panel in row) for row in rows) / _PER_INCH
        heights = [max(map(height_of, row)) / _PER_INCH for row in rows]
        title = style.wrapped(chart.title, width - 0.3, 10)
        names = [style.fitting(text, width - 0.6, 8) for text in chart.legend.values()]
        columns = max(1, int(width / (max((style.width_of(name, 8) for name in names), default=0.0) + 0.6)))
        lines = title.count("\n") + math.ceil(len(names) / columns)
        figure = style.new_figure(width, sum(heights) + 0.4 + _LINE * lines)
        grid = figure.add_gridspec(len(rows), 1, height_ratios=heights)
        for index, row in enumerate(rows):
            # Panels are as wide as they ask for: the rest of a row is empty.
            widths = [panel.width / _PER_INCH for panel in row]
            space = [*widths, max(width - sum(widths), 0.01)]
            cells = grid[index].subgridspec(1, len(space), width_ratios=space)
            for column, panel in enumerate(row):
                _draw(figure.add_subplot(cells[column]), panel)
        figure.suptitle(title, fontsize=10)
        if names:
            swatches = [Patch(color=LIGHT[role]) for role in chart.legend]
            below: dict[str, Any] = {"loc": "outside lower center", "ncols": columns, "frameon": False, "fontsize": 8}
            # Given as labels, names that begin with `_` would be left out.
            legend = figure.legend(swatches, ["-"] * len(names), **below)
            for text, name in zip(legend.get_texts(), names, strict=True):
                text.set_text(name)
        return style.saved(figure, file_format, dpi)


def draw_into(chart: Chart, axes: Any) -> None:
    """Draw a chart into axes of matplotlib, one per panel."""
    from matplotlib.patches import Patch

    given = np.atleast_1d(axes).ravel()
    if len(given) != len(chart.panels):
        count = plural(len(chart.panels), "panel", "panels")
        hint = f"figure, axes = plt.subplots(1, {len(chart.panels)})"
        raise SpecError(f"the picture has {count}; give axes for each, not {len(given)}", hint=hint)
    with style.drawing():
        for target, panel in zip(given, chart.panels, strict=True):
            _draw(target, panel)
        if len(given) == 1:
            given[0].set_title(style.literal(chart.title), fontsize=9)
        else:
            given[0].figure.suptitle(style.literal(chart.title), fontsize=10)
        swatches = [Patch(color=LIGHT[role], label=style.literal(text)) for role, text in chart.legend.items()]
        if swatches:
            given[-1].legend(handles=swatches, fontsize=7)


def _draw(axes: Axes, panel: Panel) -> None:
    axes.set_xlim(panel.x.low, panel.x.high)
    axes.set_ylim(*((panel.y.high, panel.y.low) if panel.y.names else (panel.y.low, panel.y.high)))
    for mark in panel.marks:
        match mark:
            case Points():
                many = len(mark.x) > _VECTORS
                axes.plot(mark.x, mark.y, ".", color=LIGHT[mark.role], alpha=0.55, markersize=5, rasterized=many)
            case Curve():
                look = look_of(mark.role)
                marker = (look.marker if look else "o") if mark.marked else None
                dashes: Any = look.dashes if look else "-"
                axes.plot(
                    mark.x, mark.y, color=LIGHT[mark.role], linestyle=dashes, linewidth=1.4, marker=marker, markersize=3
                )
            case Band():
                axes.fill_between(mark.x, mark.low, mark.high, color=LIGHT[mark.role], alpha=0.18, linewidth=0)
            case BarMarks():
                _bars(axes, mark)
            case Spans():
                _spans(axes, mark)
            case HeatCells():
                _cells(axes, mark)
            case ReferenceLine():
                _reference(axes, mark, panel)
    width, height = panel.width / _PER_INCH - _MARGIN, height_of(panel) / _PER_INCH - _MARGIN
    _scale(axes, "x", panel.x, max(2, panel.width // 70), width)
    _scale(axes, "y", panel.y, max(2, int(height_of(panel)) // 45), width)
    beside = max((style.width_of(style.literal(name), 7) for name in panel.y.names), default=0.0)
    axes.set_title(style.fitting(panel.title, width - min(beside, _NAMES), 9), fontsize=9)
    axes.set_xlabel(style.fitting(panel.x.label, width, 8), fontsize=8)
    axes.set_ylabel(style.fitting(panel.y.label, max(height, 1.0), 8), fontsize=8)
    axes.tick_params(labelsize=7)


def _scale(axes: Axes, name: str, axis: Axis, most: int, width: float) -> None:
    """Set the scale and the ticks of an axis, which is about so many inches wide."""
    from matplotlib.ticker import NullLocator

    target: Any = axes.xaxis if name == "x" else axes.yaxis
    low, high = axes.get_xlim() if name == "x" else axes.get_ylim()
    if axis.log:
        (axes.set_xscale if name == "x" else axes.set_yscale)("log")
    values = ticks(axis, most)
    room = _NAMES if name == "y" else _SLANTED
    names = [style.fitting(text, room, 7) for text in axis.names] or list(map(tick_text, values))
    target.set_minor_locator(NullLocator())
    slanted = name == "x" and sum(map(len, axis.names)) > 24
    step = max(1, math.ceil(len(names) * _BESIDE / width)) if slanted else 1
    target.set_ticks(values[::step], names[::step])
    if slanted:
        axes.tick_params(axis="x", labelrotation=40)
        for label in axes.get_xticklabels():
            label.set(horizontalalignment="right", rotation_mode="anchor")
    (axes.set_xlim if name == "x" else axes.set_ylim)(low, high)


def _bars(axes: Axes, mark: BarMarks) -> None:
    colors = [LIGHT[mark.roles[at % len(mark.roles)]] for at in range(len(mark.end))]
    axes.barh(range(len(mark.end)), mark.end - mark.start, mark.thickness, mark.start, color=colors, alpha=0.85)
    for at, text in enumerate(mark.texts):
        point = {"xy": (1.0, at), "xycoords": ("axes fraction", "data")}
        axes.annotate(text, xytext=(4, 0), textcoords="offset points", va="center", fontsize=7, **point)  # type: ignore[arg-type]


def _spans(axes: Axes, mark: Spans) -> None:
    at: Array = np.arange(len(mark.low), dtype=float) if mark.at is None else mark.at
    finite = np.isfinite(mark.low) & np.isfinite(mark.high)
    draw = axes.hlines if mark.across else axes.vlines
    draw(at[finite], mark.low[finite], mark.high[finite], color=LIGHT[mark.role], linewidth=1.4)


def _cells(axes: Axes, mark: HeatCells) -> None:
    rows, columns = mark.shades.shape
    for row in range(rows):
        for column in range(columns):
            shade = float(mark.shades[row, column])
            if math.isfinite(shade):
                axes.barh(row, 1.0, 1.0, column - 0.5, color=LIGHT[mark.role], alpha=0.06 + 0.5 * shade, linewidth=0)
                axes.text(column, row, mark.texts[row][column], ha="center", va="center", fontsize=7)


def _reference(axes: Axes, mark: ReferenceLine, panel: Panel) -> None:
    look: dict[str, Any] = {"color": "#808080", "linestyle": "--", "linewidth": 0.8}
    place: dict[str, Any] = {}
    if mark.x is not None:
        axes.axvline(mark.x, **look)
        place = {"xy": (mark.x, 1.0), "xycoords": ("data", "axes fraction"), "xytext": (3, -9), "ha": "left"}
    elif mark.y is not None:
        axes.axhline(mark.y, **look)
        place = {"xy": (1.0, mark.y), "xycoords": ("axes fraction", "data"), "xytext": (-3, 3), "ha": "right"}
    else:
        ends = [max(panel.x.low, panel.y.low), min(panel.x.high, panel.y.high)]
        axes.plot(ends, ends, **look)
    if mark.text:
        axes.annotate(mark.text, textcoords="offset points", fontsize=7, **place)
