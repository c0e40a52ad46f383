"""The tables of the preset `difficult`: printed models of systems whose true models are known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from casestudies.accuracy.printed_tables import BEFORE, Figures, geometric, share, within
from casestudies.accuracy.real_tables import mean_of, values_of
from casestudies.accuracy.truth_tables import total
from casestudies.evaluation.evaluation import Row, rows_of
from splc.io.tables import Cell, Table

ALL = "all"
# Errors below this one, in percent, count as this one in ratios.
MIN_ERROR = 0.01


def most_terms(true: float) -> float:
    """Return the largest number of terms that is short for a true number."""
    return 2 * true + 3


def tables_of(rows: Iterable[Row]) -> tuple[Table, ...]:
    """Return the goals before and after, and the figures of each kind."""
    after = figures_of(rows)
    return goals_table(rows_of(BEFORE / "difficult.csv"), after), kinds_table(after)


def figures_of(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the figures of all systems, and of each kind."""
    known = [row for row in rows if row.get("printed") is not None]
    kinds = (ALL, *dict.fromkeys(row["style"] for row in known))
    return [{"kind": kind, **_figures([row for row in known if kind in (ALL, row["style"])])} for kind in kinds]


def _figures(rows: Sequence[Row]) -> dict[str, Any]:
    stated = [row["stated"] / row["measured"] for row in rows if row.get("stated")]
    judged = [row for row in rows if row.get("unneeded")]
    influences = total(rows, "influences")
    return {
        "systems": len(rows),
        "printed": mean_of(values_of(rows, "printed")),
        "full": mean_of(values_of(rows, "full")),
        "predicted": mean_of(values_of(rows, "predicted")),
        "predicted / better": geometric([ratio_of(row, "predicted", "better") for row in rows if row.get("predicted")]),
        "printed / full": geometric([ratio_of(row) for row in rows]),
        "stated / true": geometric(stated),
        "stated right": share(map(within, stated)),
        "terms": mean_of(values_of(rows, "terms")),
        "true terms": mean_of(values_of(rows, "true size")),
        "short": share(row["terms"] <= most_terms(row["true size"]) for row in rows),
        "none blamed": share(row["blamed"] == 0 for row in judged),
        "influences": int(influences),
        "influences covered": 100 * total(rows, "influences covered") / influences if influences else None,
        "covered": mean_of(values_of(rows, "covered")),
    }


def ratio_of(row: Row, above: str = "printed", below: str = "full") -> float:
    """Return the ratio of two errors against the true values; `better`: the smaller one of both models."""
    errors = {**row, "better": min(row["printed"], row["full"])}
    first, second = (max(float(errors[key]), MIN_ERROR) for key in (above, below))
    return first / second


def goals_table(before: Figures, after: Figures) -> Table:
    """Return the goals, and what was reached over all systems."""
    goals = {
        "short": ("systems with at most 2 n + 3 terms for n true ones, %", "at least 95"),
        "printed / full": ("printed / full error, geometric mean", "at most 1"),
        "predicted / better": ("predictions / better of both, geometric mean", "at most 1"),
        "none blamed": ("systems without a settled sign for an option without influence, %", "at least 95"),
        "influences covered": ("influences of true terms in their 90 % intervals, %", "85 to 97"),
        "stated / true": ("stated / true error at new measurements, geometric mean", "0.95 to 1.08"),
        "covered": ("new measurements in their 90 % intervals, %", "90"),
    }
    whole = [next((row for row in each if row["kind"] == ALL), {}) for each in (before, after)]
    lines = tuple((*goal, *(row.get(key) for row in whole)) for key, goal in goals.items())
    return Table(("printed model", "goal", "before", "after"), lines, "Printed models of known truths: goals")


def kinds_table(figures: Figures) -> Table:
    """Return the figures of each kind of system."""
    names = {
        "kind": "kind",
        "systems": "systems",
        "printed": "printed error %",
        "full": "full error %",
        "printed / full": "printed / full",
        "predicted": "error of predictions %",
        "predicted / better": "predictions / better of both",
        "stated / true": "stated / true",
        "terms": "terms",
        "true terms": "true terms",
        "short": "short %",
        "none blamed": "none blamed %",
        "influences": "influences",
        "influences covered": "in their intervals %",
        "covered": "90 % intervals cover %",
    }
    lines: list[tuple[Cell, ...]] = [tuple(row[key] for key in names) for row in figures]
    return Table(tuple(names.values()), tuple(lines), "Printed models of known truths, by kind of system")
