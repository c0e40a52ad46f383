"""The tables of errors by system, number of rows and method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from casestudies.evaluation.evaluation import Row
from splc.io.tables import Cell, Table

METHODS = ("together", "together, printed", "alone", "pooled", "forest")
PUBLISHED_METHODS = ("together", "alone")


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


def published_table(rows: Sequence[Row], published: Mapping[tuple[str, int, str], Mapping[str, float]]) -> Table:
    """Return the mean errors of each method by system and number of rows, beside published ones.

    `published`: (system, rows, context) → method → mean error in percent.
    """
    groups: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["system"], row["size"]), []).append(row)
    lines: list[tuple[Cell, ...]] = []
    for (system, size), group in sorted(groups.items()):
        contexts = dict.fromkeys(row["context"] for row in group)
        known = [published[system, size, context] for context in contexts]
        best, name = min((float(np.mean([each[method] for each in known])), method) for method in known[0])
        below = sum(
            _mean([row for row in group if row["context"] == context], "together", "mean") < min(each.values())
            for context, each in zip(contexts, known, strict=True)
        )
        means = [_mean(group, method, "mean") for method in PUBLISHED_METHODS]
        runs = len({row["seed"] for row in group})
        ratios = means[0] / best, means[0] / means[1]
        inside = 100 * _mean(group, "together", "inside")
        lines.append(
            (system, size, runs, *means, f"{best:.3g} ({name})", *ratios, f"{below} of {len(contexts)}", inside)
        )
    columns = (
        *("system", "rows", "runs", *PUBLISHED_METHODS, "best published", "together / best published"),
        *("together / alone", "contexts below the best of each", "90 % intervals hold, % (together)"),
    )
    return Table(
        columns, tuple(lines), "Mean errors in percent over the configurations, averages over contexts and runs"
    )


def _mean(rows: Sequence[Row], method: str, key: str) -> float:
    """Return the mean of a number over the rows of a method that have it."""
    found = [row[key] for row in rows if row["method"] == method and row[key] is not None]
    return float(np.mean(found)) if found else float("nan")
