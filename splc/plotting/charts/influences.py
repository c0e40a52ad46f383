"""Influences of terms with their intervals (a forest plot)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from splc.io.numbers import rounded_text
from splc.plotting.charts.chart import Axis, BarMarks, Chart, Panel, ReferenceLine, Role, Spans

# The greatest number of terms.
MAX_TERMS = 30


@dataclass(frozen=True)
class Influence:
    """The mean contribution of a term to predictions, with its interval, in the unit of the property or in percent."""

    term: str
    contribution: float
    low: float
    high: float


def influence_chart(influences: Sequence[Influence], quantity: str, *, product: bool = False) -> Chart:
    """Return a chart of the mean contributions of terms, so that terms of different units can be compared.

    Args:
        influences: the terms.
        quantity: the property with its unit.
        product: whether each term multiplies the prediction; contributions are changes in percent then.
    """
    shown = sorted(influences, key=lambda influence: -abs(influence.contribution))[:MAX_TERMS]
    low, high = np.array([influence.low for influence in shown]), np.array([influence.high for influence in shown])
    value = np.array([influence.contribution for influence in shown])
    label = f"mean change of {quantity}, %" if product else f"mean contribution to {quantity}"
    axis = Axis.over(np.concatenate([low, high, value]), label, log=False, zero=True)
    roles: tuple[Role, ...] = tuple("rise" if influence.contribution > 0 else "fall" for influence in shown)
    texts = tuple(rounded_text(influence.contribution, 3) for influence in shown)
    marks = (BarMarks(np.zeros(len(shown)), value, roles, texts), Spans(low, high, "measured"), ReferenceLine(x=0.0))
    unit = " %" if product else ""
    return Chart(
        "influences",
        "What each term contributes",
        "The mean contribution of each term over the measured configurations, with its 90 % interval. A term whose "
        "interval contains 0 has no settled sign.",
        (Panel(axis, Axis.of_names([influence.term for influence in shown]), marks, "", 470, 0),),
        {"rise": "raises", "fall": "lowers"},
        {
            "term": [influence.term for influence in influences],
            f"contribution{unit}": [influence.contribution for influence in influences],
            f"low{unit}": [influence.low for influence in influences],
            f"high{unit}": [influence.high for influence in influences],
        },
    )
