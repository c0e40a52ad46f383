"""Every kind of chart: legible as SVG and by matplotlib, described in words, with its values as a table."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from lxml import etree

from splc.plotting.charts.chart import HeatCells, ticks
from splc.plotting.charts.curves import front_chart, learning_curve_chart
from splc.plotting.charts.drawing import chart_file
from splc.plotting.charts.influences import waterfall_chart
from splc.plotting.charts.palette import DARK, LIGHT
from splc.plotting.charts.predictions import prediction_chart, sorted_chart
from splc.plotting.charts.svg import chart_svg, panel_svg
from tests.plotting.charts.gallery import GALLERY
from tests.plotting.charts.legible_svg import svg_defects
from tests.support.legible import defects
from tests.support.pictures import capture


@pytest.mark.parametrize("name", GALLERY)
def test_pages(name: str) -> None:
    """The panels of a chart are legible on a page."""
    for panel in GALLERY[name]().panels:
        assert svg_defects(panel_svg(panel, "description")) == []


@pytest.mark.parametrize("name", GALLERY)
def test_files(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chart is legible as a file, where it has its legend."""
    chart = GALLERY[name]()
    root = etree.fromstring(chart_svg(chart))
    texts = "".join(root.itertext())
    assert all(text in texts for text in chart.legend.values() if len(text) < 40)
    figure = capture(monkeypatch, lambda: chart_file(chart, "png"))
    assert defects(figure) == []
    assert sum(len(legend.get_texts()) for legend in figure.legends) == len(chart.legend)


@pytest.mark.parametrize("name", GALLERY)
def test_in_words(name: str) -> None:
    """A chart has a title, a description, its values as columns of one length, and labels on axes of numbers."""
    chart = GALLERY[name]()
    assert chart.title
    assert chart.description.endswith(".")
    assert len({len(column) for column in chart.table.values()}) == (name != "together")
    for panel in chart.panels:
        if not any(isinstance(mark, HeatCells) for mark in panel.marks):
            # The name of an option is the title of its panel.
            assert panel.x.names or panel.x.label or panel.title
            assert panel.y.names or panel.y.label


@pytest.mark.parametrize("factor", [1.0, 1.03, 1.4, 4.0, 9.0, 60.0, 900.0, 3e4, 1e9])
@pytest.mark.parametrize("scale", [1.0, 1.7e-5, 70_000.0])
def test_values_over_any_range(factor: float, scale: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Axes of values have numbers that do not overlap, whatever the values span."""
    values = scale * factor ** np.linspace(0, 1, 7)
    steps = [("a", float(np.log(factor)) / 2), ("b", float(np.log(factor)) / 2), ("c", 0.1)]
    points = np.stack([values, values[::-1]], axis=1)
    for chart in (
        front_chart(points, points[:3], ("time", "size"), "s"),
        prediction_chart(values, 1.1 * values, 0 * values + 10, np.arange(7) < 3, "time", held_out=False),
        waterfall_chart(steps, scale, ("mean", "this"), "time", product=True),
        sorted_chart(["a"], values[None], None, "time"),
    ):
        for panel in chart.panels:
            assert svg_defects(panel_svg(panel, "description")) == []
            assert len(ticks(panel.x, 4)) >= 2
            assert len(ticks(panel.y, 4)) >= 2
        # Pictures with pixels have the same numbers on their axes.
        if scale == 1:
            assert defects(capture(monkeypatch, partial(chart_file, chart, "png"))) == []


def test_colors_of_learners() -> None:
    """A learner has the colour of its place among all learners, whichever of them have points."""
    line = [(10.0, 3.0, 0.0), (20.0, 2.0, 0.0)]
    few = learning_curve_chart({"t": {"b": line}}, ["a", "b", "c"], "t")
    all_ = learning_curve_chart({"t": dict.fromkeys("abc", line)}, ["a", "b", "c"], "t")
    assert dict(few.legend) == {role: name for role, name in all_.legend.items() if name == "b"}
    assert LIGHT.keys() == DARK.keys()
