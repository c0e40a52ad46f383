"""Pictures of explanations and of Pareto fronts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from splc.plotting.explanation import MAX_STEPS, Bar, Line, contribution_plot, importance_plot
from splc.plotting.front import front_plot
from tests.support.pictures import capture, texts

BARS = [Bar("a_b", 60.0, 50.0), Bar("$x$", 40.0, 45.0)]
LINES = [
    Line("a_b", (("-", None, 1.0), ("selected", None, 3.0))),
    Line("$x$", tuple((str(10**power), 10.0**power, 5.0 + power) for power in range(4))),
]


def bars_of(axes: Axes) -> list[Rectangle]:
    """Return the bars in axes."""
    return [patch for patch in axes.patches if isinstance(patch, Rectangle)]


def test_importance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bars have the lengths of shares, panels the means at the values, and names are not changed."""
    figure = capture(monkeypatch, lambda: importance_plot(BARS, LINES, "system: t_s", "t_s", "png"))
    shares, panel, numbers = figure.axes
    assert [bar.get_width() for bar in bars_of(shares)] == [60, 40, 50, 45]
    assert panel.lines[0].get_ydata() == pytest.approx([1, 3])
    assert numbers.get_xscale() == "log"
    assert numbers.lines[0].get_xdata() == pytest.approx([1, 10, 100, 1000])
    assert {"a_b", "$x$", "system: t_s", "selected", " 60.0 %", " 40.0 %, alone 45.0 %"} <= set(texts(figure))


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ((16, 32, 64, 128, 256), ["16", "32", "64", "128", "256"]),
        ((1, 2, 3, 10, 100, 101), ["1", "2", "10", "100"]),
        (range(1, 13), ["1", "2", "5", "10"]),
    ],
)
def test_labels_of_logarithmic_axes(
    monkeypatch: pytest.MonkeyPatch, values: Sequence[int], labels: Sequence[str]
) -> None:
    """The values of an option are the labels if they are few and apart; many have usual numbers."""
    line = Line("x", tuple((str(value), float(value), 1.0 + value) for value in values))
    figure = capture(monkeypatch, lambda: importance_plot([Bar("x", 100.0, 100.0)], [line], "t", "t", "png"))
    axes = figure.axes[1]
    low, high = axes.get_xlim()
    shown = [label for label in axes.xaxis.get_ticklabels() if low <= label.get_position()[0] <= high]
    assert [label.get_text() for label in shown] == labels


def test_options_that_depend_on_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of each bar is on the axis: more explained alone than the share, and a negative share."""
    bars = [Bar("a", 70.0, 95.0), Bar("b", 40.0, 80.0), Bar("c", -10.0, 2.0)]
    (axes,) = capture(monkeypatch, lambda: importance_plot(bars, [], "t", "t", "png")).axes
    low, high = axes.get_xlim()
    assert low < -10
    assert high > 95
    ends = [(text.get_text(), text.get_position()[0]) for text in axes.texts]
    assert ends == [(" 70.0 %, alone 95.0 %", 95), (" 40.0 %, alone 80.0 %", 80), (" -10.0 %, alone 2.0 %", 2)]


def test_importance_without_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model without options has a picture without bars."""
    figure = capture(monkeypatch, lambda: importance_plot([], [], "t", "t", "png"))
    assert [len(axes.patches) for axes in figure.axes] == [0]


def test_contributions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each bar begins where the one before ends; the last ends at the prediction."""
    steps = [("a", 5.0), ("b", -2.0), ("c", 0.0)]
    figure = capture(monkeypatch, lambda: contribution_plot(steps, 10.0, ("mean", "this"), "t", "s", "png"))
    (axes,) = figure.axes
    assert [(bar.get_x(), bar.get_width()) for bar in bars_of(axes)] == [(10, 5), (15, -2)]
    assert {"mean", "a", "b", "this", "+5", "−2", "10", "13"} <= set(texts(figure))
    assert "c" not in texts(figure)


def test_factors(monkeypatch: pytest.MonkeyPatch) -> None:
    """The steps of a product multiply; what exceeds the most steps is one step."""
    steps = [(f"t{place}", math.log(2)) for place in range(MAX_STEPS + 3)]
    figure = capture(monkeypatch, lambda: contribution_plot(steps, 1.0, ("mean", "this"), "t", "s", "png", True))
    (axes,) = figure.axes
    assert axes.get_xscale() == "log"
    last = bars_of(axes)[-1]
    assert last.get_x() + last.get_width() == pytest.approx(2.0 ** (MAX_STEPS + 3))
    assert {"3 more terms", "× 8", "× 2"} <= set(texts(figure))


def test_the_front(monkeypatch: pytest.MonkeyPatch) -> None:
    """The front is joined in the order of the first property; the measured configurations are dots."""
    points, measured = [(3.0, 1.0), (1.0, 2.0)], [(1.0, 100.0), (2.0, 3.0), (2.0, 4.0)]
    figure = capture(monkeypatch, lambda: front_plot(points, measured, ("a_b", "c"), "t", "png"))
    (axes,) = figure.axes
    assert axes.lines[0].get_xdata() == pytest.approx([1, 3])
    assert np.shape(axes.collections[0].get_offsets()) == (3, 2)
    assert (axes.get_xscale(), axes.get_yscale()) == ("linear", "log")
    assert {"a_b", "c", "predicted Pareto front (2 configurations)"} <= set(texts(figure))
    capture(monkeypatch, lambda: front_plot(points, [], ("a", "b"), "t", "png"))
