"""Charts of the influences of several versions."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from comparison.changes import ModelCourse, TermCourse
from splc.plotting.charts.chart import Chart, Curve, Panel, Points, Spans
from splc.plotting.charts.effects import MAX_PANELS, course_chart
from splc.plotting.charts.svg import chart_svg, panel_svg
from tests.plotting.charts.legible_svg import svg_defects

CHANGED = TermCourse("a_b * $x$", (2.0, 4.0, 4.1), (0.1, 0.2, 0.2), (True, False))
SAME = TermCourse("1", (10.0, 9.0, 9.1), (0.5, 0.5, 0.5), (False, False))
COURSE = ModelCourse("identity", (CHANGED, SAME), (0.9, 1.0))


def drawn(course: ModelCourse) -> Chart:
    """Return the chart of a course."""
    versions = [f"v{at}" for at in range(1 + len(course.factors))]
    return course_chart(course, versions, "version", "system: t_s by version", "t_s")


def points(panel: Panel, role: str) -> list[tuple[list[float], list[float]]]:
    """Return the places of the points of a role."""
    marks = [mark for mark in panel.marks if isinstance(mark, Points) and mark.role == role]
    return [(mark.x.tolist(), mark.y.tolist()) for mark in marks]


def test_changes() -> None:
    """Panels have the means and intervals; clear changes are marked, and what the common factor gives."""
    chart = drawn(COURSE)
    first, second = chart.panels
    assert (first.title, second.title) == ("a_b * $x$", "1")
    assert (points(first, "rise"), points(second, "rise")) == ([([1], [4])], [])
    assert points(second, "quiet") == [([1], [9])]
    (line,) = [mark for mark in first.marks if isinstance(mark, Curve) and mark.role == "model"]
    assert line.y.tolist() == [2, 4, 4.1]
    (spans,) = [mark for mark in first.marks if isinstance(mark, Spans)]
    assert [*spans.low, *spans.high] == pytest.approx([1.9, 3.8, 3.9, 2.1, 4.2, 4.3])
    assert first.x.names == ("v0", "v1", "v2")
    assert first.y == second.y
    assert set(chart.legend) == {"model", "rise", "quiet"}
    assert chart.title == "system: t_s by version: 1 of 2 influences changed"
    assert "1 of 2 influences changed with version" in chart.description


def test_no_change() -> None:
    """Without a clear change nothing is marked, and the title says so; terms beyond the most are counted."""
    course = ModelCourse("identity", tuple(replace(SAME, text=f"x{at}") for at in range(MAX_PANELS + 3)), (1.0, 1.0))
    chart = drawn(course)
    assert len(chart.panels) == MAX_PANELS
    assert [*chart.legend] == ["model"]
    assert "no influence changed" in chart.title
    assert "3 further influences are not drawn" in chart.description
    assert len(chart.table["term"]) == 3 * (MAX_PANELS + 3)


def test_products() -> None:
    """Influences of products are factors."""
    term = TermCourse("x", (0.0, math.log(200)), (0.1, 0.1), (True,))
    (panel,) = drawn(ModelCourse("log", (term,), (1.0,))).panels
    (line,) = [mark for mark in panel.marks if isinstance(mark, Curve) and mark.role == "model"]
    assert line.y == pytest.approx([1, 200])
    assert panel.y.log
    assert panel.y.label == "mean factor"


def test_influences_that_are_not_determined() -> None:
    """A value that does not determine an influence has no point, and the description says so."""
    nan = math.nan
    for link in ("identity", "log"):
        new = TermCourse("x", (nan, 2.0, 3.0), (nan, 0.1, 0.2), (False, True))
        chart = drawn(ModelCourse(link, (new, SAME), (1.0, 1.0)))
        (line,) = [mark for mark in chart.panels[0].marks if isinstance(mark, Curve) and mark.role == "model"]
        assert np.isnan(line.y).tolist() == [True, False, False]
        assert "not determined" in chart.description


@pytest.mark.parametrize("factor", [1.0, 1.03, 4.0, 900.0, 1e9, 1e300])
@pytest.mark.parametrize("link", ["identity", "log"])
def test_any_range(link: str, factor: float) -> None:
    """Panels are legible whatever their values span, and huge ones are drawn, too."""
    values = np.array([1.0, factor**0.3, factor])
    means = tuple(np.log(values) if link == "log" else values)
    terms = tuple(TermCourse(f"x{at}", means[:: 1 - 2 * at], (0.05,) * 3, (True, False)) for at in range(2))
    chart = drawn(ModelCourse("log" if link == "log" else "identity", terms, (1.0, 0.5)))
    assert [svg_defects(panel_svg(panel, "description")) for panel in chart.panels] == [[], []]
    assert "nan" not in chart_svg(chart)
