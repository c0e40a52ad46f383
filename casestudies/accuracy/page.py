"""The generated blocks of `README.md`, from the rows of `table.csv` in the results folders."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from casestudies.accuracy.learners import BASELINES, DEFAULT, STEPWISE
from casestudies.accuracy.published import best_published
from casestudies.accuracy.real_tables import cells_of, mean_of, spread_of, values_of
from casestudies.accuracy.truth_tables import noise_table, tables_of
from casestudies.evaluation.evaluation import Row
from casestudies.report.page import with_blocks
from splc.io.files import write_whole
from splc.io.tables import Cell, Table, markdown_text

HERE = Path(__file__).parent
_DIGITS = 3


def rows_of(path: Path) -> list[Row]:
    """Return the rows of a `table.csv`: numbers as numbers, empty cells as None."""

    def read(text: str) -> Any:
        for kind in (int, float):
            try:
                return kind(text)
            except ValueError:
                continue
        return text or None

    with path.open(encoding="utf-8", newline="") as file:
        return [{key: read(text) for key, text in line.items()} for line in csv.DictReader(file)]


def blocks_of_page() -> dict[str, str]:
    """Return name → Markdown of all blocks."""
    real, truth, noise = (rows_of(HERE / name / "table.csv") for name in ("real", "truth", "noise"))
    tables = {"summary": [summary(real)], "truth": tables_of(truth), "noise": [noise_table(noise)]}
    return {name: "\n".join(markdown_text(each, _DIGITS) for each in found) for name, found in tables.items()}


def summary(rows: list[Row]) -> Table:
    """Return the errors of the default learner, SPL Conqueror's, the best baseline and the best published method."""
    lines: list[tuple[Cell, ...]] = []
    for system, size in cells_of(rows):
        mine = [row for row in rows if (row["system"], row["size"]) == (system, size)]
        errors = {each: values_of(mine, "error", learner=each) for each in (DEFAULT, STEPWISE, *BASELINES)}
        baselines = [(mean_of(errors[each]), each) for each in BASELINES if errors[each]]
        best = best_published(system, size) if isinstance(size, int) else None
        lines.append(
            (
                system, str(size), max(map(len, errors.values())),
                *(spread_of(errors[each]) for each in (DEFAULT, STEPWISE)),
                "{:.3g} ({})".format(*min(baselines)) if baselines else None,
                f"{best[1]:g} ({best[0]})" if best else None,
            )
        )  # fmt: skip
    columns = ("system", "rows or design", "runs", DEFAULT, STEPWISE, "best baseline", "best published")
    return Table(columns, tuple(lines), "Mean relative error in % on all other configurations ± standard error")


def write_page() -> None:
    """Write the blocks into `README.md`."""
    path = HERE / "README.md"
    write_whole(path, with_blocks(path.read_text(encoding="utf-8"), blocks_of_page()))
