"""The expected error of models of each number of terms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splc.plotting.charts.chart import Axis, Chart, Curve, Mark, Panel, ReferenceLine


def size_chart(sizes: Sequence[int], errors: Sequence[float], chosen: int | None, full: float | None) -> Chart:
    """Return a chart of the expected error against the number of terms.

    Args:
        sizes: the numbers of terms.
        errors: the expected errors in percent.
        chosen: the number of terms of the printed model.
        full: the expected error of the full model in percent.
    """
    x = Axis.over(sizes, "number of terms", log=False)
    y = Axis.over([*errors, *([] if full is None else [full])], "expected error, %", zero=True, log=False)
    marks: list[Mark] = [] if full is None else [ReferenceLine(y=full, text="full model")]
    if chosen is not None:
        marks.append(ReferenceLine(x=float(chosen), text="printed"))
    marks.append(Curve(np.array(sizes, dtype=float), np.array(errors), marked=True))
    return Chart(
        "sizes",
        "How many terms are needed",
        "The expected error on new configurations of the best model of each number of terms.",
        (Panel(x, y, tuple(marks), "", 420, 240),),
        {},
        {"terms": list(sizes), "expected error %": list(errors)},
    )
