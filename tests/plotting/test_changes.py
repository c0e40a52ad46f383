"""Pictures of the influences of several versions."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from comparison.changes import ModelCourse, TermCourse
from splc.plotting.changes import MAX_TERMS, changes_plot
from splc.plotting.style import LIGHT
from tests.support.pictures import SIGNATURES, capture, texts

CHANGED = TermCourse("a_b * $x$", (2.0, 4.0, 4.1), (0.1, 0.2, 0.2), (True, False))
SAME = TermCourse("1", (10.0, 9.0, 9.1), (0.5, 0.5, 0.5), (False, False))
COURSE = ModelCourse("identity", (CHANGED, SAME), (0.9, 1.0))


def drawn(course: ModelCourse) -> bytes:
    """Return the plot of a course."""
    versions = [f"v{at}" for at in range(1 + len(course.factors))]
    return changes_plot(course, versions, "version", "system: t_s by version", "t_s", "svg")


def marks(figure: Figure) -> list[int]:
    """Return the number of marked segments and points in each panel."""
    lines = [[line for line in axes.lines if to_hex(line.get_color()) == LIGHT] for axes in figure.axes]
    return [sum(len(line.get_xdata()) > 0 for line in each) for each in lines]  # type: ignore[arg-type]


def test_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Panels have the means and intervals; clear changes are marked, the common factor is dashed."""
    figure = capture(monkeypatch, lambda: drawn(COURSE))
    first, second = figure.axes
    assert [axes.get_title() for axes in figure.axes] == ["a_b * $x$", "1"]
    assert marks(figure) == [2, 0]
    points = [line for line in first.lines if line.get_marker() == "o" and to_hex(line.get_color()) == LIGHT]
    assert [(line.get_xdata().tolist(), line.get_ydata().tolist()) for line in points] == [([1], [4])]  # type: ignore[union-attr]
    (bars,) = first.containers
    assert bars[0].get_ydata() == pytest.approx([2, 4, 4.1])
    ends = [end for segment in bars[2][0].get_segments() for end in segment[:, 1].tolist()]
    assert ends == pytest.approx([1.9, 2.1, 3.8, 4.2, 3.9, 4.3])
    (dashed,) = [line for line in second.lines if line.get_linestyle() == "--"]
    assert dashed.get_ydata() == pytest.approx([10, 9])
    assert [label.get_text() for label in first.get_xticklabels()] == ["v0", "v1", "v2"]
    title = figure.get_suptitle()
    assert title.splitlines()[1:] == [
        "orange: 1 of 2 influences changed by more than their uncertainty",
        "bars: 90 % intervals; dashed: common factor",
    ]


def test_no_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a clear change nothing is marked, and the title says so; terms beyond the most are counted."""
    course = ModelCourse("identity", tuple(replace(SAME, text=f"x{at}") for at in range(MAX_TERMS + 3)), (1.0, 1.0))
    figure = capture(monkeypatch, lambda: drawn(course))
    assert marks(figure) == [0] * MAX_TERMS
    assert figure.get_suptitle().splitlines()[1:] == [
        "no influence changed with version by more than its uncertainty",
        "bars: 90 % intervals; 3 more not drawn",
    ]


def test_products(monkeypatch: pytest.MonkeyPatch) -> None:
    """Influences of products are factors on a logarithmic axis."""
    term = TermCourse("x", (0.0, math.log(2)), (0.1, 0.1), (True,))
    figure = capture(monkeypatch, lambda: drawn(ModelCourse("log", (term,), (1.0,))))
    (axes,) = figure.axes
    assert axes.get_yscale() == "log"
    assert axes.containers[0][0].get_ydata() == pytest.approx([1, 2])
    assert "mean factor" in texts(figure)


def test_many_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of many versions are named; the same input gives the same bytes, and no term is no error."""
    term = TermCourse("x", tuple(map(float, range(20))), (0.5,) * 20, (False,) * 19)
    course = ModelCourse("identity", (term,), (1.0,) * 19)
    figure = capture(monkeypatch, lambda: drawn(course))
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == [f"v{at}" for at in range(0, 20, 3)]
    assert drawn(course) == drawn(course)
    assert drawn(ModelCourse("identity", (), (1.0,))).startswith(SIGNATURES["svg"])


def test_influences_that_are_not_determined(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value that does not determine an influence has no point, and the title says so."""
    nan = math.nan
    for link in ("identity", "log"):
        new = TermCourse("x", (nan, 2.0, 3.0), (nan, 0.1, 0.2), (False, True))
        figure = capture(monkeypatch, lambda: drawn(ModelCourse(link, (new, SAME), (1.0, 1.0))))  # noqa: B023
        (bars,) = figure.axes[0].containers
        assert [math.isnan(value) for value in bars[0].get_ydata()] == [True, False, False]
        assert figure.get_suptitle().splitlines()[-1] == "bars: 90 % intervals; no point: not determined"
