"""The tables: errors and ratios of rows, rows until the best configuration."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from casestudies.evaluation.evaluation import Row
from splc.io.tables import Cell, Table


def medians(rows: Sequence[Row], system: str, strategy: str) -> dict[int, float]:
    """Return number of rows → median error over the seeds."""
    errors: dict[int, list[float]] = {}
    for row in rows:
        if (row["system"], row["strategy"]) == (system, strategy):
            errors.setdefault(row["rows"], []).append(row["error"])
    return {size: float(np.median(own)) for size, own in errors.items()}


def ratios(found: Mapping[int, float], reference: Mapping[int, float]) -> dict[int, float]:
    """Return number of rows of a reference → rows needed for the same error over it.

    Between numbers of rows the logarithm of the error is interpolated. Infinite where no number of rows has so small
    an error, and left out where already the least one has it, unless it is less than that of the reference.
    """
    sizes = sorted(found)
    result: dict[int, float] = {}
    for size, error in reference.items():
        place = next((i for i, each in enumerate(sizes) if found[each] <= error), None)
        if place is None:
            result[size] = math.inf
        elif place == 0:
            if sizes[0] < size:
                result[size] = sizes[0] / size
        else:
            before, after = sizes[place - 1], sizes[place]
            high, low = math.log(found[before]), math.log(found[after])
            result[size] = (before + (high - math.log(error)) / (high - low) * (after - before)) / size
    return result


def names_of(rows: Sequence[Row], key: str) -> list[str]:
    """Return the values of a column, in order of first appearance."""
    return list(dict.fromkeys(row[key] for row in rows))


def error_tables(rows: Sequence[Row], reference: str) -> tuple[Table, ...]:
    """Return the median ratios of rows, and the median errors of each system."""
    strategies = names_of(rows, "strategy")
    others = [each for each in strategies if each != reference]
    systems = names_of(rows, "system")
    every: dict[str, list[float]] = {each: [] for each in others}
    summary: list[tuple[Cell, ...]] = []
    tables = []
    for system in systems:
        known = {each: medians(rows, system, each) for each in strategies}
        own = {each: ratios(known[each], known[reference]) for each in others}
        for each in others:
            every[each] += own[each].values()
        summary.append((system, *(_median(list(own[each].values())) for each in others)))
        lines: list[tuple[Cell, ...]] = [
            (size, *(known[each][size] for each in strategies), *(_finite(own[each].get(size)) for each in others))
            for size in known[reference]
        ]
        columns = (
            "rows",
            *(f"error % ({each})" for each in strategies),
            *(f"rows of {each} / rows" for each in others),
        )
        tables.append(Table(columns, tuple(lines), f"{system}: median errors over the seeds"))
    summary.append(("all", *(_median(every[each]) for each in others)))
    columns = ("system", *(f"rows of {each} / rows of {reference}" for each in others))
    return (Table(columns, tuple(summary), "Rows for the same error, median over the numbers of rows"), *tables)


def optimum_table(rows: Sequence[Row], reference: str, most: int) -> Table:
    """Return the median number of rows until a configuration within 1 % of the best."""
    strategies = names_of(rows, "strategy")
    lines: list[tuple[Cell, ...]] = []
    for system in names_of(rows, "system"):
        mine = [row for row in rows if row["system"] == system]
        needed = {each: [row["rows"] or math.inf for row in mine if row["strategy"] == each] for each in strategies}
        middle = {each: float(np.median(own)) for each, own in needed.items()}
        within = {each: 100 * sum(rows <= most for rows in own) / len(own) for each, own in needed.items()}
        lines.append(
            (
                system,
                mine[0]["measured"],
                mine[0]["good"],
                *(_finite(middle[each]) for each in strategies),
                *(_finite(middle[each] / middle[reference]) for each in strategies if each != reference),
                *(within[each] for each in strategies),
            )
        )
    columns = (
        "system",
        "configurations",
        "within 1 %",
        *(f"rows ({each})" for each in strategies),
        *(f"rows of {each} / rows of {reference}" for each in strategies if each != reference),
        *(f"% within {most} rows ({each})" for each in strategies),
    )
    title = f"Rows until a configuration within 1 % of the best, medians over the seeds (–: more than {most})"
    return Table(columns, tuple(lines), title)


def _median(values: Sequence[float]) -> float | None:
    return _finite(float(np.median(values))) if values else None


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
