"""The generated blocks of `README.md`, from the rows of `table.csv` in the results folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from casestudies.accuracy import difficult_tables, explanation_tables, truth_tables
from casestudies.accuracy.learners import BASELINES, DEFAULT, STEPWISE
from casestudies.accuracy.printed_tables import printed_tables
from casestudies.accuracy.published import best_published, published
from casestudies.accuracy.real_tables import cells_of, mean_of, spread_of, values_of
from casestudies.evaluation.evaluation import Row, rows_of
from casestudies.report.page import with_blocks
from splc.io.files import write_whole
from splc.io.tables import Cell, Table, markdown_text

HERE = Path(__file__).parent
_DIGITS = 3
# Published methods that have columns of their own.
DEEP = ("DeepPerf", "DaL")


def blocks_of_page() -> dict[str, str]:
    """Return name → Markdown of all blocks."""
    rows = {
        name: rows_of(HERE / name / "table.csv") for name in ("real", "truth", "difficult", "explanations", "noise")
    }
    tables: dict[str, Sequence[Table]] = {
        "summary": [summary(rows["real"])],
        "printed": printed_tables(rows["real"]),
        "truth": truth_tables.tables_of(rows["truth"]),
        "difficult": difficult_tables.tables_of(rows["difficult"]),
        "explanations": explanation_tables.tables_of(rows["explanations"]),
        "noise": [truth_tables.noise_table(rows["noise"])],
    }
    return {name: "\n".join(markdown_text(each, _DIGITS) for each in found) for name, found in tables.items()}


def summary(rows: list[Row]) -> Table:
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


def write_page() -> None:
    """Write the blocks into `README.md`."""
    path = HERE / "README.md"
    write_whole(path, with_blocks(path.read_text(encoding="utf-8"), blocks_of_page()))
