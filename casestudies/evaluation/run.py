"""Run an evaluation and write its results folder."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from casestudies.evaluation.evaluation import Evaluation, Row, perform_cell, rows_table
from splc.io.tables import Table, csv_text, latex_text, markdown_text
from splc.plotting.style import has_matplotlib
from splc.study.folder import TasksResult, relative_name, results_folder, run_tasks, versions
from splc.workflows.views import UNWATCHED, Watch

TABLES = ("table.csv", "table.md", "table.tex")


@dataclass(frozen=True, eq=False, kw_only=True)
class EvaluationResult(TasksResult):
    """The result of an evaluation."""

    evaluation: Evaluation  # the evaluation
    rows: tuple[Row, ...] = ()  # all rows, empty after an interruption


def run_evaluation(
    evaluation: Evaluation,
    output: str | Path | None = None,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    watch: Watch = UNWATCHED,
    force: bool = False,
    pictures: bool = True,
) -> EvaluationResult:
    """Run an evaluation; tasks that were finished before are not run again.

    `output`: the results folder; None: `results` beside the study file, and a folder of the preset's name without.
    `jobs`, `scheduler`, `watch`: as of `splc.study.run_study`.
    """
    started = time.monotonic()
    path = evaluation.path
    tasks = evaluation.tasks()
    default = Path(evaluation.preset) if path is None else path.parent / "results"
    folder = default if output is None else Path(output)
    file = f"the preset {evaluation.preset}" if path is None else relative_name(path, folder)
    owner = {"file": file, "preset": evaluation.preset}
    names = [*TABLES, *evaluation.picture_names()]
    with results_folder(folder, owner, names, () if path is None else (str(path),), force=force) as results:
        perform = partial(perform_cell, evaluation=evaluation)
        records, found = run_tasks(tasks, perform, results, jobs, scheduler, watch)
        result = EvaluationResult(
            evaluation=evaluation, folder=folder, tasks=len(tasks), found=found, done=len(records)
        )
        if result.interrupted:
            return result
        rows = tuple(row for task in tasks for row in records[task.key]["rows"])
        times: dict[str, Any] = {"finished": datetime.now(UTC).isoformat(timespec="seconds")}
        tables = evaluation.tables(rows)
        files = _files(rows, tables)
        if pictures and has_matplotlib():
            files.update(evaluation.pictures(rows))
        times["seconds"] = round(time.monotonic() - started, 3)
        content = {
            "study": evaluation.settings(),
            "versions": versions(),
            "tasks": [{**task.cell, "key": task.key} for task in tasks],
        }
        kept = results.finish(files, content, times)
    notes = tuple(f"{each} is no longer a result; it is kept, because it was changed" for each in kept)
    if pictures and not has_matplotlib():
        notes += ("there are no pictures: matplotlib is not installed (pip install 'splc[plot]')",)
    return replace(result, rows=rows, tables=tables, files=tuple(sorted(files)), notes=notes)


def _files(rows: Sequence[Row], tables: Sequence[Table]) -> dict[str, bytes]:
    """Return name → content of all tables."""
    texts = {
        "table.csv": csv_text(rows_table(rows)),
        "table.md": "\n".join(markdown_text(table) for table in tables),
        "table.tex": "\n".join(latex_text(table) for table in tables),
    }
    return {name: text.encode("utf-8") for name, text in texts.items()}
