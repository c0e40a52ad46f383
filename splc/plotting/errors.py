"""The error against the number of configurations learned from, one line per learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from splc.plotting.curves import LOOKS, REST
from splc.plotting.style import (
    FAINT,
    drawable,
    drawing,
    literal,
    logarithmic,
    named,
    new_figure,
    plain_number,
    saved,
    scale_values,
)

# Numbers of configurations, mean errors in percent, their standard deviations.
Line = Sequence[tuple[float, float, float]]


def error_plot(lines: Mapping[str, Line], title: str, file_format: str) -> bytes:
    """Return a plot of errors with their standard deviations; the same input gives the same bytes.

    Args:
        lines: learner → its points in ascending order, at least one learner with a point.
        title: the title.
        file_format: one of `FORMATS`.
    """
    from matplotlib.ticker import FuncFormatter

    with drawing():
        figure = new_figure(7, 4.2)
        axes = figure.add_subplot()
        points = np.array([point for line in lines.values() for point in line], dtype=float)
        x, y = points[:, 0], points[:, 1]
        scale_values(axes, drawable(y))
        axes.xaxis.set_major_formatter(FuncFormatter(plain_number))
        if x.max() > 10 * x.min():
            logarithmic(axes, axes.xaxis, x.min(), x.max())
        handles = []
        for place, line in enumerate(lines.values()):
            look = LOOKS[place] if place < len(LOOKS) else REST
            numbers, means, deviations = (drawable(np.array(each)) for each in zip(*line, strict=True))
            # Bars end above 0, which a logarithmic axis does not have.
            low = np.minimum(deviations, 0.9 * means)
            # Lists: matplotlib before 3.11 warns about arrays of one number.
            bars = low.tolist(), deviations.tolist()
            handles.append(
                axes.errorbar(
                    numbers, means, bars, color=look.color, linestyle=look.dashes, marker=look.marker,
                    markersize=5, linewidth=1.5, elinewidth=0.8, capsize=2, zorder=look.height,
                )
            )  # fmt: skip
        legend = axes.legend(
            handles, ["-"] * len(lines), loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, handlelength=4,
            title="mean ± standard deviation", alignment="left", title_fontproperties={"size": 8},
        )  # fmt: skip
        named(legend, [literal(name, 32) for name in lines])
        axes.set_xlabel("configurations learned from")
        axes.set_ylabel("error on all others, %")
        axes.set_title(literal(title))
        axes.grid(axis="y", color=FAINT)
        return saved(figure, file_format)
