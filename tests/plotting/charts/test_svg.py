"""Panels as SVG: well-formed, inside of their frame, legible, with hostile texts as texts."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

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
    ticks,
)
from splc.plotting.charts.drawing import chart_file
from splc.plotting.charts.svg import bars_svg, chart_svg, height_of, panel_svg
from splc.plotting.style import fitted, text_width, visible
from tests.plotting.charts.legible_svg import svg_defects

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
