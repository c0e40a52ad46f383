"""The tables of errors by system, number of rows and method."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from casestudies.evaluation.evaluation import Row
from splc.io.tables import Cell, Table

METHODS = ("together", "together, printed", "alone", "forest")


def few_table(rows: Sequence[Row]) -> Table:
    """Return the mean and median errors of each method, the ratios to learning alone, and how often intervals hold."""
    groups: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["system"], row["size"]), []).append(row)
    lines: list[tuple[Cell, ...]] = []
    for (system, size), group in groups.items():
        cells: list[Cell] = [
            f"{_mean(group, method, 'mean'):.3g} / {_mean(group, method, 'median'):.3g}" for method in METHODS
        ]
        ratios = [_mean(group, "together", key) / _mean(group, "alone", key) for key in ("mean", "median")]
        inside = [100 * _mean(group, method, "inside") for method in ("together", "alone")]
        lines.append((system, size, *cells, *ratios, *inside))
    columns = (
        *("system", "rows per context", *METHODS),
        *("together / alone (mean)", "together / alone (median)"),
        *("90 % intervals hold, % (together)", "90 % intervals hold, % (alone)"),
    )
    caption = "Errors in percent, mean / median over the configurations, averages over contexts and seeds"
    return Table(columns, tuple(lines), caption)


def _mean(rows: Sequence[Row], method: str, key: str) -> float:
    """Return the mean of a number over the rows of a method that have it."""
    found = [row[key] for row in rows if row["method"] == method and row[key] is not None]
    return float(np.mean(found)) if found else float("nan")
