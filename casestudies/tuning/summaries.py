"""The tables: mean ranks and regrets by table and tuner, beside the published runs of other tuners."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from casestudies.evaluation.evaluation import Row
from casestudies.tuning.tables import KERNELS, PUBLISHED
from splc.io.tables import Cell, Table

ALL = "all"
# The key of random runs in the published ones; it is here as a tuner of its own.
_RANDOM = "RANDOM"


def summary_tables(rows: Sequence[Row], budgets: Sequence[int]) -> tuple[Table, ...]:
    """Return tables over all systems and over all kernels, one with the ranks of each, and the published runs."""
    tuners = list(dict.fromkeys(row["tuner"] for row in rows))
    systems = list(dict.fromkeys(row["system"] for row in rows))
    names = [f"rank % at {budget}" for budget in budgets]
    found: list[Table] = []
    header = ("tuner", *names, "mean regret %", "within 1 % at 50, %", "ms of CPU per run")
    for kind, are_kernels in (("tables of software", False), ("GPU kernels", True)):
        of_kind = [row for row in rows if (row["system"] in KERNELS) == are_kernels]
        overall: list[tuple[Cell, ...]] = []
        for tuner in dict.fromkeys(row["tuner"] for row in of_kind):
            own = [row for row in of_kind if row["tuner"] == tuner]
            means = [mean_of(own, f"rank {budget}") for budget in budgets]
            overall.append((tuner, *means, mean_of(own, "area"), 100 * mean_of(own, "near"), mean_of(own, "ms")))
        if overall:
            found.append(Table(header, tuple(overall), f"All {kind}: means over tables and seeds"))
    each: list[tuple[Cell, ...]] = []
    for system in systems:
        for tuner in tuners:
            if not (own := [row for row in rows if (row["system"], row["tuner"]) == (system, tuner)]):
                continue
            ranks = [mean_of(own, f"rank {budget}") for budget in budgets]
            regrets = [mean_of(own, f"regret {budget}") for budget in budgets]
            each.append((system if tuner == tuners[0] else "", tuner, *ranks, error_of(own, "rank 50"), *regrets))
    columns = ("table", "tuner", *names, "± at 50", *(f"regret % at {budget}" for budget in budgets))
    found.append(Table(columns, tuple(each), "Each table: means over seeds, and two standard errors"))
    known = published()
    if shown := [system for system in systems if system in known]:
        found.append(_beside(rows, known, shown, tuners, budgets))
    return tuple(found)


def published() -> Mapping[str, Mapping[str, Mapping[int, float]]]:
    """Return table → tuner → budget → mean rank in percent, of published runs; nothing where the file is absent."""
    if not PUBLISHED.is_file():
        return {}
    found: dict[str, dict[str, dict[int, float]]] = {}
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        for line in csv.reader(file):
            if line[0] != "table":
                found.setdefault(line[0], {}).setdefault(line[1], {})[int(line[3])] = float(line[4])
    return found


def _beside(
    rows: Sequence[Row],
    known: Mapping[str, Mapping[str, Mapping[int, float]]],
    systems: Sequence[str],
    tuners: Sequence[str],
    budgets: Sequence[int],
) -> Table:
    """Return the mean ranks over the tables that have published runs, of all tuners, the best at 50 first."""
    lines: list[tuple[Cell, ...]] = []
    for tuner in tuners:
        own = [row for row in rows if row["tuner"] == tuner and row["system"] in systems]
        lines.append((tuner, *(mean_of(own, f"rank {budget}") for budget in budgets)))
    names = sorted({name for system in systems for name in known[system]} - {_RANDOM})
    for name in names:
        values = [[known[system][name][budget] for system in systems if name in known[system]] for budget in budgets]
        lines.append((f"{name} (published)", *(float(np.mean(each)) for each in values)))
    lines.sort(key=lambda line: line[2] if isinstance(line[2], float) else 0.0)
    caption = f"Beside published runs, on {', '.join(systems)}"
    return Table(("tuner", *(f"rank % at {budget}" for budget in budgets)), tuple(lines), caption)


def lines_of(rows: Sequence[Row]) -> Iterator[tuple[str, str, list[Row]]]:
    """Yield a line for each system and tuner: the system, empty after its first line, the tuner, and their rows."""
    for system in dict.fromkeys(row["system"] for row in rows):
        for place, tuner in enumerate(dict.fromkeys(row["tuner"] for row in rows)):
            own = [row for row in rows if (row["system"], row["tuner"]) == (system, tuner)]
            yield "" if place else system, tuner, own


def mean_of(rows: Sequence[Row], key: str) -> float:
    """Return the mean of a column, NaN without rows."""
    return float(np.mean([row[key] for row in rows])) if rows else float("nan")


def error_of(rows: Sequence[Row], key: str) -> float | None:
    """Return two standard errors of a mean, None for one row."""
    if len(rows) < 2:
        return None
    return 2 * float(np.std([row[key] for row in rows], ddof=1)) / math.sqrt(len(rows))
