"""The common style of all pictures: formats, texts that can be drawn, and the check that pictures can be read."""

from __future__ import annotations

import importlib.util

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import OutputError
from splc.plotting import plot_format
from splc.plotting.style import drawing, fitting, literal, new_figure, width_of
from tests.support.legible import defects


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.svg", "svg"),
        ("b/c.PNG", "png"),
        ("x.y.pdf", "pdf"),
        *((each, "") for each in ("plot", "plot.jpg", "svg", "-")),
    ],
)
def test_format_is_in_the_name(name: str, expected: str) -> None:
    """The suffix of a file selects its format; others are refused, and the known ones are listed."""
    if expected:
        assert plot_format(name) == expected
        return
    with pytest.raises(OutputError, match=r"\.svg, \.png, \.pdf"):
        plot_format(name)


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without matplotlib, SVG is written, and the message about other formats names both cures."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert plot_format("a.svg") == "svg"
    with pytest.raises(OutputError, match=r"write \.svg, or .*splc\[plot\]"):
        plot_format("a.png")


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


def test_what_is_a_defect() -> None:
    """The check finds markup, overlaps, cut texts, covered points, axes without numbers, colours in no legend."""
    with drawing():
        figure = new_figure(4, 3, layout=None)
        first, second = figure.subplots(1, 2)
        first.plot([1, 2], [3, 4], color="red", label="a")
        first.set_xscale("log")
        first.set_yticks([3, 3.01], ["three", "also three"])
        second.plot([1, 2], [3, 4], color="red", label="a")
        second.plot([1, 2], [4, 3], color="blue", label="b")
        second.set_yscale("log")
        second.yaxis.set_major_formatter("")
        second.yaxis.set_minor_formatter("")
        second.set_title("a title that does not fit beside the other panel" * 3)
        figure.legend(*first.get_legend_handles_labels())
        third = figure.add_axes((0.1, 0.1, 0.3, 0.3))
        third.plot([1, 2], [1, 2], color="red", marker="o", label="a")
        third.legend(loc="upper right")
        found = {text.split(":")[0] for text in defects(figure)}
    assert found == {"markup", "overlap", "cut", "covered", "without numbers", "not in a legend"}
