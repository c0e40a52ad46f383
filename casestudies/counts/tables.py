"""The tables and the picture: which counts have exact formulas, and what times as sums of counts are worth."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from casestudies.evaluation.evaluation import Row
from casestudies.evaluation.panels import panels_picture
from casestudies.pictures import plain_number
from splc.io.tables import Cell, Table
from splc.plotting.charts.chart import LOOKS
from splc.plotting.style import literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEARNERS = {"projection": "default", "stepwise": "SPL Conqueror's"}
ALONE = "one rank"
COUNTS_WAY = "counts"
# Unit costs that are counts, not times.
NO_TIME = ("room",)
UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))


def models_table(rows: Sequence[Row]) -> Table:
    """Return the errors and the terms of models of counts: a row per count, columns by what is learned from."""
    keys = list(dict.fromkeys((row["variables"], row["learner"]) for row in rows))
    groups: dict[tuple[Any, ...], dict[tuple[str, str], Row]] = {}
    for row in rows:
        groups.setdefault((row["system"], row["count"]), {})[row["variables"], row["learner"]] = row
    lines: list[tuple[Cell, ...]] = [
        (system, count, *(_found(own.get(key)) for key in keys)) for (system, count), own in groups.items()
    ]
    titles = [f"{variables}: {LEARNERS[learner]}" for variables, learner in keys]
    caption = "Error in % on configurations not learned from (terms; of the formula's terms the model has)"
    return Table(("", "count", *titles), tuple(lines), caption)


def _found(row: Row | None) -> Cell:
    """Return the error of a model, its number of terms, and how many of the formula it has."""
    if row is None:
        return None
    terms = f"{row['terms']}" if row["formula"] is None else f"{row['terms']}; {row['common']} of {row['formula']}"
    return f"{exact_error(row['error'])} ({terms})"


def exact_error(error: float) -> str:
    """Return an error; below a ten-thousandth of a percent it is the rounding of printed influences."""
    return "0" if error < 5e-4 else f"{error:.3f}" if error < 0.1 else f"{error:.2g}" if error < 10 else f"{error:.0f}"


def unit_costs(row: Row) -> str:
    """Return the unit costs of a sum with their intervals."""
    texts = []
    for name, (value, low, high) in json.loads(row["costs"]).items():
        if name in NO_TIME:
            texts.append(f"{name} {_counted(value)} ({_counted(low)} to {_counted(high)})")
            continue
        largest = value if high is None else high
        unit, size = next((each for each in UNITS if largest >= each[1]), UNITS[-1])
        ends = "" if low is None else f" ({low / size:.3g} to {high / size:.3g})"
        texts.append(f"{name} {value / size:.3g}{ends} {unit}")
    return "; ".join(texts)


def _counted(number: float) -> str:
    """Return a number of cells with three digits."""
    return f"{float(f'{number:.3g}'):,.0f}"


def costs_table(rows: Sequence[Row]) -> Table:
    """Return the errors of times as sums of counts, and the unit costs."""
    lines: list[tuple[Cell, ...]] = [
        (
            *(row["system"], row["counts"], row["coefficients"]),
            *(f"{row[name]:.1f}" for name in ("error", "held-out error", "repeated error")),
            unit_costs(row),
        )
        for row in rows
    ]
    columns = ("", "sum of", "coefficients", "error", "held-out blocks", "another run", "unit costs (95 %)")
    return Table(columns, tuple(lines), "Mean relative error of single runs in %")


def costs_picture(rows: Sequence[Row]) -> bytes:
    """Return a picture with a panel per case: measured against predicted times of runs of held-out blocks."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    found = {row["system"]: row for row in rows if row["counts"] == COUNTS_WAY}
    names = [ALONE, "x", "y", "z"]

    def draw(axes: Axes, name: str) -> None:
        row = found[name]
        measured, predicted, split = (np.array(json.loads(row[key])) for key in ("measured", "predicted", "split"))
        for look, own in zip(LOOKS, names, strict=False):
            there = split == own
            title = own if own == ALONE else f"two ranks along {own}"
            axes.plot(
                1000 * predicted[there],
                1000 * measured[there],
                color=look.color,
                linestyle="",
                marker=look.marker,
                markersize=3,
                label=title,
            )
        axes.axline((1000 * measured.min(),) * 2, slope=1, color="black", linewidth=0.8)
        for axis in (axes.xaxis, axes.yaxis):
            axis.axes.set_xscale("log")
            axis.axes.set_yscale("log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter(FuncFormatter(plain_number))
            axis.set_minor_formatter(NullFormatter())
        axes.set_ylabel("measured (ms)", fontsize=8)
        axes.set_title(literal(f"{name}: error {row['held-out error']:.1f} %"), fontsize=8)

    return panels_picture(list(found), draw, xlabel="predicted (ms)", legend=True)
