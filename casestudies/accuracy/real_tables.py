"""The tables of the preset `real`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from casestudies.accuracy.learners import DEFAULT, LEARNERS
from casestudies.accuracy.published import PROTOTYPE, PROTOTYPE_RUNS, best_published, published
from casestudies.accuracy.systems import SIZES
from casestudies.evaluation.evaluation import Row
from splc.io.tables import Cell, Spread, Table

# Errors of a learner and of another one differ if they are further apart than this number of standard errors.
WITHIN = 2.0
CASES = "Case studies"


def cells_of(rows: Iterable[Row]) -> list[tuple[str, int | str]]:
    """Return the pairs of system and number of rows (or design), in order of first appearance."""
    return list(dict.fromkeys((row["system"], row["size"]) for row in rows))


def learners_of(rows: Iterable[Row]) -> list[str]:
    """Return the learners of rows, the default learner first."""
    present = {row["learner"] for row in rows}
    return [name for name in LEARNERS if name in present]


def values_of(rows: Iterable[Row], key: str, **where: Any) -> list[float]:
    """Return the defined numbers under a key, of the rows with given values under other keys."""
    return [
        row[key]
        for row in rows
        if row.get(key) is not None and all(row[name] == value for name, value in where.items())
    ]


def mean_of(values: Sequence[float]) -> float | None:
    """Return the mean, None without values."""
    return float(np.mean(values)) if values else None


def spread_of(values: Sequence[float]) -> Spread:
    """Return the mean and its standard error, which a single value has none of."""
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else None
    return Spread(mean_of(values), error, relative=False)


def tables_of(rows: Sequence[Row]) -> tuple[Table, ...]:
    """Return all tables: errors per group of systems, published errors, the prototype, and the default learner."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["system"] if row["system"] in SIZES else CASES, []).append(row)
    found = [errors_table(mine, title) for title, mine in groups.items()]
    found += [published_table(name) for name in dict.fromkeys(row["system"] for row in rows) if published(name)]
    if mine := [row for row in rows if row["learner"] == DEFAULT]:
        found += [prototype_table(mine), default_table(mine)]
    return tuple(found)


def errors_table(rows: Sequence[Row], title: str) -> Table:
    """Return the errors of all learners: a row per number of rows, or per system and design."""
    learners = learners_of(rows)
    several = title == CASES
    lines: list[tuple[Cell, ...]] = []
    for system, size in cells_of(rows):
        errors = [values_of(rows, "error", system=system, size=size, learner=each) for each in learners]
        best = best_published(system, size) if isinstance(size, int) else None
        lines.append(
            (
                *((system,) if several else ()),
                size,
                _counts([len(each) for each in errors]),
                *(spread_of(each) for each in errors),
                *(() if several else (None if best is None else f"{best[1]:g} ({best[0]})",)),
            )
        )
    head = ("system", "design") if several else ("rows",)
    columns = (*head, "runs", *learners, *(() if several else ("best published",)))
    return Table(columns, tuple(lines), f"{title}: mean relative error in % ± standard error")


def published_table(system: str) -> Table:
    """Return the published errors on a system: a row per number of rows."""
    methods = published(system)
    sizes = sorted({size for errors in methods.values() for size in errors})
    lines = tuple((size, *(errors.get(size) for errors in methods.values())) for size in sizes)
    return Table(("rows", *methods), lines, f"{system}: published errors in %")


def prototype_table(rows: Sequence[Row]) -> Table:
    """Return the errors of the default learner beside those of its prototype."""
    lines: list[tuple[Cell, ...]] = []
    for system, size in cells_of(rows):
        stated = PROTOTYPE.get((system, size))
        if stated is None:
            continue
        mine = [row for row in rows if (row["system"], row["size"]) == (system, size)]
        same = [row for row in mine if row["run"] <= PROTOTYPE_RUNS]
        line: list[Cell] = [system, size]
        for key, value in (("full", stated.full), ("printed", stated.printed)):
            found = spread_of(values_of(same, key))
            line += [value, found, verdict(found, value), mean_of(values_of(mine, key))]
        lines.append(tuple(line))
    parts = ("prototype", "runs 1 to 5", "reached", "all runs")
    columns = [f"{model}: {part}" for model in ("full model", "printed model") for part in parts]
    return Table(
        ("system", "rows or design", *columns),
        tuple(lines),
        "The default learner and its prototype: mean relative error in %",
    )


def verdict(found: Spread, stated: float | None) -> str | None:
    """Return whether an error is at most a stated one, but for two standard errors and the rounding of the latter."""
    if stated is None or found.mean is None:
        return None
    rounding = 0.5 * 10.0 ** -len(f"{stated:g}".partition(".")[2])
    return "yes" if found.mean <= stated + rounding + WITHIN * (found.deviation or 0.0) else "no"


def default_table(rows: Sequence[Row]) -> Table:
    """Return errors, terms, form, coverage and time of the default learner."""
    named = {
        "printed": "printed model's error %",
        "full": "full model's error %",
        "predicted": "error of predictions %",
        "stated": "stated error %",
        "terms": "terms",
        "covered": "90 % intervals cover %",
        "printed covered": "those of the printed model %",
        "inside": "printed predictions inside %",
        "width": "upper / lower end",
        "seconds": "seconds",
    }
    lines: list[tuple[Cell, ...]] = []
    for system, size in cells_of(rows):
        mine = [row for row in rows if (row["system"], row["size"]) == (system, size)]
        forms = [row["form"] for row in mine if row.get("form")]
        sums = 100 * forms.count("identity") / len(forms) if forms else None
        lines.append((system, size, len(mine), sums, *(mean_of(values_of(mine, key)) for key in named)))
    columns = ("system", "rows or design", "runs", "sums %", *named.values())
    return Table(columns, tuple(lines), "The default learner: means over the runs")


def _counts(counts: Sequence[int]) -> str:
    """Return numbers of runs as text: `30`, or `30, 30, 10` where learners differ."""
    return ", ".join(map(str, counts if len(set(counts)) > 1 else counts[:1]))
