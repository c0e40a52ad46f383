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
    shown = sorted(influences, key=lambda each: -abs(each.contribution))[:MAX_TERMS]
    low, high = np.array([each.low for each in shown]), np.array([each.high for each in shown])
    value = np.array([each.contribution for each in shown])
    label = f"mean change of {quantity}, %" if product else f"mean contribution to {quantity}"
    axis = Axis.over(np.concatenate([low, high, value]), label, log=False, zero=True)
    roles: tuple[Role, ...] = tuple("rise" if each.contribution > 0 else "fall" for each in shown)
    texts = tuple(rounded_text(each.contribution, 3) for each in shown)
    marks = (BarMarks(np.zeros(len(shown)), value, roles, texts), Spans(low, high, "measured"), ReferenceLine(x=0.0))
    unit = " %" if product else ""
    return Chart(
        "influences",
        "What each term contributes",
        "The mean contribution of each term over the measured configurations, with its 90 % interval. A term whose "
        "interval contains 0 has no settled sign.",
        (Panel(axis, Axis.of_names([each.term for each in shown]), marks, "", 470, 0),),
        {"rise": "raises", "fall": "lowers"},
        {
            "term": [each.term for each in influences],
            f"contribution{unit}": [each.contribution for each in influences],
            f"low{unit}": [each.low for each in influences],
            f"high{unit}": [each.high for each in influences],
        },
    )
