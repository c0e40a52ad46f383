"""Panels in rows, and charts together."""

from __future__ import annotations

from splc.plotting.charts.chart import GAP, WIDTH, Axis, Panel, joined, rows_of
from tests.plotting.charts.gallery import GALLERY


def test_rows_are_full() -> None:
    """Panels keep their order, rows of several are at most as wide as allowed, and no row takes less than it could."""
    panels = [Panel(Axis(), Axis(), (), width=width) for width in (430, 250, 250, 250, 250, 900, 10)]
    rows = rows_of(panels)
    assert [panel for row in rows for panel in row] == panels
    assert [[panel.width for panel in row] for row in rows] == [[430, 250], [250, 250, 250], [900], [10]]
    assert all(len(row) == 1 or sum(panel.width + GAP for panel in row) <= WIDTH for row in rows)


def test_charts_together() -> None:
    """Charts together have all panels and what all colours stand for."""
    one, two = GALLERY["influences"](), GALLERY["effects"]()
    both = joined([one, two], "both")
    assert both.panels == (*one.panels, *two.panels)
    assert both.legend == {**one.legend, **two.legend}
