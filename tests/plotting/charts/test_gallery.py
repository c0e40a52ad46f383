"""Charts as SVG and as pictures: what they show of the data, and texts that can be read."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from comparison.changes import ModelCourse, TermCourse
from splc.plotting.charts import chart as looks
from splc.plotting.charts import curves
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
    rows_of,
    ticks,
)
from splc.plotting.charts.curves import front_chart, learning_curve_chart
from splc.plotting.charts.drawing import chart_file
from splc.plotting.charts.effects import MAX_PANELS, course_chart
from splc.plotting.charts.influences import MAX_MODELS, MAX_TERMS, term_chart, waterfall_chart
from splc.plotting.charts.predictions import ascending, prediction_chart, sorted_chart
from splc.plotting.charts.svg import bars_svg, chart_svg, height_of, panel_svg
from splc.plotting.style import fitted, text_width, visible
from tests.plotting.charts.gallery import GALLERY, X, capture, compared, score, svg_defects
from tests.support.golden_messages import check_cases, shown
from tests.support.legible import defects


def test_values() -> None:
    """A chart has the title, the legend, the axes and the marks of its values, and all of these in its table."""

    def lines(case: str) -> Iterator[str]:
        chart = GALLERY[case.partition(" = ")[0]]()
        yield from (chart.title, chart.description, shown(tuple(chart.legend.items())))
        for panel in chart.panels:
            yield from (f"    {shown(each)}" for each in (replace(panel, marks=()), *panel.marks))
        yield from (f"    {column}: {shown(values)}" for column, values in chart.table.items())

    check_cases("charts", lines)


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """What exceeds the greatest number of bars, terms, models or panels is counted; the table has all."""
    terms = [score(X**k, "no class", 1, None) for k in range(1, MAX_TERMS + 3)]
    several = term_chart([compared("first", f"model {at}", (["x"], terms[: at + 1])) for at in range(MAX_MODELS + 1)])
    assert len(several.panels) == MAX_MODELS
    assert "1 further models are not drawn" in several.description
    many = term_chart([compared("first", "second", (["x"], terms))])
    assert len(many.panels[0].y.names) == MAX_TERMS
    assert "2 further terms are not drawn" in many.description
    same = TermCourse("1", (10.0, 9.0), (0.5, 0.5), (False,))
    course = ModelCourse("identity", tuple(replace(same, text=f"x{at}") for at in range(MAX_PANELS + 3)), (1.0,))
    drawn = course_chart(course, ["1", "2"], "v", "s by v", "t")
    assert len(drawn.panels) == MAX_PANELS
    assert "3 further influences are not drawn" in drawn.description
    assert len(drawn.table["term"]) == 2 * (MAX_PANELS + 3)
    monkeypatch.setattr(curves, "MAX_BARS", 2)
    shares = curves.share_chart([curves.ShareBar(name, 30, 60) for name in "abc"], "now", "later", "time")
    assert (len(shares.panels[0].y.names), len(shares.table["name"])) == (2, 3)


@given(st.lists(st.tuples(st.floats(-5, 5), st.integers(0, 3)), min_size=1, max_size=30))
def test_order_of_sorted_predictions(rows: list[tuple[float, int]]) -> None:
    """Configurations ascend by the measured value, equal ones (all, if none is measured) by the first model's."""
    first, measured = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    values = np.stack([first, -first])
    order = ascending(values, measured)
    pairs = list(zip(measured[order], first[order], strict=True))
    assert pairs == sorted(pairs)
    assert list(first[ascending(values, None)]) == sorted(first)
    # Values that were not measured come after those that were.
    gaps = np.array([np.nan, 7.0, 5.0, np.nan])
    assert list(ascending(np.array([[1.0, 2.0, 3.0, 0.0]]), gaps)) == [2, 1, 3, 0]


def test_rows_are_full() -> None:
    """Panels keep their order, rows of several are at most as wide as allowed, and no row takes less than it could."""
    panels = [Panel(Axis(), Axis(), (), width=width) for width in (430, 250, 250, 250, 250, 900, 10)]
    rows = rows_of(panels)
    assert [[panel.width for panel in row] for row in rows] == [[430, 250], [250, 250, 250], [900], [10]]


