"""The importance of options: their shares of the variance of the prediction, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from splc.io.numbers import share_text
from splc.plotting.charts.chart import Axis, BarMarks, Chart, Panel, Spans

# The greatest number of bars.
MAX_BARS = 20


@dataclass(frozen=True)
class Share:
    """The share of an option in percent, with the interval as far as it is known."""

    name: str
    share: float
    low: float | None = None
    high: float | None = None


def importance_chart(shares: Sequence[Share], quantity: str) -> Chart:
    """Return a chart of shares, the most important option first.

    Args:
        shares: the options.
        quantity: what is predicted.
    """
    shown = shares[:MAX_BARS]
    low = np.array([np.nan if bar.low is None else bar.low for bar in shown])
    high = np.array([np.nan if bar.high is None else bar.high for bar in shown])
    end = np.array([bar.share for bar in shown])
    axis = Axis.over([*end.tolist(), *high[np.isfinite(high)].tolist()], "share of the variance, %", zero=True)
    bars = BarMarks(np.zeros(len(shown)), end, ("model",), tuple(share_text(bar.share) for bar in shown))
    hidden = f" {len(shares) - len(shown)} smaller ones are not drawn." if len(shares) > len(shown) else ""
    interval = " Lines are 90 % intervals." if np.isfinite(low).any() else ""
    return Chart(
        "importance",
        f"What {quantity} depends on",
        f"How much of the variance of the predictions of {quantity} each option explains, over all valid "
        f"configurations.{interval}{hidden}",
        (Panel(axis, Axis.of_names([bar.name for bar in shown]), (bars, Spans(low, high, "measured")), "", 430, 0),),
        {},
        {
            "option": [bar.name for bar in shares],
            "share %": [bar.share for bar in shares],
            "low %": [bar.low for bar in shares],
            "high %": [bar.high for bar in shares],
        },
    )
