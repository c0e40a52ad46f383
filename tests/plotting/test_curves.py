"""The picture of the predictions of several models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from splc.plotting import Curves, comparison_plot
from splc.plotting.curves import JOINED, LOOKS
from tests.support.pictures import capture, texts

NASTY = "_a$x_1$^2\n%{y}"


def drawn(monkeypatch: pytest.MonkeyPatch, curves: Curves) -> Axes:
    """Return the axes that curves are drawn into."""
    return capture(monkeypatch, lambda: comparison_plot(["predictions"], curves, [], "png")).axes[0]


def lines(axes: Axes) -> list[Any]:
    """Return the lines with several points as arrays of y."""
    return [np.asarray(line.get_ydata(), dtype=float) for line in axes.lines]


def legend_names(axes: Axes) -> list[str]:
    """Return the names in the legend."""
    legend = axes.get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


@given(st.lists(st.tuples(st.floats(-5, 5), st.integers(0, 3)), min_size=1, max_size=30))
def test_order_ascends(rows: list[tuple[float, int]]) -> None:
    """Configurations ascend by the measured value, equal ones (all, if none is measured) by the first model's."""
    first, measured = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    values = np.stack([first, -first])
    order = Curves(("a", "b"), values, measured, "t").order
    pairs = list(zip(measured[order], first[order], strict=True))
    assert pairs == sorted(pairs)
    assert list(first[Curves(("a", "b"), values).order]) == sorted(first)


def test_unmeasured_configurations_come_last() -> None:
    """Values that were not measured come after those that were."""
    curves = Curves(("a",), np.array([[1.0, 2.0, 3.0, 0.0]]), np.array([np.nan, 7.0, 5.0, np.nan]), "t")
    assert list(curves.order) == [2, 1, 3, 0]


def test_few_configurations_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line runs through the sorted values of the model in its legend entry."""
    rng = np.random.default_rng(1)
    values, measured = rng.uniform(1, 2, (2, JOINED)), rng.uniform(1, 2, JOINED)
    axes = drawn(monkeypatch, Curves(("a", "b"), values, measured, "t"))
    order = np.argsort(measured)
    assert legend_names(axes) == ["measured", "a", "b"]
    for found, expected in zip(lines(axes), [measured, *values], strict=True):
        assert np.array_equal(found, expected[order])


def test_many_configurations_are_dots_with_medians(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each prediction is a dot, and the line of a model is the median of its sorted neighbours."""
    n = 1000
    rng = np.random.default_rng(2)
    measured = rng.permutation(n) + 1.0
    axes = drawn(monkeypatch, Curves(("a",), measured[np.newaxis] * 2, measured, "t"))
    dots = [line for line in axes.lines if line.get_linestyle() == "None"]
    assert [list(np.asarray(line.get_ydata())) for line in dots] == [list(2.0 * np.arange(1, n + 1))]
    medians = axes.lines[-1]
    assert np.allclose(np.asarray(medians.get_ydata()), 2 * np.asarray(medians.get_xdata()))
    assert len(medians.get_xdata()) == 50  # type: ignore[arg-type]
    assert "models: median of ~20 neighbours" in texts(axes.get_figure())  # type: ignore[arg-type]


def test_looks_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight models differ in colour, pattern and marker, and no neighbours have the same lightness."""
    axes = drawn(monkeypatch, Curves(tuple("abcdefgh"), np.ones((8, 3))))
    assert len({line.get_color() for line in axes.lines}) == len({line.get_marker() for line in axes.lines}) == 8
    assert len({str(look.dashes) for look in LOOKS}) == 8
    light = [np.dot([0.299, 0.587, 0.114], [int(look.color[i : i + 2], 16) for i in (1, 3, 5)]) for look in LOOKS]
    assert min(abs(np.diff(light))) > 15


@pytest.mark.parametrize(("models", "entry"), [(9, "1 more model"), (12, "4 more models")])
@pytest.mark.parametrize("n", [2, 200])
def test_more_models_are_grey(models: int, entry: str, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond eight, models share one colour and one entry in the legend."""
    names = tuple(f"m{i}" for i in range(models))
    axes = drawn(monkeypatch, Curves(names, np.arange(1, models + 1)[:, np.newaxis] * np.linspace(1, 2, n), None, "t"))
    assert legend_names(axes) == [*names[:8], entry]
    ends = [float(y[-1]) for y, line in zip(lines(axes), axes.lines, strict=True) if line.get_color() == "#a0a0a0"]
    assert len(ends) == models - 8


