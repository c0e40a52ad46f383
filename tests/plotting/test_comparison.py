"""The picture of a comparison as a whole."""

from __future__ import annotations

import numpy as np
import pytest

from splc.errors import OutputError
from splc.plotting import FORMATS, VIEWS, Curves, comparison_plot
from splc.plotting import style as plotting_style
from tests.support.pictures import EXAMPLE, SIGNATURES, capture, texts

MEASURED = np.random.default_rng(3).lognormal(0, 2, 100)
NOTHING = "there are no configurations to draw predictions of"
CURVES = Curves(("analytical.txt", "learned.log"), np.stack([MEASURED * 2, MEASURED - 1]), MEASURED, "solve_seconds")


@pytest.mark.parametrize("file_format", FORMATS)
@pytest.mark.parametrize("views", [VIEWS, VIEWS[:1], VIEWS[1:]])
def test_bytes(views: tuple[str, ...], file_format: str) -> None:
    """The same comparison gives the same bytes, which begin as the format does."""
    content = comparison_plot(views, CURVES, [EXAMPLE], file_format)
    assert content.startswith(SIGNATURES[file_format])
    assert content == comparison_plot(views, CURVES, [EXAMPLE], file_format)


def test_what_the_user_set_does_not_matter() -> None:
    """Settings of the user's own matplotlibrc change nothing, and are as before afterwards."""
    import matplotlib as mpl

    expected = comparison_plot(VIEWS, CURVES, [EXAMPLE], "svg")
    with mpl.rc_context({"font.size": 17, "axes.facecolor": "red", "lines.linewidth": 9, "svg.hashsalt": "mine"}):
        assert comparison_plot(VIEWS, CURVES, [EXAMPLE], "svg") == expected
        assert mpl.rcParams["font.size"] == 17


@pytest.mark.parametrize("views", [VIEWS, VIEWS[:1], VIEWS[1:]])
def test_views_hold_what_they_are_for(views: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the views asked for are drawn, in one file."""
    monkeypatch.setitem(plotting_style.SETTINGS, "svg.fonttype", "none")
    content = comparison_plot(views, CURVES, [EXAMPLE], "svg").decode()
    assert ("sorted by measured solve_seconds" in content) == ("predictions" in views)
    assert ("score −0.67 of [−12, 12]" in content) == ("terms" in views)
    assert "learned.log" in content


def test_both_views_do_not_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    """The predictions stand above all that belongs to the terms."""
    figure = capture(monkeypatch, lambda: comparison_plot(VIEWS, CURVES, [EXAMPLE], "png"))
    curves, sheet = sorted(figure.axes, key=lambda axes: len(axes.texts))
    box = curves.get_tightbbox()
    assert box is not None
    assert box.y0 >= max(text.get_window_extent().y1 for text in sheet.texts)
    assert box.x1 <= figure.bbox.x1
    assert "measured" in texts(figure)


@pytest.mark.parametrize(
    ("views", "curves", "message"),
    [
        ((), CURVES, "unknown view ''| views are predictions, terms"),
        (("prediction",), CURVES, "unknown view 'prediction'| views are predictions, terms"),
        (("predictions",), None, f"{NOTHING}| draw the terms only, or name configurations"),
        (
            ("predictions",),
            Curves(("a",), np.ones((1, 0))),
            f"{NOTHING}| draw the terms only, or name other configurations",
        ),
        (("terms",), CURVES, "there are no terms to draw: nothing was compared| name two models"),
    ],
)
def test_nothing_to_draw(views: tuple[str, ...], curves: Curves | None, message: str) -> None:
    """Comparisons that cannot be drawn are refused with a message."""
    with pytest.raises(OutputError) as found:
        comparison_plot(views, curves, [], "png")
    assert str(found.value) == message.replace("|", "\n   ")
