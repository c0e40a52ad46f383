"""Charts as pictures by matplotlib: every kind of mark, the same bytes each time."""

from __future__ import annotations

import math

import numpy as np

from splc.plotting.charts.chart import (
    Axis,
    Band,
    BarMarks,
    Chart,
    Curve,
    HeatCells,
    Panel,
    Points,
    ReferenceLine,
    Spans,
)
from splc.plotting.charts.drawing import chart_file

ENDS = np.array([1.0, 100.0])
NAMES = Axis.of_names(["a name that is longer than the others", "b"])
LINES = Panel(
    Axis.over(ENDS, "x"),
    Axis.over(ENDS, "y"),
    (
        Band(ENDS, ENDS / 2, ENDS),
        Points(ENDS, ENDS),
        Curve(ENDS, ENDS, marked=True),
        ReferenceLine(),
        ReferenceLine(x=10.0, text="x"),
        ReferenceLine(y=10.0, text="y"),
    ),
    "lines",
)
BARS = Panel(
    Axis.over(ENDS, "x", zero=True),
    NAMES,
    (BarMarks(0 * ENDS, ENDS, ("rise", "fall"), ("1", "100")), Spans(ENDS, 2 * ENDS)),
)
CELLS = Panel(NAMES, NAMES, (HeatCells(np.array([[0.5, math.nan]] * 2), (("1", ""),) * 2, (("one", ""),) * 2),))


def test_pictures() -> None:
    """Panels beside and below each other are drawn; nothing of it depends on the time."""
    chart = Chart("chart", "A title of <b>several</b> words", "d", (LINES, BARS, CELLS, LINES))
    content = chart_file(chart, "png")
    assert content.startswith(b"\x89PNG")
    assert chart_file(chart, "png") == content
    assert chart_file(chart, "pdf").startswith(b"%PDF")
    assert chart_file(chart, "svg").startswith(b"<svg")
