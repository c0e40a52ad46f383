"""The steps of terms from one prediction to another (a waterfall)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from splc.io.numbers import short_number
from splc.plotting.charts.chart import Axis, BarMarks, Chart, Panel, Points, Role

# The greatest number of steps.
MAX_STEPS = 20
# Greater logarithms have no finite factor.
_LARGEST = 690.0


def waterfall_chart(
    steps: Sequence[tuple[str, float]], start: float, ends: tuple[str, str], quantity: str, *, product: bool = False
) -> Chart:
    """Return a chart of the steps from one prediction to another.

    Args:
        steps: terms with the differences of their contributions, the largest first; what exceeds `MAX_STEPS` is one
            step. Of a product, the differences are logarithms of factors.
        start: the prediction that the steps start from.
        ends: the names of the first and of the last prediction.
        quantity: what is predicted, with its unit.
        product: whether the steps multiply; they are drawn on a logarithmic axis.
    """
    moving = [(name, value) for name, value in steps if value != 0]
    shown = moving[:MAX_STEPS]
    if hidden := moving[MAX_STEPS:]:
        shown = [*shown, (f"{len(hidden)} more terms", math.fsum(value for _, value in hidden))]
    values = np.array([value for _, value in shown])
    levels = np.cumsum([math.log(start) if product else start, *values])
    if product:
        levels = np.exp(np.clip(levels, -_LARGEST, _LARGEST))
    before, after = np.append(levels[0], levels), np.append(levels, levels[-1])
    roles: tuple[Role, ...] = ("quiet", *("rise" if value > 0 else "fall" for value in values), "quiet")
    texts = (short_number(levels[0]), *(_step(value, product=product) for value in values), short_number(levels[-1]))
    names = (ends[0], *(name for name, _ in shown), ends[1])
    marks = (
        BarMarks(before, after, roles, texts),
        Points(levels[[0, -1]], np.array([0.0, len(names) - 1.0]), "measured"),
    )
    axis = Axis.over(levels, quantity, log=product)
    what = "factor" if product else "difference"
    return Chart(
        "contributions",
        f"From the {ends[0]} to the {ends[1]}",
        f"Each bar is the {what} of a term, and begins where the one above it ends.",
        (Panel(axis, Axis.of_names(names), marks, "", 560, 0),),
        {role: text for role, text in (("rise", "raises"), ("fall", "lowers")) if role in roles},
        {"term": list(names), "from": before.tolist(), "to": after.tolist()},
    )


def _step(value: float, *, product: bool) -> str:
    if product:
        return f"× {short_number(math.exp(min(value, _LARGEST)), 4)}"
    return f"{'+' if value > 0 else '−'}{short_number(abs(value), 4)}"
