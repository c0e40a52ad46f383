"""The common style of all pictures: formats, texts that can be drawn, and the check that pictures can be read."""

from __future__ import annotations

import importlib.util

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.plotting import plot_format
from splc.plotting.style import drawing, fitting, literal, new_figure, width_of
from tests.support.golden_messages import check_calls
from tests.support.legible import defects


def without_matplotlib(name: str) -> str:
    """Return the format of a picture where matplotlib is not installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importlib.util, "find_spec", lambda name: None)
        return plot_format(name)


def test_calls() -> None:
    """The suffix of a file selects its format; characters without a picture are escaped."""
    check_calls("pictures", plot_format, without_matplotlib, literal)


@given(st.text(max_size=40))
def test_literal_is_one_line_that_can_be_drawn(name: str) -> None:
    """Any text becomes one line whose glyphs all exist: measuring it warns of nothing."""
    text = literal(name)
    assert "\n" not in text
    assert width_of(text, 8) >= 0
    assert literal(text) == text


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
