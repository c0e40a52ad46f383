"""The check that pictures can be read: no raw markup, no overlapping or cut labels, numbers on axes, legends."""

from __future__ import annotations

from splc.plotting.style import drawing, new_figure
from tests.support.legible import defects


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
