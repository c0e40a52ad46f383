"""The tables of printed models on real systems: beside the full model and their blend, before and after.

`before/*.csv` have the figures of the learner before it, which printed a sum of any length near the full model.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from casestudies.accuracy.learners import DEFAULT
from casestudies.accuracy.printed_models import jaccard
from casestudies.accuracy.real_tables import cells_of, mean_of, values_of
from casestudies.evaluation.evaluation import Row, rows_of
from splc.io.tables import Cell, Table

BEFORE = Path(__file__).parent / "before"
# Stated errors within these factors of the true ones count as right.
RIGHT = (0.8, 1.25)
# What predicts is to have at most so many times the error of the better one of both models.
NEVER_WORSE = 1.03
# Intervals that hold so many of the single runs in percent are right.
COVERED = (85, 95)
Figures = Sequence[Mapping[str, Any]]


def printed_tables(rows: Iterable[Row]) -> tuple[Table, ...]:
    """Return the goals, and the figures of each cell before and after; nothing without printed models."""
    after = figures_of(rows)
    if not after:
        return ()
    known = {(row["system"], row["size"]) for row in after}
    before = [row for row in rows_of(BEFORE / "real.csv") if (row["system"], row["size"]) in known]
    return goals_table(before, after), cells_table(before, after)


def figures_of(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the figures of each cell: means over its runs, and how similar their large sets of options are."""
    mine = [row for row in rows if row["learner"] == DEFAULT and row.get("printed") is not None]
    cells = {cell: [row for row in mine if (row["system"], row["size"]) == cell] for cell in cells_of(mine)}
    return [{"system": system, "size": size, **_figures(rows)} for (system, size), rows in cells.items()]


def _figures(rows: Sequence[Row]) -> dict[str, Any]:
    stated = [row["stated"] / row["printed"] for row in rows if row.get("stated")]
    sets = [row["large"] for row in rows]
    terms = values_of(rows, "terms")
    return {
        "runs": len(rows),
        **{key: mean_of(values_of(rows, key)) for key in ("printed", "full", "predicted", "stated", "terms")},
        "most terms": max(terms),
        **{key: mean_of(values_of(rows, key)) for key in ("covered", "inside")},
        "stated / true": geometric(stated),
        "stated right": share(within(each) for each in stated),
        "not positive": sum(each > 0 for each in values_of(rows, "not positive")),
        "same sets": mean_of([jaccard(*pair) for pair in itertools.combinations(sets, 2)]),
    }


def goals_table(before: Figures, after: Figures) -> Table:
    """Return the goals, and what was reached over all cells."""

    def goals(cells: Figures) -> list[float | None]:
        ratios = [row["printed"] / row["full"] for row in cells]
        blended = [row["predicted"] / min(row["printed"], row["full"]) for row in cells if row.get("predicted")]
        stated = values_of(cells, "stated / true")
        return [
            geometric(ratios), max(ratios, default=None),
            geometric(blended), max(blended, default=None), share(ratio <= NEVER_WORSE for ratio in blended),
            geometric(stated), share(map(within, stated)),
            max(values_of(cells, "most terms"), default=None), mean_of(values_of(cells, "same sets")),
            sum(row["not positive"] > 0 for row in cells),
        ]  # fmt: skip

    names = (
        ("printed / full error, geometric mean of the cells", "at most 1.15"),
        ("printed / full error, worst cell", "at most 1.6"),
        ("predictions / better of both, geometric mean of the cells", "at most 1"),
        ("predictions / better of both, worst cell", f"at most {NEVER_WORSE}"),
        (f"cells whose predictions / better of both is at most {NEVER_WORSE}, %", "100"),
        ("stated / true error, geometric mean of the cells", "0.95 to 1.08"),
        ("cells whose stated / true error is in 0.8 to 1.25, %", "at least 85"),
        ("terms without the constant, longest model", "at most 20"),
        ("common large sets of options of two samples (Jaccard)", "0.7"),
        ("cells with predictions that are not positive", "0"),
    )
    lines: list[tuple[Cell, ...]] = [
        (*name, *pair) for name, pair in zip(names, zip(goals(before), goals(after), strict=True), strict=True)
    ]
    for title, cells in (("cells", after), ("cells of several samples", [row for row in after if row["runs"] > 1])):
        name = f"{title} whose 90 % intervals hold {COVERED[0]} to {COVERED[1]} % of single runs, %"
        covered = share(COVERED[0] <= each <= COVERED[1] for each in values_of(cells, "covered"))
        lines.append((name, "at least 90", None, covered))
    return Table(("printed model", "goal", "before", "after"), tuple(lines), "Printed models on real systems: goals")


def cells_table(before: Figures, after: Figures) -> Table:
    """Return the figures of each cell, those of the printed model before and after."""
    known = {(row["system"], row["size"]): row for row in before}
    both = {
        "printed": "printed error %",
        "stated / true": "stated / true",
        "terms": "terms",
        "most terms": "most terms",
        "same sets": "same large sets",
    }
    once = {"full": "full error %", "predicted": "error of predictions %", "covered": "90 % intervals cover %"}
    lines: list[tuple[Cell, ...]] = []
    for row in after:
        old = known.get((row["system"], row["size"]), {})
        pairs = [each.get(key) for key in both for each in (old, row)]
        lines.append((row["system"], str(row["size"]), row["runs"], *pairs, *(row[key] for key in once)))
    columns = [f"{name}, {when}" for name in both.values() for when in ("before", "after")]
    caption = "Printed models on real systems, before and after: means over the runs"
    return Table(("system", "rows or design", "runs", *columns, *once.values()), tuple(lines), caption)


def geometric(values: Sequence[float]) -> float | None:
    """Return the geometric mean of positive numbers, None without any."""
    return math.exp(np.mean(np.log(values))) if values else None


def within(ratio: float) -> bool:
    """Return whether a stated error is right."""
    return RIGHT[0] <= ratio <= RIGHT[1]


def share(found: Iterable[bool]) -> float | None:
    """Return how many are true, in percent; None without any."""
    found = list(found)
    return 100 * sum(found) / len(found) if found else None
