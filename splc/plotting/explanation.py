"""Importance of options with the effects of their values, and contributions of terms to one prediction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from splc.plotting.style import (
    BLACK,
    DARK,
    FAINT,
    GREY,
    LIGHT,
    drawable,
    drawing,
    fitting,
    literal,
    logarithmic,
    new_figure,
    plain_number,
    saved,
    scale_values,
    width_of,
)
from splc.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The least distance of labels, as a part of an axis.
NEAREST_LABELS = 0.12
# The greatest numbers of bars, of steps, of options with a panel of their own, and of numbers below a panel.
MAX_BARS, MAX_STEPS, MAX_PANELS, MAX_NAMES = 20, 20, 8, 8
# The greatest numbers of names below a panel that are slanted, and turned.
MAX_SLANTED, MAX_TURNED = 5, 16
_COLUMNS, _PALE, _LABEL, _PANEL = 4, "#9dc3e0", 2.6, 1.9


@dataclass(frozen=True)
class Bar:
    """The importance of an option: its share of the variance, and what it explains alone, in percent."""

    name: str
    share: float
    alone: float


@dataclass(frozen=True)
class Line:
    """The mean prediction at each value of an option: (label, number of a numeric option or None, mean)."""

    name: str
    points: tuple[tuple[str, float | None, float], ...]


def importance_plot(
    bars: Sequence[Bar], lines: Sequence[Line], title: str, quantity: str, file_format: str, product: bool = False
) -> bytes:
    """Return a plot of shares, and of the mean prediction at each value; the same input gives the same bytes.

    Args:
        bars: the options, the most important first.
        lines: the options whose values are drawn, at most `MAX_PANELS` of them.
        title: the title.
        quantity: what is predicted.
        file_format: one of `FORMATS`.
        product: whether shares are of the variance of the logarithm of the prediction.
    """
    with drawing():
        shown, panels = bars[:MAX_BARS], lines[:MAX_PANELS]
        rows = -(-len(panels) // _COLUMNS)
        heights = [0.9 + 0.26 * max(1, len(shown)), *[2.3] * rows]
        figure = new_figure(10, sum(heights) + 0.4)
        grid = figure.add_gridspec(1 + rows, _COLUMNS, height_ratios=heights)
        axes = figure.add_subplot(grid[0, :])
        places = range(len(shown))
        axes.barh(places, [each.share for each in shown], 0.7, color=_PALE, edgecolor=BLACK, linewidth=0.3)
        # Narrower: of options that depend on each other, one alone can explain more than its share.
        axes.barh(places, [each.alone for each in shown], 0.35, color=DARK)
        ends = [max(0.0, each.share, each.alone) for each in shown]
        labels = [_share_label(each) for each in shown]
        for place, end in enumerate(ends):
            axes.text(end, place, labels[place], va="center", fontsize=8)
        axes.set_yticks(places, [fitting(each.name, _LABEL, 9) for each in shown], fontsize=9)
        # Shares of the covariance may be negative.
        low = min([0.0, *(1.1 * each.share for each in shown)])
        # Of a constant model no option has a share.
        axes.set_xlim(
            low, (max(ends, default=0.0) or 1.0) * (1.2 if any("alone" in label for label in labels) else 1.1)
        )
        axes.invert_yaxis()
        more = f" ({len(bars) - len(shown)} smaller ones are not drawn)" if len(bars) > len(shown) else ""
        of = "the logarithm of the prediction" if product else "the prediction"
        axes.set_xlabel(f"share of the variance of {of}, %\ndark: explained by the option alone{more}")
        axes.grid(axis="x", color=FAINT)
        axes.set_axisbelow(True)
        means = drawable(np.array([point[2] for line in panels for point in line.points]))
        first: Axes | None = None
        for place, line in enumerate(panels):
            own = figure.add_subplot(grid[1 + place // _COLUMNS, place % _COLUMNS], sharey=first)
            _draw_values(own, line)
            if first is None:
                first = own
                scale_values(own, means)
            if place % _COLUMNS == 0:
                own.set_ylabel(f"mean {literal(quantity, 24)}", fontsize=8)
            own.tick_params(labelleft=place % _COLUMNS == 0, labelsize=8)
        figure.suptitle(literal(title))
        return saved(figure, file_format)


def _share_label(bar: Bar) -> str:
    share, alone = f" {bar.share:.1f} %", f" {bar.alone:.1f} %"
    return f"{share}, alone{alone}" if bar.alone > bar.share and alone != share else share


def _draw_values(axes: Axes, line: Line) -> None:
    """Draw the mean prediction at each value of one option."""
    from matplotlib.ticker import FuncFormatter, NullLocator

    numbers = [number for _, number, _ in line.points if number is not None]
    means = drawable(np.array([mean for _, _, mean in line.points]))
    numeric = len(numbers) == len(line.points) and len(numbers) > 2
    if numeric:
        axes.plot(drawable(np.array(numbers)), means, color=DARK, marker="o", markersize=3, linewidth=1.2)
        axes.xaxis.set_major_formatter(FuncFormatter(plain_number))
        wide = min(numbers) > 0 and max(numbers) > 10 * min(numbers)
        if wide:
            logarithmic(axes, axes.xaxis, min(numbers), max(numbers))
        if len(numbers) <= MAX_NAMES:
            # Other numbers than the values of the option would label none, or one or two of them.
            axes.set_xticks(_apart(numbers, wide=wide))
            axes.xaxis.set_minor_locator(NullLocator())
    else:
        places = range(len(means))
        axes.plot(places, means, color=DARK, marker="o", markersize=4, linewidth=0.8, linestyle=":")
        step = -(-len(means) // MAX_TURNED)
        names = [literal(label, 14) for label, _, _ in line.points]
        turned, size = (0, 8) if len(means) <= 2 else (30, 8) if len(means) <= MAX_SLANTED else (90, 7)
        axes.set_xticks(places[::step], names[::step], rotation=turned, fontsize=size)
        axes.set_xlim(-0.5, len(means) - 0.5)
    axes.set_title(literal(line.name, 28), fontsize=9)
    axes.grid(axis="y", color=FAINT)


def _apart(numbers: Sequence[float], *, wide: bool) -> list[float]:
    """Return those of ascending numbers that are far enough from each other for labels on a (logarithmic) axis."""
    places = np.log(numbers) if wide else np.array(numbers)
    least = max(NEAREST_LABELS, max(width_of(plain_number(number), 9) for number in numbers) / _PANEL)
    least, kept = least * (places[-1] - places[0]), [0]
    for at in range(1, len(numbers)):
        if places[at] - places[kept[-1]] >= least:
            kept.append(at)
    return [numbers[at] for at in kept]


def contribution_plot(
    steps: Sequence[tuple[str, float]],
    start: float,
    ends: tuple[str, str],
    title: str,
    quantity: str,
    file_format: str,
    product: bool = False,
) -> bytes:
    """Return a plot of the steps from one prediction to another; the same input gives the same bytes.

    Args:
        steps: terms with the differences of their contributions, the largest first; what exceeds `MAX_STEPS` is one
            step. Of a product, the differences are logarithms of factors.
        start: the prediction that the steps start from.
        ends: the names of the first and of the last prediction.
        title: the title.
        quantity: what is predicted.
        file_format: one of `FORMATS`.
        product: whether the steps multiply; they are drawn on a logarithmic axis.
    """
    from matplotlib.ticker import FuncFormatter

    moving = [(name, value) for name, value in steps if value != 0]
    shown = moving[:MAX_STEPS]
    if rest := moving[MAX_STEPS:]:
        shown = [*shown, (f"{len(rest)} more terms", math.fsum(value for _, value in rest))]
    with drawing():
        figure = new_figure(8, 1.6 + 0.27 * (len(shown) + 2))
        axes = figure.add_subplot()
        level = math.log(start) if product else start
        levels = [level]
        for _, value in shown:
            levels.append(levels[-1] + value)
        drawn = drawable(np.exp(np.minimum(levels, 690.0)) if product else np.array(levels))
        for place, (_, value) in enumerate(shown, 1):
            before, after = float(drawn[place - 1]), float(drawn[place])
            color = LIGHT if value > 0 else DARK
            axes.barh(place, after - before, 0.6, before, color=color, edgecolor=BLACK, linewidth=0.3)
            axes.plot([after, after], [place, place + 1], color=GREY, linewidth=0.6, zorder=1)
            text = f"× {math.exp(min(value, 690.0)):.4g}" if product else f"{value:+.4g}".replace("-", "−")
            axes.annotate(
                text, (max(before, after), place), (3, 0), textcoords="offset points", va="center", fontsize=8
            )
        for place, value in ((0, float(drawn[0])), (len(shown) + 1, float(drawn[-1]))):
            axes.plot([value], [place], color=BLACK, marker="D", markersize=5, linestyle="")
            axes.annotate(f"{value:.4g}", (value, place), (6, 0), textcoords="offset points", va="center", fontsize=8)
        names = [ends[0], *(fitting(name, _LABEL, 9) for name, _ in shown), ends[1]]
        axes.set_yticks(range(len(names)), names, fontsize=9)
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.xaxis.set_major_formatter(FuncFormatter(plain_number))
        if product:
            logarithmic(axes, axes.xaxis, float(drawn.min()), float(drawn.max()))
        ends_of_axis = _limits(drawn, product=product)
        if ends_of_axis is not None:
            axes.set_xlim(*ends_of_axis)
        axes.set_xlabel(literal(quantity))
        axes.set_title(literal(title))
        axes.grid(axis="x", color=FAINT)
        axes.set_axisbelow(True)
        return saved(figure, file_format)


def _limits(levels: Array, *, product: bool) -> tuple[float, float] | None:
    """Return the ends of the axis of contributions, with space for labels; None where all levels are one."""
    low, high = float(levels.min()), float(levels.max())
    if not low < high:
        return None
    if product:
        span = math.log(high / low)
        return low * math.exp(-0.04 * span), high * math.exp(0.16 * span)
    return low - 0.04 * (high - low), high + 0.16 * (high - low)
