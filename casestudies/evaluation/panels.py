"""Pictures with a panel per system, and one legend for all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from casestudies.pictures import FAINT
from casestudies.png import small_png
from splc.plotting.style import drawing, new_figure, saved

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def panels_picture(
    names: Sequence[str],
    draw: Callable[[Axes, str], None],
    *,
    xlabel: str,
    grid: Literal["x", "y"] = "y",
    legend: bool = False,
) -> bytes:
    """Return a PNG picture with two panels per row, one per name.

    `draw`: draws a name into its panel. `legend`: whether the picture has the legend of the first panel below.
    """
    with drawing():
        figure = new_figure(11, (2.2 if legend else 0.4) + 2.6 * math.ceil(len(names) / 2))
        panels = list(figure.subplots(math.ceil(len(names) / 2), 2, squeeze=False).flat)
        for name, axes in zip(names, panels, strict=False):
            draw(axes, name)
            axes.set_xlabel(xlabel, fontsize=8)
            axes.grid(color=FAINT, axis=grid)
        for axes in panels[len(names) :]:
            axes.set_visible(False)
        if legend:
            handles, labels = figure.axes[0].get_legend_handles_labels()
            figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8)
        return small_png(saved(figure, "png"))
