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
    low = np.array([np.nan if each.low is None else each.low for each in shown])
    high = np.array([np.nan if each.high is None else each.high for each in shown])
    end = np.array([each.share for each in shown])
    axis = Axis.over([*end.tolist(), *high[np.isfinite(high)].tolist()], "share of the variance, %", zero=True)
    bars = BarMarks(np.zeros(len(shown)), end, ("model",), tuple(share_text(each.share) for each in shown))
    rest = f" {len(shares) - len(shown)} smaller ones are not drawn." if len(shares) > len(shown) else ""
    interval = " Lines are 90 % intervals." if np.isfinite(low).any() else ""
    return Chart(
        "importance",
        f"What {quantity} depends on",
        f"How much of the variance of the predicted {quantity} each option explains, over all valid "
        f"configurations.{interval}{rest}",
        (Panel(axis, Axis.of_names([each.name for each in shown]), (bars, Spans(low, high, "measured")), "", 430, 0),),
        {},
        {
            "option": [each.name for each in shares],
            "share %": [each.share for each in shares],
            "low %": [each.low for each in shares],
            "high %": [each.high for each in shares],
        },
    )
