"""A ranking by share as horizontal bars: the share at a target, beside the one at the measured points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from splc.plotting.style import BLACK, DARK, FAINT, LIGHT, drawing, fitting, literal, named, new_figure, saved

_WIDTH, _NAMES = 8.0, 3.6
_BAR = 0.38
# Taller pictures cannot be drawn.
MAX_BARS = 200


@dataclass(frozen=True)
class ShareBar:
    """The shares of one name, in percent.

    Attributes:
        name: the name.
        now: the share at the measured points.
        later: the share at the target.
    """

    name: str
    now: float
    later: float


def ranking_plot(bars: Sequence[ShareBar], now: str, later: str, title: str, file_format: str) -> bytes:
    """Return a picture of shares, the first one on top, numbered; the same input gives the same bytes.

    Args:
        bars: the shares; at most `MAX_BARS` are drawn.
        now: the name of the measured points.
        later: the name of the target.
        title: the title.
        file_format: one of `FORMATS`.
    """
    bars = bars[:MAX_BARS]
    with drawing():
        figure = new_figure(_WIDTH, 1.3 + 0.32 * len(bars))
        axes = figure.subplots()
        positions = range(len(bars))
        for shift, shares, color in (
            (-1, [bar.later for bar in bars], DARK),
            (1, [bar.now for bar in bars], LIGHT),
        ):
            at = [position + shift * _BAR / 2 for position in positions]
            axes.barh(at, shares, _BAR, color=color, edgecolor=BLACK, linewidth=0.3, label=str(shift))
        # Long names may look the same when they are shortened: ranks tell them apart.
        axes.set_yticks(
            positions, [f"{fitting(bar.name, _NAMES, 8)}  {at}" for at, bar in enumerate(bars, 1)], fontsize=8
        )
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(bars) - 0.5, -0.5)
        axes.set_xlim(left=0)
        axes.set_xlabel("share in %")
        axes.grid(color=FAINT, axis="x")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        handles, labels = axes.get_legend_handles_labels()
        legend = figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=8)
        named(legend, [literal(later, 60), literal(now, 60)])
        figure.suptitle(literal(title, 90), fontsize=10)
        return saved(figure, file_format)
