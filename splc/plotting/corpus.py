"""Errors against the size of the learning set: a panel per system, a line per sampling strategy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from splc.plotting.curves import LOOKS, REST
from splc.plotting.errors import Line
from splc.plotting.style import FAINT, drawable, drawing, literal, named, new_figure, plain_number, saved, scale_values

COLUMNS = 3


def corpus_plot(panels: Mapping[str, Mapping[str, Line]], file_format: str) -> bytes:
    """Return a plot of errors with their standard deviations; the same input gives the same bytes.

    Args:
        panels: system → strategy → its points in ascending order of size.
        file_format: one of `FORMATS`.
    """
    from matplotlib.ticker import FuncFormatter

    strategies = list(dict.fromkeys(name for lines in panels.values() for name in lines))
    columns = min(COLUMNS, max(1, len(panels)))
    rows = max(1, math.ceil(len(panels) / columns))
    with drawing():
        figure = new_figure(3.2 * columns + 2.2, 2.8 * rows)
        handles: dict[str, Any] = {}
        for place, (system, lines) in enumerate(panels.items(), 1):
            axes = figure.add_subplot(rows, columns, place)
            scale_values(axes, drawable(np.array([error for line in lines.values() for _, error, _ in line])))
            for name, line in lines.items():
                at = strategies.index(name)
                look = LOOKS[at] if at < len(LOOKS) else REST
                sizes, means, deviations = (drawable(np.array(each)) for each in zip(*line, strict=True))
                # Lists: matplotlib before 3.11 warns about arrays of one number.
                bars = np.minimum(deviations, 0.9 * means).tolist(), deviations.tolist()
                handles[name] = axes.errorbar(
                    sizes, means, bars, color=look.color, linestyle=look.dashes, marker=look.marker, markersize=5,
                    linewidth=1.5, elinewidth=0.8, capsize=2,
                )  # fmt: skip
            axes.xaxis.set_major_formatter(FuncFormatter(plain_number))
            axes.set_title(literal(system, 32))
            axes.set_xlabel("configurations learned from")
            axes.set_ylabel("error, %")
            axes.grid(axis="y", color=FAINT)
        legend = figure.legend(
            [handles[name] for name in strategies], ["-"] * len(strategies), loc="outside right upper", frameon=False,
            title="mean ± standard deviation", alignment="left", title_fontproperties={"size": 8},
        )  # fmt: skip
        named(legend, [literal(name, 40) for name in strategies])
        return saved(figure, file_format)
