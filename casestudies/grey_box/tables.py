"""The tables and the picture: errors with a formula beside those of the formula and of learning alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from casestudies.evaluation.evaluation import Row
from casestudies.evaluation.panels import panels_picture
from casestudies.pictures import plain_number
from splc.io.tables import Cell, Table
from splc.plotting.charts.chart import LOOKS
from splc.plotting.style import literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FACTORS = ("factor, relative", "factor, log")
RATIO = "with formula / better of both"


def _mean(rows: Sequence[Row], key: str) -> float:
    """Return the mean of a number over the samples that have it."""
    return float(np.mean([row[key] for row in rows if row[key] is not None]))


def _groups(rows: Sequence[Row]) -> Iterator[tuple[str, int, list[Row]]]:
    """Yield each system and number of rows with its samples."""
    for system, size in dict.fromkeys((row["system"], row["rows"]) for row in rows):
        yield system, size, [row for row in rows if (row["system"], row["rows"]) == (system, size)]


def parents(rows: Sequence[Row]) -> tuple[float, float]:
    """Return the mean errors of the formula with its best factor, and of learning alone."""
    return min(_mean(rows, key) for key in FACTORS), _mean(rows, "alone")


def error_table(rows: Sequence[Row]) -> Table:
    """Return the mean errors of the formula, of learning alone, and of learning with the formula."""
    lines: list[tuple[Cell, ...]] = []
    for system, size, own in _groups(rows):
        both, error = parents(own), _mean(own, "with formula")
        better = sum(row["with formula"] < min(row["alone"], *(row[key] for key in FACTORS)) for row in own)
        smaller = f"{better} of {len(own)}"
        lines.append((system, size, *both, error, _mean(own, "printed"), error / min(both), smaller))
    columns = ("system", "rows", "formula", "alone", "with formula", "printed, with formula", RATIO, "below both")
    caption = "Errors in % on all other configurations, means over the samples; of the formula with its best factor"
    return Table(columns, tuple(lines), caption)


def trust_table(rows: Sequence[Row]) -> Table:
    """Return how right the stated errors and intervals are, and how often the formula is used."""
    lines: list[tuple[Cell, ...]] = []
    for system, size, own in _groups(rows):
        stated = [row for row in own if row["stated"] is not None]
        ratio = _mean(stated, "stated") / _mean(stated, "with formula") if stated else None
        used = f"{sum(row['used'] for row in own)} of {len(own)}"
        lines.append((system, size, used, ratio, _mean(own, "inside")))
    columns = ("system", "rows", "formula used", "stated / true error", "runs inside of 90 % intervals, %")
    return Table(columns, tuple(lines), "What models with the formula say about themselves")


def wrong_table(rows: Sequence[Row]) -> Table:
    """Return what wrong formulas cost: errors relative to those of learning alone."""
    lines: list[tuple[Cell, ...]] = []
    for system, size, own in _groups(rows):
        cells: list[Cell] = []
        for kind in ("inverse", "random factors"):
            used = sum(row[f"{kind} used"] for row in own)
            cells += [_mean(own, kind) / _mean(own, "full model alone"), f"{used} of {len(own)}"]
        lines.append((system, size, *cells))
    columns = ("system", "rows", "inverse", "inverse used", "random factors", "random factors used")
    return Table(columns, tuple(lines), "Errors of full models with a wrong formula / of those of learning alone")


def errors_picture(rows: Sequence[Row]) -> bytes:
    """Return a picture with a panel per system: errors by the number of rows."""
    labels = {"alone": "learned alone", "with formula": "learned with the formula"}

    def draw(axes: Axes, name: str) -> None:
        own = [(size, each) for system, size, each in _groups(rows) if system == name]
        sizes = [size for size, _ in own]
        lines = {"formula, best factor": [parents(each)[0] for _, each in own]}
        lines |= {label: [_mean(each, key) for _, each in own] for key, label in labels.items()}
        for look, (label, errors) in zip(LOOKS, lines.items(), strict=False):
            axes.plot(sizes, errors, color=look.color, marker=look.marker, markersize=5, label=label)
        axes.set_xscale("log")
        axes.set_xticks(sizes, [plain_number(size) for size in sizes])
        axes.set_xticks([], minor=True)
        axes.set_ylim(0)
        axes.set_ylabel("error (%)", fontsize=8)
        axes.set_title(literal(name), fontsize=8)

    names = list(dict.fromkeys(row["system"] for row in rows))
    return panels_picture(names, draw, xlabel="measured configurations", legend=True)
