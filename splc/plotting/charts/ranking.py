"""A ranking by share: the share at a target as a bar, the one at the measured points as a point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from splc.io.numbers import small_share
from splc.plotting.charts.chart import Axis, BarMarks, Chart, Panel, Points

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


def share_chart(bars: Sequence[ShareBar], now: str, later: str, title: str, name: str = "shares") -> Chart:
    """Return a chart of shares, the first one on top.

    Args:
        bars: the shares; at most `MAX_BARS` are drawn.
        now: the name of the measured points.
        later: the name of the target.
        title: the title.
        name: the name of the chart.
    """
    shown = bars[:MAX_BARS]
    at = np.arange(len(shown), dtype=float)
    first, last = (np.array([getattr(bar, which) for bar in shown], dtype=float) for which in ("now", "later"))
    axis = Axis.over(np.concatenate([first, last]), "share, %", log=False, zero=True)
    texts = tuple(small_share(bar.later) for bar in shown)
    marks = (BarMarks(np.zeros(len(shown)), last, ("model",), texts), Points(first, at, "rise"))
    # Long names may look the same when they are shortened: ranks tell them apart.
    names = [f"{bar.name}  {rank}" for rank, bar in enumerate(shown, 1)]
    return Chart(
        name,
        title,
        f"The share of each call path at {later} as a bar, and at {now} as a point.",
        (Panel(axis, Axis.of_names(names), marks, "", 640, 0),),
        {"model": later, "rise": now},
        {
            "name": [bar.name for bar in bars],
            f"share % at {now}": [bar.now for bar in bars],
            f"share % at {later}": [bar.later for bar in bars],
        },
    )
