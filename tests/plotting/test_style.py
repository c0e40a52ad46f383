"""The common style of all pictures."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import OutputError
from splc.plotting import plot_format
from splc.plotting.style import fitting, literal, new_figure, scale_parameter, scale_values, width_of


@pytest.mark.parametrize(("name", "expected"), [("a.svg", "svg"), ("b/c.PNG", "png"), ("x.y.pdf", "pdf")])
def test_format_is_in_the_name(name: str, expected: str) -> None:
    """The suffix of a file selects its format."""
    assert plot_format(name) == expected


@pytest.mark.parametrize("name", ["plot", "plot.jpg", "svg", "-"])
def test_unknown_format(name: str) -> None:
    """Other formats are refused, and the known ones are listed."""
    with pytest.raises(OutputError, match=r"\.svg, \.png, \.pdf"):
        plot_format(name)


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without matplotlib, the message names the package to install."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(OutputError, match=r"splc\[plot\]"):
        plot_format("a.svg")


@given(st.text(max_size=40))
def test_literal_is_one_line_that_can_be_drawn(name: str) -> None:
    """Any text becomes one line whose glyphs all exist: measuring it warns of nothing."""
    text = literal(name)
    assert "\n" not in text
    assert width_of(text, 8) >= 0
    assert literal(text) == text


def test_characters_without_a_picture_are_escaped() -> None:
    """Characters that the font lacks, and those of no width that it has, are written by their numbers."""
    assert literal("a\u00adb\u200b 日_$x$") == r"a\u00adb\u200b \u65e5_$x$"


@given(st.text(st.characters(codec="ascii", categories=["L", "N", "P"]), max_size=60), st.integers(3, 40))
def test_literal_is_shortened_in_the_middle(name: str, most: int) -> None:
    """A text that is too long keeps its begin and its end; one that is not stays as it is."""
    text = literal(name, most)
    assert len(text) == min(len(name), most)
    if len(name) > most:
        begin, end = text.split("…")
        assert name.startswith(begin)
        assert name.endswith(end)
        assert len(end) - len(begin) in {0, 1}
    else:
        assert text == name


@given(st.text(st.characters(codec="ascii", categories=["L", "N", "P"]), max_size=60), st.floats(0.3, 3))
def test_fitting_fits(name: str, width: float) -> None:
    """A text that is made to fit is not wider than it may be."""
    assert width_of(fitting(name, width, 8), 8) <= width


@pytest.mark.parametrize(
    ("measured", "end", "expected"),
    [
        ([1, 2, 4], 16, "linear"),
        ([1, 2, 4], 64, "log"),
        ([1, 2, 16], 16, "log"),
        ([0, 2, 16], 512, "linear"),
        ([1000, 2000, 16000], 16000, "log"),
    ],
)
def test_axes_of_parameters(measured: list[float], end: float, expected: str) -> None:
    """An axis is logarithmic if measured or drawn values span a wide range, with labels between powers of ten."""
    axes = new_figure(4, 3).subplots()
    axes.plot([measured[0], end], [1, 2])
    scale_parameter(axes, axes.xaxis, np.array(measured, dtype=float), np.array([measured[0], end], dtype=float))
    assert (axes.get_xscale(), axes.get_yscale()) == (expected, "linear")
    low, high = axes.get_xlim()
    labels = [tick for tick in axes.get_xticks() if low <= tick <= high]
    assert len(labels) >= 3
    if measured[0] == 1000:
        assert 5000 in labels


@pytest.mark.parametrize("value", [1.0, -3.0, 1e-9, 4e12])
def test_equal_values_are_not_magnified(value: float) -> None:
    """An axis of values that differ by rounding errors only spans a tenth of them to both sides."""
    axes = new_figure(4, 3).subplots()
    values = value * np.array([1.0, 1 + 1e-14])
    axes.plot(values)
    scale_values(axes, values)
    low, high = axes.get_ylim()
    assert high - low == pytest.approx(0.2 * abs(value), rel=1e-3)


@pytest.mark.parametrize(
    ("values", "scale", "ticks"),
    [
        ([1, 10, 51], "log", {1, 2, 5, 10, 20, 50}),
        ([1, 10, 999], "log", {1, 2, 5, 10, 20, 50, 100, 200, 500}),
        ([1, 10, 1000], "log", {1, 10, 100, 1000}),
        ([1, 10, 49], "linear", set()),
        ([-1, 10, 51], "linear", set()),
    ],
)
def test_axes_of_values(values: list[float], scale: str, ticks: set[float]) -> None:
    """Positive values over more than a factor of 50 have a logarithmic axis, with ticks within decades up to 1000."""
    (axes,) = new_figure(3, 2).subplots(1, 1, squeeze=False)[0]
    axes.plot([1, 2, 3], values)
    scale_values(axes, np.array(values, dtype=float))
    assert axes.get_yscale() == scale
    if scale == "log":
        assert {float(f"{tick:g}") for tick in axes.get_yticks() if 1 <= tick <= max(values)} == ticks
