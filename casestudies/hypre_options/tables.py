"""The tables: regrets of tuning runs, failures told in advance, errors on a larger grid, and how optima move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from casestudies.evaluation.evaluation import Row
from casestudies.evaluation.panels import panels_picture
from casestudies.hypre_options.data import ANISOTROPIES, GRIDS, WORK, measured, tuned
from casestudies.pictures import FAINT
from splc.data.configurations import Configurations
from splc.io.tables import Cell, Table
from splc.plotting.charts.chart import LOOKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A configuration this much worse than the best, in percent, is as good.
NEAR = 3.0


def _groups(rows: Sequence[Row], *keys: str) -> dict[tuple[Cell, ...], list[Row]]:
    found: dict[tuple[Cell, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return found


def _column(rows: Sequence[Row], key: str) -> list[float]:
    return [float(row[key]) for row in rows]


def optimum_table(rows: Sequence[Row]) -> Table:
    """Return how much worse than the best of the table the configurations are that replays find."""
    lines = []
    for (anisotropy, budget), own in sorted(_groups(rows, "anisotropy", "budget").items()):
        regrets = _column(own, "regret")
        near = f"{sum(regret <= NEAR for regret in regrets)} of {len(regrets)}"
        lines.append((anisotropy, budget, float(np.median(regrets)), max(regrets), near, max(_column(own, "better"))))
    header = ("anisotropy", "runs", "regret (%), median", "largest", "within 3 %", "better configurations (%), most")
    return Table(header, tuple(lines), "Replays on 2,000 measured configurations, 16 cells along each axis")


def validity_table(rows: Sequence[Row]) -> Table:
    """Return which share of the configurations that are named fails, and which share of those that fail is named."""
    lines = []
    for (way, runs), own in sorted(_groups(rows, "way", "runs").items()):
        named, right, fail = (sum(_column(own, key)) for key in ("named", "right", "fail"))
        lines.append((way, runs, 100 * right / named if named else None, 100 * right / fail))
    header = ("told by", "known runs", "precision (%)", "recall (%)")
    return Table(header, tuple(lines), "Solves that do not converge, told from the runs of others: all seeds together")


def sizes_table(rows: Sequence[Row]) -> Table:
    """Return the mean errors on the largest grid, by what was learned from."""
    lines = []
    for (way,), own in _groups(rows, "way").items():
        errors = [_column(each, "error") for _, each in sorted(_groups(own, "anisotropy").items())]
        lines.append((way, *(float(np.mean(each)) for each in errors)))
    header = ("learned from", *(f"anisotropy {each}" for each in ANISOTROPIES))
    return Table(
        header, tuple(lines), "Mean error of work units (%) with 64 cells along each axis, means over the seeds"
    )


def moves_table() -> Table:
    """Return how much worse than the best of a grid and anisotropy the best configurations of others are."""
    problems = [(cells, anisotropy) for cells in GRIDS for anisotropy in ANISOTROPIES]
    common = _common()
    lines = []
    for problem in problems:
        work = {other: _work(common, *other) for other in problems}
        best = int(np.nanargmin(work[problem]))
        losses = [100 * (each[best] / np.nanmin(each) - 1) for each in work.values()]
        lines.append((_name(*problem), *(None if np.isnan(loss) else float(loss) for loss in losses)))
    header = ("best for", *(_name(*problem) for problem in problems))
    caption = f"The best of {len(common):,} configurations for one problem: how much more work (%) it has in others"
    return Table(header, tuple(lines), caption)


def _name(cells: int, anisotropy: int) -> str:
    return f"{cells}³, {anisotropy}"


def _common() -> Configurations:
    """Return the configurations that were measured on all grids with all anisotropies."""
    first, *others = (measured(cells, anisotropy) for cells in GRIDS for anisotropy in ANISOTROPIES)
    kept = np.all([table.configurations.find(first.configurations) >= 0 for table in others], axis=0)
    return first.configurations[kept]


def _work(configurations: Configurations, cells: int, anisotropy: int) -> np.ndarray:
    table = measured(cells, anisotropy)
    return table.column(WORK)[table.configurations.find(configurations)]


def tuned_table() -> Table:
    """Return what tuning runs of the solver itself found, beside the best of the measured configurations."""
    random = float(np.nanmin(measured(16, 30).column(WORK)))
    least = min(random, *(float(found.min()) for found in tuned().values()))
    lines = []
    for runs, found in tuned().items():
        near = f"{int((found <= (1 + NEAR / 100) * least).sum())} of {len(found)}"
        better = f"{int((found < random).sum())} of {len(found)}"
        lines.append((runs, float(found.min()), float(np.median(found)), float(found.max()), near, better))
    header = ("runs", "best search", "median", "worst", "within 3 % of the best of all", "better than 2,000 random")
    return Table(
        header, tuple(lines), f"Work units of what searches find; the best of 2,000 random runs has {random:.4g}"
    )


def tuned_picture(_: Sequence[Row]) -> bytes:
    """Return a picture of what searches of the solver find, from the best to the worst, by their number of runs."""
    random = float(np.nanmin(measured(16, 30).column(WORK)))

    def draw(axes: Axes, name: str) -> None:
        found = np.sort(tuned()[int(name.split(maxsplit=1)[0])])
        look = LOOKS[0]
        axes.plot(np.arange(1, len(found) + 1), found, color=look.color, linestyle="", marker=look.marker, markersize=5)
        axes.axhline(random, color=FAINT, linestyle="--")
        axes.set_xticks([1, *range(5, len(found) + 1, 5)])
        axes.set_ylim(0, 90)
        axes.set_ylabel("work units", fontsize=8)
        axes.set_title(f"{name}; dashed: the best of 2,000 random configurations", fontsize=8)

    return panels_picture([f"{runs} runs" for runs in tuned()], draw, xlabel="searches, best first")
