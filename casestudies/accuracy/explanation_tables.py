"""The tables of the preset `explanations`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from casestudies.accuracy.printed_tables import BEFORE, Figures, share
from casestudies.accuracy.real_tables import mean_of, values_of
from casestudies.accuracy.truth_tables import total
from casestudies.evaluation.evaluation import Row, rows_of
from splc.io.tables import Cell, Table

ALL = "all"
# The share of the variance of the full model that ten terms are to explain, in percent.
MAX_OF_IT = 90.0


def tables_of(rows: Iterable[Row]) -> tuple[Table, ...]:
    """Return the goals before and after, and the figures of each system."""
    after = figures_of(rows)
    return goals_table(rows_of(BEFORE / "explanations.csv"), after), systems_table(after)


def figures_of(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the figures over all systems, and of each system."""
    known = [row for row in rows if row.get("effects") is not None]
    systems = (ALL, *dict.fromkeys(row["system"] for row in known))
    return [{"system": each, **_figures([row for row in known if each in (ALL, row["system"])])} for each in systems]


def _figures(rows: Sequence[Row]) -> dict[str, Any]:
    ratios = [100 * row["ten explains"] / row["full explains"] for row in rows if row["full explains"] > 0]
    found: dict[str, Any] = {"samples": len(rows)}
    for name in ("effect", "interaction"):
        intervals = total(rows, f"{name}s with intervals")
        found |= {f"{name} {key}": mean_of(values_of(rows, f"{name} {key}")) for key in ("size", "error")}
        found[f"{name}s covered"] = 100 * total(rows, f"{name}s covered") / intervals if intervals else None
    return {
        **found,
        "useless": int(total(rows, "useless")),
        "without useless": share(row["useless"] == 0 for row in rows),
        "full explains": mean_of(values_of(rows, "full explains")),
        "printed explains": mean_of(values_of(rows, "printed explains")),
        "ten explains": mean_of(values_of(rows, "ten explains")),
        "ten / full": mean_of(ratios),
        "most of it": share(each >= MAX_OF_IT for each in ratios),
    }


def goals_table(before: Figures, after: Figures) -> Table:
    """Return the goals, and what was reached over all systems."""
    goals = {
        "effects covered": ("true effects in their 90 % intervals, %", "85 to 95"),
        "interactions covered": ("true shares of interactions in their 90 % intervals, %", "85 to 95"),
        "without useless": ("samples without an option that has no effect among the first five, %", "100"),
        "ten / full": ("variance explained by ten terms / by the full model, %", "at least 90"),
        "most of it": ("samples whose ten terms explain 90 % of what the full model explains, %", "100"),
        "effect error": ("error of effects, % of the standard deviation", ""),
    }
    whole = [next((row for row in each if row["system"] == ALL), {}) for each in (before, after)]
    lines = tuple((*goal, *(row.get(key) for row in whole)) for key, goal in goals.items())
    return Table(("explanation", "goal", "before", "after"), lines, "Explanations against measured effects: goals")


def systems_table(figures: Figures) -> Table:
    """Return the figures of each system."""
    names = {
        "system": "system",
        "samples": "samples",
        "effect size": "effects",
        "effect error": "error of effects",
        "effects covered": "effects in their intervals %",
        "interaction size": "interactions",
        "interaction error": "error of interactions",
        "interactions covered": "interactions in their intervals %",
        "useless": "useless among the first five",
        "full explains": "full model explains %",
        "printed explains": "printed model explains %",
        "ten explains": "ten terms explain %",
    }
    lines: list[tuple[Cell, ...]] = [tuple(row[key] for key in names) for row in figures]
    return Table(tuple(names.values()), tuple(lines), "Explanations against measured effects")
