"""The pictures of the preset `real`: error against number of rows, one line per learner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from casestudies.accuracy.published import published
from casestudies.accuracy.real_tables import cells_of, learners_of, spread_of, values_of
from casestudies.accuracy.systems import FOLDERS, PROPERTIES, SIZES
from casestudies.evaluation.evaluation import Row
from casestudies.pictures import BLACK, FAINT, plain_number
from casestudies.png import small_png
from splc.plotting.charts.chart import LOOKS, REST
from splc.plotting.style import drawing, literal, new_figure, saved

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# File name → the systems of its panels. No picture has more than 60 kB.
PANELS = {
    "pictures/x264-llvm.png": ("x264", "LLVM"),
    "pictures/dune.png": tuple(name for name in SIZES if name.startswith("Dune")),
    **{f"pictures/{nfp}.png": tuple(f"{case}, {nfp}" for case in FOLDERS) for nfp in PROPERTIES},
}
# The published methods that are drawn.
MARKERS = {"random forest": "x", "DeepPerf": "*", "HINNPerf": "+", "DaL": "1", "SPLC": "2", "SPLC 2019": "3"}


def pictures_of(rows: Sequence[Row]) -> dict[str, bytes]:
    """Return file name → picture; a picture whose systems are absent is left out."""
    present = {row["system"] for row in rows}
    panels = {name: [system for system in group if system in present] for name, group in PANELS.items()}
    return {name: row_of_panels(rows, group) for name, group in panels.items() if group}


def row_of_panels(rows: Sequence[Row], panels: Sequence[str]) -> bytes:
    """Return a picture with a panel per system."""
    learners = learners_of(rows)
    with drawing():
        figure = new_figure(11, 4.2)
        axes = figure.subplots(1, len(panels), squeeze=False)[0]
        for system, each in zip(panels, axes, strict=True):
            draw(each, [row for row in rows if row["system"] == system], system, learners)
            each.set_title(literal(f"{system}: error (%)" if system in SIZES else system), fontsize=8)
        handles: dict[str, Any] = {}
        for each in axes:
            handles |= dict(zip(*reversed(each.get_legend_handles_labels()), strict=True))
        figure.legend(list(handles.values()), list(handles), loc="outside lower center", ncols=8, fontsize=8)
        return small_png(saved(figure, "png"))


def draw(axes: Axes, rows: Sequence[Row], system: str, learners: Sequence[str]) -> None:
    """Draw the errors of the learners on a system, with two standard errors, and the published ones as markers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    sizes = [size for _, size in cells_of(rows)]
    numbers = [size for size in sizes if isinstance(size, int)]
    places = dict(zip(sizes, numbers or range(len(sizes)), strict=True))
    for place, learner in enumerate(learners):
        look = LOOKS[place] if place < len(LOOKS) else REST
        points = {size: spread_of(values_of(rows, "error", size=size, learner=learner)) for size in sizes}
        drawn = [(places[size], each.mean, 2 * (each.deviation or 0.0)) for size, each in points.items() if each.mean]
        if drawn:
            x, y, error = zip(*drawn, strict=True)
            low = [min(bar, 0.9 * value) for value, bar in zip(y, error, strict=True)]
            axes.errorbar(
                x, y, (low, error), color=look.color, linestyle=look.dashes, marker=look.marker, markersize=4,
                linewidth=2.2 if place == 0 else 1.1, elinewidth=0.7, zorder=look.height, label=learner,
            )  # fmt: skip
    for method, errors in published(system).items() if numbers else ():
        if method in MARKERS:
            inside = {size: error for size, error in errors.items() if min(numbers) * 0.7 <= size <= max(numbers)}
            axes.plot(
                list(inside), list(inside.values()), MARKERS[method], color=BLACK, markersize=6,
                label=f"published: {method}", zorder=6,
            )  # fmt: skip
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(FuncFormatter(plain_number))
    axes.yaxis.set_minor_formatter(NullFormatter())
    if numbers:
        axes.set_xlabel("rows", fontsize=8)
    else:
        axes.set_xticks(list(places.values()), [str(size) for size in sizes], fontsize=7)
    axes.grid(color=FAINT, axis="y")
