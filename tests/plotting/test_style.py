"""The common style of all pictures."""

from __future__ import annotations

import importlib.util

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import OutputError
from splc.plotting import plot_format
from splc.plotting.style import fitting, literal, width_of


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
