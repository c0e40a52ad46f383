"""The tables and the picture: errors that models state of new blocks, beside those of blocks that were held out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from casestudies.evaluation.evaluation import Row
from casestudies.evaluation.panels import panels_picture
from splc.io.tables import Cell, Table
from splc.plotting.charts.chart import LOOKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KEYS = ("stated, no blocks", "stated", "true", "stated, known block", "true, known block", "inside", "share", "factor")
TITLES = (
    *("stated without blocks", "stated of a new block", "true", "stated of a known block", "true"),
    *("in 90 % intervals", "variance between blocks", "measured / predicted, median"),
)


def _table(rows: Sequence[Row], caption: str) -> Table:
    lines: list[tuple[Cell, ...]] = []
    for system in dict.fromkeys(row["system"] for row in rows):
        own = [row for row in rows if row["system"] == system]
        means = {key: float(np.mean([row[key] for row in own])) for key in KEYS}
        lines.append((system, *means.values(), means["stated"] / means["true"], sum(row["runs"] for row in own)))
    return Table(("case", *TITLES, "stated / true", "runs"), tuple(lines), caption)


def error_table(rows: Sequence[Row]) -> Table:
    """Return the errors on blocks of the first day that were held out, means over the folds."""
    caption = "Blocks held out: errors of runs in percent, means of four folds"
    return _table([row for row in rows if row["fold"] != "day 2"], caption)


def days_table(rows: Sequence[Row]) -> Table:
    """Return the errors on the second day."""
    caption = "Learned from the first day, judged by the second: errors of runs in percent"
    return _table([row for row in rows if row["fold"] == "day 2"], caption)


def error_picture(rows: Sequence[Row]) -> bytes:
    """Return a picture with a panel per case: stated errors beside true ones."""

    def draw(axes: Axes, name: str) -> None:
        own = [row for row in rows if row["system"] == name]
        names = [row["fold"] if row["fold"] == "day 2" else f"fold {row['fold']}" for row in own]
        for look, key in zip(LOOKS, KEYS[:3], strict=False):
            axes.plot(
                names,
                [row[key] for row in own],
                color=look.color,
                linestyle="",
                marker=look.marker,
                markersize=6,
                label=dict(zip(KEYS, TITLES, strict=True))[key],
            )
        axes.set_ylim(bottom=0)
        axes.set_ylabel("error of a run (%)", fontsize=8)
        axes.set_title(name, fontsize=8)

    systems = list(dict.fromkeys(row["system"] for row in rows))
    return panels_picture(systems, draw, xlabel="held out", legend=True)
