"""The generated blocks of `README.md`, from the rows of `table.csv` in the results folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from casestudies.accuracy import difficult_tables, explanation_tables, truth_tables
from casestudies.accuracy.learners import BASELINES, DEFAULT, STEPWISE
from casestudies.accuracy.printed_tables import printed_tables
from casestudies.accuracy.published import best_published, published
from casestudies.accuracy.real_tables import cells_of, mean_of, spread_of, values_of
from casestudies.evaluation.evaluation import Row
from casestudies.report.page import Page
from splc.io.tables import Cell, Table

# Published methods that have columns of their own.
DEEP = ("DeepPerf", "DaL")


def summary(rows: Sequence[Row]) -> Table:
    """Return the default learner and its two models, SPL Conqueror's, the best baseline and published deep learners."""
    lines: list[tuple[Cell, ...]] = []
    for system, size in cells_of(rows):
        mine = [row for row in rows if (row["system"], row["size"]) == (system, size)]
        errors = {each: values_of(mine, "error", learner=each) for each in (STEPWISE, *BASELINES)}
        own = [spread_of(values_of(mine, key, learner=DEFAULT)) for key in ("predicted", "full", "printed")]
        others = [mean_of(values_of(mine, key, learner=DEFAULT)) for key in ("stated", "terms", "covered")]
        baselines = [(mean_of(errors[each]), each) for each in BASELINES if errors[each]]
        best = best_published(system, size) if isinstance(size, int) else None
        known = published(system)
        lines.append(
            (
                system, str(size), len({row["run"] for row in mine}), *own, *others,
                spread_of(errors[STEPWISE]),
                "{:.3g} ({})".format(*min(baselines)) if baselines else None,
                *(known.get(method, {}).get(size) if isinstance(size, int) else None for method in DEEP),
                f"{best[1]:g} ({best[0]})" if best else None,
            )
        )  # fmt: skip
    columns = (
        "system", "rows or design", "runs", DEFAULT, "full", "printed", "stated", "terms", "intervals cover %",
        STEPWISE, "best baseline", *DEEP, "best published",
    )  # fmt: skip
    return Table(columns, tuple(lines), "Mean relative error in % on all other configurations ± standard error")


README = Page(
    Path(__file__).parent,
    {
        "summary": ("real", summary),
        "printed": ("real", printed_tables),
        "truth": ("truth", truth_tables.tables_of),
        "difficult": ("difficult", difficult_tables.tables_of),
        "explanations": ("explanations", explanation_tables.tables_of),
        "noise": ("noise", truth_tables.noise_table),
    },
)
