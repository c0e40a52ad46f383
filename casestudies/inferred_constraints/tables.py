"""The tables: what is inferred by system and share of the rows, and errors and optima with and without it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from casestudies.evaluation.evaluation import Row
from splc.io.tables import Cell, Table


def inference_table(rows: Sequence[Row]) -> Table:
    """Return the precision, the recall and the numbers of configurations by system and share of the rows."""
    groups: dict[tuple[str, float], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["system"], row["share"]), []).append(row)
    lines: list[tuple[Cell, ...]] = []
    for (system, share), group in groups.items():
        stated = sum(row["stated"] or 0 for row in group)
        recall, groups_only = (
            sum(row[key] or 0 for row in group) / stated if stated else None for key in ("implied", "implied_without")
        )
        lines.append(
            (
                system,
                "all" if share == 1 else f"{share:.0%}",
                len(group),
                group[0]["rows"],
                sum(row["wrongly_excluded"] > 0 for row in group),
                recall,
                groups_only,
                _range([row["valid"] for row in group]),
                _range([row["inferred"] for row in group]),
                _range([row["without"] for row in group]),
            )
        )
    columns = (
        *("system", "share of rows", "runs", "rows", "runs with a false constraint", "recall", "recall (groups only)"),
        *("valid configurations", "inferred", "without constraints"),
    )
    return Table(columns, tuple(lines), "Constraints inferred from rows of a table, compared with the description")


def learning_table(rows: Sequence[Row]) -> Table:
    """Return errors and optima by system and size, with and without inferred constraints."""
    groups: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["system"], row["size"]), []).append(row)
    lines: list[tuple[Cell, ...]] = []
    for (system, size), group in groups.items():
        sides = [[row for row in group if bool(row["constraints"]) == side] for side in (True, False)]
        cells: list[Cell] = []
        for key in ("printed", "full"):
            cells += [float(np.median([row[key] for row in side])) for side in sides]
        cells += [f"{sum(row['possible'] for row in side)} of {len(side)}" for side in sides]
        for side in sides:
            known = [row["better"] for row in side if row["better"] is not None]
            cells.append(float(np.median(known)) if known else None)
        lines.append((system, size, *cells))
    pairs = ("printed error %", "full error %", "possible optima", "better configurations %")
    columns = ("system", "rows", *(f"{name} ({side})" for name in pairs for side in ("with", "without")))
    return Table(
        columns, tuple(lines), "Errors and optima with and without inferred constraints, medians over the seeds"
    )


def _range(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
