"""The pictures: errors against rows, and the share of searches that have found a good configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from casestudies.evaluation.evaluation import Row
from casestudies.evaluation.panels import panels_picture
from casestudies.pictures import logarithmic
from casestudies.suggestion.tables import medians, names_of
from splc.plotting.charts.chart import LOOKS
from splc.plotting.style import literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def error_picture(rows: Sequence[Row]) -> bytes:
    """Return a picture with a panel per system: median errors and quartiles against rows."""

    def draw(axes: Axes, system: str) -> None:
        for look, strategy in zip(LOOKS, reversed(names_of(rows, "strategy")), strict=False):
            middle = medians(rows, system, strategy)
            mine = [row for row in rows if (row["system"], row["strategy"]) == (system, strategy)]
            quartiles = [
                np.quantile([row["error"] for row in mine if row["rows"] == size], [0.25, 0.75]) for size in middle
            ]
            axes.plot(
                list(middle), list(middle.values()), color=look.color, linestyle=look.dashes, marker=look.marker,
                markersize=4, zorder=look.height, label=strategy,
            )  # fmt: skip
            axes.fill_between(list(middle), *np.array(quartiles).T, color=look.color, alpha=0.12, linewidth=0)
        logarithmic(axes, axes.yaxis, *axes.dataLim.intervaly.tolist())
        axes.set_title(literal(f"{system}: error (%)"), fontsize=8)

    return panels_picture(names_of(rows, "system"), draw, xlabel="rows", legend=True)


def optimum_picture(rows: Sequence[Row]) -> bytes:
    """Return a picture with a panel per system: the share of searches that are done after so many rows."""

    def draw(axes: Axes, system: str) -> None:
        for look, strategy in zip(LOOKS, reversed(names_of(rows, "strategy")), strict=False):
            mine = [row["rows"] for row in rows if (row["system"], row["strategy"]) == (system, strategy)]
            needed = sorted(each for each in mine if each)
            shares = [100 * (place + 1) / len(mine) for place in range(len(needed))]
            axes.step(
                [1, *needed], [0, *shares], where="post", color=look.color, linestyle=look.dashes,
                zorder=look.height, label=strategy,
            )  # fmt: skip
        logarithmic(axes, axes.xaxis, 1, max(row["rows"] or 1 for row in rows if row["system"] == system))
        axes.set_ylim(0, 102)
        axes.set_title(literal(f"{system}: searches that are done (%)"), fontsize=8)

    return panels_picture(names_of(rows, "system"), draw, xlabel="rows", legend=True)
