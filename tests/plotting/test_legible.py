"""Every kind of picture can be read: no raw markup, no overlapping or cut labels, numbers on axes, complete legends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import pytest
from matplotlib.figure import Figure

from comparison.changes import ModelCourse, TermCourse
from splc.plotting.changes import changes_plot
from splc.plotting.style import drawing, new_figure
from tests.plotting.pictures import PICTURES
from tests.support.legible import defects
from tests.support.pictures import capture

# From equal values over a few percent to many decades.
FACTORS = (1.0, 1.03, 1.4, 4.0, 9.0, 60.0, 900.0, 3e4, 1e9)
SCALES = (1.0, 1.7e-5, 70_000.0)


@pytest.mark.parametrize("name", PICTURES)
def test_pictures(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Each kind of picture can be read."""
    assert defects(capture(monkeypatch, PICTURES[name])) == []


def drawn(draw: Callable[[], bytes]) -> Figure:
    """Return the figure that a call saves."""
    with pytest.MonkeyPatch.context() as patched:
        return capture(patched, draw)


@pytest.mark.parametrize("link", ["identity", "log"])
@pytest.mark.parametrize("factor", FACTORS)
def test_changes_over_any_range(link: Literal["identity", "log"], factor: float) -> None:
    """The panels of changes share one axis with numbers, whatever their values span."""
    scale = SCALES[FACTORS.index(factor) % len(SCALES)]
    values = [scale * np.array([1.0, factor**0.3, factor]), scale * np.array([factor, factor, 1.0])]
    means = [np.log(each) if link == "log" else each for each in values]
    width = 0.05 if link == "log" else 0.01 * scale
    terms = tuple(TermCourse(f"x{at}", tuple(each), (width,) * 3, (True, False)) for at, each in enumerate(means))
    course = ModelCourse(link, terms, (1.0, 1.0))
    figure = drawn(lambda: changes_plot(course, ["1", "2", "3"], "v", "s by v", "t", "svg"))
    assert defects(figure) == []
    assert len({axes.get_ylim() for axes in figure.axes}) == 1


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
