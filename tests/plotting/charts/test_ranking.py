"""Charts of rankings by share."""

from __future__ import annotations

import pytest

from splc.plotting.charts import curves
from splc.plotting.charts.chart import BarMarks, Points
from splc.plotting.charts.curves import ShareBar, share_chart

BARS = [ShareBar("main->solve", 30, 60), ShareBar("main->日本\x1b[2J" + "x" * 300, 70, 40), ShareBar("$a_b$", 0, 0)]


def test_shares() -> None:
    """The bars are the shares at the target, the points those at the measured points, and ranks are numbered."""
    chart = share_chart(BARS, "p = 512", "p = 16384", "time")
    (panel,) = chart.panels
    bars, points = panel.marks
    assert isinstance(bars, BarMarks)
    assert isinstance(points, Points)
    assert (bars.end.tolist(), points.x.tolist(), points.y.tolist()) == ([60, 40, 0], [30, 70, 0], [0, 1, 2])
    assert [name.split()[-1] for name in panel.y.names] == ["1", "2", "3"]
    assert set(chart.legend.values()) == {"p = 512", "p = 16384"}


def test_very_many_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of bars is limited, so that the picture stays small enough; the table has all."""
    monkeypatch.setattr(curves, "MAX_BARS", 2)
    chart = share_chart(BARS, "now", "later", "time")
    assert len(chart.panels[0].y.names) == 2
    assert len(chart.table["name"]) == 3