def test_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    """The labels of the axes name the values and the order of the configurations."""
    values = np.ones((1, 3))
    axes = drawn(monkeypatch, Curves(("a.log",), values, np.ones(3), "solve_seconds"))
    assert axes.get_xlabel() == "configuration (sorted by measured solve_seconds)"
    assert axes.get_ylabel() == "solve_seconds"
    axes = drawn(monkeypatch, Curves(("a.log",), values))
    assert axes.get_xlabel() == "configuration (sorted by the predictions of a.log)"
    assert axes.get_ylabel() == "predicted value"


def test_names_are_literal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names with signs of formulas are drawn as they are, on one line; those that begin with _ are in the legend."""
    axes = drawn(monkeypatch, Curves((NASTY, "_"), np.ones((2, 3)), np.ones(3), "cost_in_$^2$"))
    assert legend_names(axes) == ["measured", "_a$x_1$^2 %{y}", "_"]
    assert axes.get_ylabel() == "cost_in_$^2$"
    legend = axes.get_legend()
    assert legend is not None
    assert not any(text.get_parse_math() for text in [axes.yaxis.label, *legend.get_texts()])


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ([1, 2, 3], "linear"),
        ([0.01, 2, 300], "log"),
        ([1, 3, 60], "log"),
        ([0, 0.01, 0.1, 300], "symlog"),
        ([-3, 0.01, 0.1, 300], "symlog"),
        ([-1, 0, 1], "linear"),
        ([-1, -1000, -1e6], "symlog"),
        ([1e-200, 1, 10], "symlog"),
        ([0, 0, 0], "linear"),
    ],
)
def test_scale(values: list[float], scale: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The y axis is logarithmic where values span orders of magnitude, on both sides of zero if need be."""
    axes = drawn(monkeypatch, Curves(("a",), np.array([values])))
    assert axes.get_yscale() == scale
    assert not any("mathdefault" in label.get_text() for label in axes.get_yticklabels())
    low, high = axes.get_ylim()
    assert low <= min(values) <= max(values) <= high


@pytest.mark.parametrize(
    "values",
    [
        [1.0],
        [5e-324] * 3,
        [1, 1 + 1e-15, 1],
        [1.7e308, -1.7e308, 1],
        [1e-310, 1e-320, 1],
        [1e-300, 1, 1e300],
        [np.nan, np.inf, 1],
        [np.nan] * 3,
        [0.0] * 200,
        [np.nan] * 200,
        list(np.linspace(-1, 1e9, 25_000)),
    ],
)
@pytest.mark.parametrize("measured", [False, True])
def test_extreme_values_are_drawn(values: list[float], measured: bool) -> None:
    """Constants, one configuration, gaps, tiny, huge and many values are drawn without a warning."""
    curves = Curves(("a", "b"), np.array([values, values]), np.array(values)[::-1] if measured else None)
    assert comparison_plot(["predictions"], curves, [], "png")


def test_values_are_kept_apart() -> None:
    """Curves hold read-only copies."""
    values = np.ones((1, 2))
    curves = Curves(("a",), values, values[0])
    values[:] = 7
    assert curves.values.tolist() == [[1, 1]]
    assert curves.measured is not None
    assert curves.measured.tolist() == [1, 1]
    with pytest.raises(ValueError, match="read-only"):
        curves.values[0, 0] = 3


def test_handles_stand_for_their_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """The legend shows each model as its line is drawn."""
    axes = drawn(monkeypatch, Curves(("a", "b"), np.arange(400.0).reshape(2, 200), np.arange(200.0), "t"))
    legend = axes.get_legend()
    assert legend is not None
    handles = [handle for handle in legend.legend_handles if isinstance(handle, Line2D)]
    assert [handle.get_color() for handle in handles] == ["#000000", LOOKS[0].color, LOOKS[1].color]
    assert [handle.get_marker() for handle in handles[1:]] == [LOOKS[0].marker, LOOKS[1].marker]