@pytest.mark.parametrize("factor", [1.0, 1.03, 4.0, 900.0, 1e9, 1e300])
@pytest.mark.parametrize("link", ["identity", "log"])
def test_courses_over_any_range(link: Literal["identity", "log"], factor: float) -> None:
    """Panels are legible whatever their values span, and huge ones are drawn, too."""
    values = np.array([1.0, factor**0.3, factor])
    means = tuple(np.log(values) if link == "log" else values)
    terms = tuple(TermCourse(f"x{at}", means[:: 1 - 2 * at], (0.05,) * 3, (True, False)) for at in range(2))
    chart = course_chart(ModelCourse(link, terms, (1.0, 0.5)), ["1", "2", "3"], "v", "s by v", "t_s")
    assert [svg_defects(panel_svg(panel, "description")) for panel in chart.panels] == [[], []]
    assert "nan" not in chart_svg(chart)


@pytest.mark.parametrize("name", GALLERY)
def test_gallery(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chart is described in words and as columns of one length; it is legible on a page, and as a file with a legend.

    Every curve, every line of reference and every bar is drawn.
    """
    chart = GALLERY[name]()
    assert chart.title
    assert chart.description.endswith(".")
    assert len({len(column) for column in chart.table.values()}) == (name != "together")
    for panel in chart.panels:
        assert svg_defects(panel_svg(panel, "description")) == []
        if not any(isinstance(mark, HeatCells) for mark in panel.marks):
            # The name of an option is the title of its panel.
            assert panel.x.names or panel.x.label or panel.title
            assert panel.y.names or panel.y.label
    texts = "".join(etree.fromstring(chart_svg(chart)).itertext())
    assert all(text in texts for text in chart.legend.values() if len(text) < 40)
    figure = capture(monkeypatch, lambda: chart_file(chart, "png"))
    assert defects(figure) == []
    assert sum(len(legend.get_texts()) for legend in figure.legends) == len(chart.legend)
    for panel, axes in zip(chart.panels, figure.axes, strict=False):
        marks = [*map(type, panel.marks)]
        assert len(axes.lines) >= marks.count(Curve) + marks.count(ReferenceLine)
        assert len(axes.patches) >= sum(len(mark.end) for mark in panel.marks if isinstance(mark, BarMarks))


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
    assert looks.LIGHT.keys() == looks.DARK.keys()


NUMBERS = st.floats(-1e12, 1e12) | st.sampled_from([0.0, 1e-300, 1e300, math.nan, math.inf, -math.inf])
POSITIVE = st.floats(1e-9, 1e12)
NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40)
HOSTILE = ["<script>alert(1)</script>", "a\"b'c", "\x1b[31mred", "\u202eabc", "]]>", "&amp;", "x" * 300]


@given(
    values=st.lists(NUMBERS, max_size=12), log=st.none() | st.booleans(), zero=st.booleans(), most=st.integers(2, 12)
)
def test_axes(values: list[float], log: bool | None, zero: bool, most: int) -> None:
    """Every finite value that the axis is made for has a place on it, and ticks are few, ascending and on the axis."""
    axis = Axis.over(values, "x", log=log, zero=zero)
    assert axis.low < axis.high
    finite = np.clip([value for value in values if math.isfinite(value)], -1e300, 1e300)
    if not axis.log or (len(finite) and min(finite) > 0):
        assert ((axis.place(np.array(finite)) >= -1e-9) & (axis.place(np.array(finite)) <= 1 + 1e-9)).all()
    marks = ticks(axis, most)
    assert list(marks) == sorted(set(marks))
    assert len(marks) <= 2 * most + 2
    assert all(axis.low - 1e-9 * abs(axis.low) <= mark <= axis.high + 1e-9 * abs(axis.high) for mark in marks)


@given(
    names=st.lists(NAMES, min_size=1, max_size=8),
    values=st.lists(st.floats(-1e6, 1e6), min_size=8, max_size=8),
    label=NAMES,
)
def test_bars_are_legible(names: list[str], values: list[float], label: str) -> None:
    """Names, values and the label of the axis are inside of the panel, and none is over another."""
    end = np.array(values[: len(names)])
    axis = Axis.over(end, label, log=False, zero=True)
    texts = tuple(f"{value:.3g}" for value in end)
    bars = BarMarks(np.zeros(len(end)), end, ("model",), texts)
    panel = Panel(axis, Axis.of_names(names), (bars, Spans(end - 1, end + 1)), "title", 430, 0)
    assert svg_defects(panel_svg(panel, "bars")) == []
    assert bars_svg(label, [*zip(names, values, strict=False), ("", math.nan)]).count("<rect class") == len(names)
    assert bars_svg(label, [("", math.nan)]) == ""


@given(
    x=st.lists(POSITIVE, min_size=2, max_size=30),
    y=st.lists(st.floats(-1e9, 1e9), min_size=30, max_size=30),
    title=NAMES,
    label=NAMES,
)
def test_points_are_inside(x: list[float], y: list[float], title: str, label: str) -> None:
    """Points are inside of the panel, and its texts are legible."""
    own = np.array(y[: len(x)])
    panel = Panel(
        Axis.over(x, label), Axis.over(own, label), (Points(np.array(x), own, keys=tuple(range(len(x)))),), title
    )
    svg = panel_svg(panel, "points")
    assert svg_defects(svg) == []
    places = re.findall(r"M(-?\d+) (-?\d+)h0", svg)
    assert len(places) == len(x)
    assert all(0 <= int(left) <= panel.width and 0 <= int(top) <= height_of(panel) for left, top in places)


def every_mark(text: str) -> Chart:
    """Return a chart with every kind of mark, and with this text wherever there is one."""
    ends = np.array([1.0, 100.0])
    marks = (
        HeatCells(np.array([[0.5, math.nan]]), ((text, ""),), ((text, ""),)),
        Points(np.array([0.0]), np.array([0.0]), names=(text,)),
        *(ReferenceLine(), ReferenceLine(x=0.0, text=text), ReferenceLine(y=0.0, text=text)),
        Band(ends, ends / 2, ends),
        Curve(np.array([0.0, math.nan, 1.0]), np.zeros(3), marked=True),
        Spans(ends, 2 * ends),
    )
    bars = (BarMarks(0 * ends, ends, ("rise", "fall"), ("1", text)), Spans(ends, 2 * ends))
    names = Axis.of_names([text, "b"], text)
    panels = (Panel(names, names, marks, text), Panel(Axis.over(ends, "x", zero=True), names, bars))
    return Chart("chart", text, text, panels, table={"x": [1.0]})


def test_pictures() -> None:
    """Panels beside and below each other are drawn in each format; nothing of it depends on the time."""
    for suffix, begins in (("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<svg")):
        content = chart_file(every_mark("A title of <b>several</b> words"), suffix)
        assert content.startswith(begins)
        assert chart_file(every_mark("A title of <b>several</b> words"), suffix) == content


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts(text: str) -> None:
    """Texts from files are texts of the picture, whatever is in them."""
    root = etree.fromstring(chart_svg(every_mark(text)))
    assert {etree.QName(each).localname for each in root.iter()} <= {
        *("svg", "title", "desc", "style", "rect", "text", "g", "path", "circle")
    }
    assert not any(name.startswith("on") or name == "style" for each in root.iter() for name in each.attrib)
    shown = "".join(root.itertext())
    assert visible(text) in shown
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", shown)


@given(text=NAMES, width=st.floats(5, 200))
def test_fitted(text: str, width: float) -> None:
    """A shortened text is at most as wide as asked for, or one character; a text that fits is unchanged."""
    found = fitted(text, width, 11)
    assert text_width(found, 11) <= width or len(found) <= 1
    if text_width(visible(text), 11) <= width:
        assert found == visible(text)


def test_long_titles() -> None:
    """A long title has several lines that are inside of the picture, and the legend is below them."""
    panel = Panel(Axis("x"), Axis("y"), (Points(np.array([0.5]), np.array([0.5])),), "panel")
    title = "a title of so many words that they do not fit beside each other above one panel"
    svg = chart_svg(Chart("name", title, "description.", (panel,), {"measured": "measured"}))
    root = etree.fromstring(svg)
    lines = [text for text in root.iterchildren("{*}text") if text.get("class") == "head"]
    assert " ".join(line.text or "" for line in lines) == title
    assert len(lines) > 1
    assert all(text_width(line.text or "", 12) < float(root.attrib["width"]) for line in lines)
    (swatch,) = [each for each in root.iter("{*}rect") if each.get("class")]
    assert max(float(line.attrib["y"]) for line in lines) < float(swatch.attrib["y"])
