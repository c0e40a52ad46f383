"""The picture: a panel per system, the error of each strategy at each size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from casestudies.evaluation.evaluation import Row
from casestudies.evaluation.panels import panels_picture
from casestudies.pictures import plain_number
from casestudies.sampling_strategies.tables import groups_of, median_of, size_text
from splc.plotting.charts.chart import LOOKS
from splc.plotting.style import literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def error_picture(rows: Sequence[Row]) -> bytes:
    """Return a picture with a panel per system: median errors and quartiles of the strategies, a look per size."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    groups = groups_of(rows, own=False)

    def draw(axes: Axes, system: str) -> None:
        mine = {size: group for (name, size), group in groups.items() if name == system}
        strategies = list(dict.fromkeys(name for group in mine.values() for name in group))
        for look, (size, group) in zip(LOOKS, mine.items(), strict=False):
            places = [place for place, name in enumerate(strategies) if name in group]
            chosen = [group[strategies[place]] for place in places]
            ends = np.array([np.quantile([row["error"] for row in each], [0.25, 0.75]) for each in chosen])
            middles = [median_of(each) for each in chosen]
            label = size_text(next(iter(group.values()))) + ("" if size.isdecimal() else f" ({size})")
            axes.hlines(places, ends[:, 0], ends[:, 1], color=look.color, linewidth=1.5)
            axes.plot(middles, places, color=look.color, linestyle="", marker=look.marker, markersize=5, label=label)
            axes.axvline(middles[0], color=look.color, linewidth=0.6, linestyle=":")
        axes.set_yticks(range(len(strategies)), strategies, fontsize=8)
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(FuncFormatter(plain_number))
        axes.xaxis.set_minor_formatter(NullFormatter())
        # Points are everywhere in some panels, so that the legend is beside them.
        axes.legend(
            fontsize=7, title="configurations", title_fontsize=7, frameon=False, loc="upper left", bbox_to_anchor=(1, 1)
        )
        axes.set_title(literal(system), fontsize=8)

    return panels_picture(list(dict.fromkeys(system for system, _ in groups)), draw, xlabel="error (%)", grid="x")
