"""Run a study: read its inputs, run its tasks, compare the models, and write the results folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from splc.errors import RequestError
from splc.io.presentation import Reported
from splc.io.tables import Table, csv_text, latex_text, markdown_text
from splc.learning.threads import one_thread
from splc.study.folder import relative_name, results_folder
from splc.study.inputs import load
from splc.study.manifest import manifest_of
from splc.study.pictures import picture_names, pictures_of
from splc.study.records import Record, perform
from splc.study.results import Results, compare_runs
from splc.study.runner import Execution, TasksResult, run_tasks
from splc.study.specification import Study
from splc.study.tables import runs_table, tables_of, whole_table
from splc.study.tasks import tasks_of

RESULTS = "results"
TABLES = ("table.csv", "table.md", "table.tex", "runs.csv")


@dataclass(frozen=True, eq=False, kw_only=True)
class StudyResult(TasksResult, Reported):
    """The result of a study.

    Attributes:
        study: the study.
        results: the comparisons, None after an interruption.
    """

    study: Study
    results: Results | None = None


def run_study(
    study: Study,
    output: str | Path | None = None,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    force: bool = False,
    pictures: bool = True,
    on_task: Callable[[int, int, str], None] = lambda count, total, text: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> StudyResult:
    """Run a study; tasks that were finished before are not run again.

    Args:
        study: the study.
        output: the results folder; None: `results` beside the study file.
        jobs: number of processes that learn.
        scheduler: address of a dask scheduler whose workers learn instead; `local` starts one on this machine with
            `jobs` workers.
        force: whether results of another study and other files with these names may be replaced.
        pictures: whether pictures are drawn.
        on_task: called with the number of finished tasks, the number of all tasks and the title of the last one.
        should_stop: once it returns true, no further task is started.

    Raises:
        SplcError: if the inputs are wrong, or the folder cannot be used. A task that fails has a record.
    """
    if study.by is not None:
        raise RequestError(f"the study is done of each value of {study.by!r}", "by", hint="call run_study_by")
    started = time.monotonic()
    loaded = load(study)
    tasks = tasks_of(study, loaded.learners, loaded.inputs)
    folder = study.folder / RESULTS if output is None else Path(output)
    owner = {
        "file": relative_name(study.path, folder),
        "system": loaded.inputs.system.name,
    }
    names = [*TABLES, *(task.log for task in tasks), *picture_names(study, loaded.analytical is not None)]
    with results_folder(folder, owner, names, loaded.paths, force=force) as results:
        learned = partial(perform, inputs=loaded.inputs, missing=study.missing)
        records, reused = run_tasks(tasks, learned, results, Execution(jobs, scheduler, on_task, should_stop))
        result = StudyResult(
            study=study, folder=folder, tasks=len(tasks), found=reused, done=len(records), notes=loaded.notes
        )
        if result.interrupted:
            return result
        on_task(len(tasks), len(tasks), "comparing")
        times: dict[str, Any] = {
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        with one_thread():
            compared = compare_runs(study, loaded, [(task, Record.parse(records[task.key])) for task in tasks])
            tables = tuple(tables_of(study, compared))
            files = _files(study, compared, tables)
            if pictures:
                files.update(pictures_of(study, loaded, compared))
        times["seconds"] = round(time.monotonic() - started, 3)
        obsolete = results.finish(files, manifest_of(study, loaded, compared), times)
    notes = (
        *loaded.notes,
        *(f"{path} is no longer a result; it is kept, because it was changed" for path in obsolete),
    )
    return replace(result, results=compared, tables=tables, files=tuple(sorted(files)), notes=notes)


def _files(study: Study, compared: Results, tables: Sequence[Table]) -> dict[str, bytes]:
    """Return name → content of all tables and logs."""
    texts = {
        "table.csv": csv_text(whole_table(study, compared)),
        "table.md": "\n".join(markdown_text(table) for table in tables),
        "table.tex": "\n".join(latex_text(table) for table in tables),
        "runs.csv": csv_text(runs_table(study, compared)),
    }
    for run in compared.runs:
        if run.record.log is not None:
            texts[run.task.log] = run.record.log
    return {name: text.encode("utf-8") for name, text in texts.items()}
