"""Pictures of case studies: shares in percent as bars, beside or on top of each other; logarithmic axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from splc.plotting.style import drawing, literal, new_figure, saved, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

# Dark and light, so that they differ in grey too; blue and orange differ for every kind of colour blindness.
DARK, LIGHT = "#00335c", "#e69f00"
BLACK, GREY, FAINT = "#000000", "#808080", "#e8e8e8"
# Logarithmic axes over less than the first factor have the numbers of linear ones, over less than the second numbers
# between powers of ten.
_FEW, _DECADES = 5.0, 1000.0
# The width of a picture in inches.
_WIDTH = 11
# Neighbours differ in lightness, the first two colours from all others.
_SIDE_BY_SIDE = (DARK, LIGHT, "#8cc8f0", "#a63c00", "#c8c8c8", "#606060", "#f3dfb3")
_STACKED = (DARK, "#4f87b5", "#9dc3e0", "#dcebf5", "#f4f8fb")


@dataclass(frozen=True)
class Stack:
    """A panel of stacked bars."""

    title: str  # the title
    labels: tuple[str, ...]  # the text below each bar
    shares: tuple[tuple[float, ...], ...]  # per bar, the cumulative shares in percent, ascending


def grouped_bars(panels: Mapping[str, Mapping[str, Mapping[str, float]]], title: str, file_format: str) -> bytes:
    """Return a picture of groups of bars, one panel below the other; the same input gives the same bytes.

    Panels with other series than the first have legends of their own.

    `panels`: title of a panel → series → group → share in percent.
    """
    first, *lists = (list(series) for series in panels.values())
    together = all(names == first[: len(names)] for names in lists)
    with drawing():
        figure = new_figure(_WIDTH, 0.8 + 2.9 * len(panels))
        grid = figure.subplots(len(panels), 1, squeeze=False)
        for (name, series), (axes,) in zip(panels.items(), grid, strict=True):
            groups = list(dict.fromkeys(group for shares in series.values() for group in shares))
            width = 0.86 / max(1, len(series))
            for index, shares in enumerate(series.values()):
                at = [position - 0.43 + width * (index + 0.5) for position in range(len(groups))]
                color = _SIDE_BY_SIDE[index % len(_SIDE_BY_SIDE)]
                heights = [shares.get(group, 0.0) for group in groups]
                axes.bar(at, heights, width, color=color, edgecolor=BLACK, linewidth=0.3, label=f"series {index}")
            space = (_WIDTH - 0.8 if together else _WIDTH - 3.5) / max(1, len(groups))
            axes.set_xticks(range(len(groups)), [wrapped(group, space, 10) for group in groups])
            axes.tick_params(axis="x", length=0)
            axes.set_ylabel("%")
            _as_shares(axes, name, 10)
        if together:
            return _finished(figure, grid[0, 0], first, title, file_format)
        for names, (axes,) in zip((first, *lists), grid, strict=True):
            handles, labels = axes.get_legend_handles_labels()
            beside = axes.legend(
                handles, labels, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=8
            )
            named(beside, [literal(name) for name in names])
        figure.suptitle(literal(title), fontsize=10)
        return saved(figure, file_format)


def stacked_bars(panels: Sequence[Sequence[Stack]], bands: Sequence[str], title: str, file_format: str) -> bytes:
    """Return a picture of stacked bars in a grid of panels; the same input gives the same bytes.

    `panels`: rows of panels, of equal length. `bands`: the names of the parts of a bar, from below.
    """
    with drawing():
        columns = max(map(len, panels))
        figure = new_figure(max(7.5, 3.7 * columns), 0.9 + 2.1 * len(panels))
        grid = figure.subplots(len(panels), columns, squeeze=False, sharey=True)
        for stacks, row in zip(panels, grid, strict=True):
            for stack, axes in zip(stacks, row, strict=True):
                below = [0.0] * len(stack.labels)
                for index, _ in enumerate(bands):
                    heights = [shares[index] for shares in stack.shares]
                    added = [height - base for height, base in zip(heights, below, strict=True)]
                    color = _STACKED[index % len(_STACKED)]
                    axes.bar(
                        range(len(added)), added, 0.8, below, color=color, edgecolor=BLACK, linewidth=0.3,
                        label=f"band {index}",
                    )  # fmt: skip
                    below = heights
                axes.set_xticks(range(len(stack.labels)), stack.labels, fontsize=7)
                axes.set_xlim(-0.6, len(stack.labels) - 0.4)
                _as_shares(axes, stack.title, 9)
            row[0].set_ylabel("% of the models")
        grid[-1, columns // 2].set_xlabel("points used, and their cost in % of that of all points", fontsize=8)
        return _finished(figure, grid[0, 0], bands, title, file_format)


def _finished(figure: Figure, axes: Axes, names: Sequence[str], title: str, file_format: str) -> bytes:
    """Return a figure with the names of the bars of its first axes, and a title, as a file."""
    handles, labels = axes.get_legend_handles_labels()
    legend = figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8)
    named(legend, [literal(name) for name in names])
    figure.suptitle(literal(title), fontsize=10)
    return saved(figure, file_format)


def _as_shares(axes: Axes, title: str, size: float) -> None:
    """Give axes a title, lines and the range of shares in percent."""
    axes.set_ylim(0, 100)
    axes.set_title(literal(title), fontsize=size)
    axes.grid(color=FAINT, axis="y")
    axes.set_axisbelow(True)


def plain_number(value: float, position: int | None = None) -> str:
    """Return the text of a tick as plain text, not as a formula."""
    del position
    return f"{value:g}".replace("-", "−")


def logarithmic(axes: Axes, axis: Axis, low: float, high: float, base: int = 10) -> None:
    """Make an axis logarithmic, with at least two plain numbers between two positive values that are not equal."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    scale = axes.set_xscale if axis is axes.xaxis else axes.set_yscale
    scale("log", base=base)
    if high < _FEW * low:
        # There may be one power of ten, or none.
        axis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    elif base == 10 and high < _DECADES * low:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(plain_number))
    axis.set_minor_formatter(NullFormatter())


def named(legend: Legend, names: list[str]) -> None:
    """Write names into a legend; given to it as labels, those that begin with `_` would be left out."""
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_text(name)
