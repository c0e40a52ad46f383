"""The pictures of the preset `real`: error against number of rows, one line per learner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from casestudies.accuracy.published import published
from casestudies.accuracy.real_tables import cells_of, learners_of, spread_of, values_of
from casestudies.accuracy.systems import FOLDERS, PROPERTIES, SIZES
from casestudies.evaluation.evaluation import Row
from casestudies.png import small_png
from splc.plotting.curves import LOOKS, REST
from splc.plotting.style import BLACK, FAINT, drawing, literal, new_figure, plain_number, saved

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_OWN, _CASES = "pictures/systems.png", "pictures/case-studies.png"
PICTURES = (_OWN, _CASES)
# The published methods that are drawn.
MARKERS = {"random forest": "x", "DeepPerf": "*", "HINNPerf": "+", "DaL": "1", "SPLC": "2", "SPLC 2019": "3"}


def pictures_of(rows: Sequence[Row]) -> dict[str, bytes]:
    """Return file name → picture; a picture whose systems are absent is left out."""
    grids = {
        _OWN: [[name, f"{name}: error (%)"] for name in SIZES],
        _CASES: [[f"{case}, {nfp}", f"{case}: {nfp}"] for nfp in PROPERTIES for case in FOLDERS],
    }
    found = {}
    for name, columns in ((_OWN, 2), (_CASES, 4)):
        panels = [(system, title) for system, title in grids[name] if any(row["system"] == system for row in rows)]
        if panels:
            found[name] = grid(rows, panels, columns)
    return found


def grid(rows: Sequence[Row], panels: Sequence[tuple[str, str]], columns: int) -> bytes:
    """Return a picture with a panel per system."""
    lines = -(-len(panels) // columns)
    learners = learners_of(rows)
    with drawing():
        figure = new_figure(11, 0.9 + 3.1 * lines)
        axes = figure.subplots(lines, min(columns, len(panels)), squeeze=False).ravel()
        for (system, title), each in zip(panels, axes, strict=False):
            draw(each, [row for row in rows if row["system"] == system], system, learners)
            each.set_title(literal(title), fontsize=8)
        for each in axes[len(panels) :]:
            each.set_visible(False)
        handles: dict[str, Any] = {}
        for each in axes[: len(panels)]:
            handles |= dict(zip(*reversed(each.get_legend_handles_labels()), strict=True))
        figure.legend(list(handles.values()), list(handles), loc="outside lower center", ncols=8, fontsize=8)
        return small_png(saved(figure, "png"), 32)


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
