"""`splc study`: learn from several samplings, seeds and learners of one system, and compare all models."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal

from comparison.statistics import GroupTest
from splc.errors import InputError, Problem, RequestError
from splc.formats.column_choice import shown_value
from splc.io.files import distinct_names, file_name, write_whole
from splc.io.json import picked
from splc.io.numbers import percentage
from splc.io.presentation import Reported
from splc.io.tables import Table, csv_text, latex_text, markdown_text
from splc.learning.learner import one_thread
from splc.study.folder import RUNS, TABLE, TasksResult, relative_name, results_folder, run_tasks
from splc.study.results import Results, Run, compare_runs, manifest_of
from splc.study.specification import Study, read_study
from splc.study.tables import picture_names, pictures_of, runs_table, tables_of, whole_table
from splc.study.tasks import Record, load, perform, space_of, tasks_of
from splc.workflows.fields import argument, flag, option, request, scheduler_of
from splc.workflows.inputs import ByValue
from splc.workflows.note import notes_of
from splc.workflows.views import UNWATCHED, Detail, End, Message, Verb, View, Watch

PROCESSES = "Processes"
RESULTS = "results"
TABLES = ("table.csv", "table.md", "table.tex", RUNS)


@request
class Request:
    """Learn from several samplings with several seeds and learners, and compare all models with an analytical one.

    docs/reference/studies.md describes the file. Finished runs are kept: after an interruption the same command
    continues, and after a change of the file it does only new runs.
    """

    file: str = argument("study.toml", "FILE", default="study.toml")("The study.")
    output: str | None = option(None, "FOLDER", names="--output -o", default=RESULTS)("The results.")
    force: bool = flag("--force")("Write into a folder of another study, or replace changed results.")
    jobs: int | None = option(None, "N", PROCESSES, names="--jobs -j", minimum=1, default="one per core")(
        "Processes that learn."
    )
    backend: Literal["local", "dask"] = option("local", "local|dask", PROCESSES)(
        "Processes on this machine, or a dask cluster."
    )
    scheduler: str | None = option(None, "ADDRESS", PROCESSES, default="one is started here")(
        "The dask scheduler, or its scheduler file."
    )
    pictures: bool = flag("--pictures/--no-pictures", initial=True)("Whether to draw pictures.")


@dataclass(frozen=True, eq=False, kw_only=True)
class StudyResult(TasksResult, Reported):
    """The result of a study."""

    study: Study
    results: Results | None = None  # the comparisons, None after an interruption

    @property
    def runs(self) -> Sequence[Run]:
        """The runs; none after an interruption."""
        return () if self.results is None else self.results.runs

    @property
    def refused(self) -> Sequence[Run]:
        """The runs without a model or a comparison."""
        return [run for run in self.runs if run.reason is not None]


@dataclass(frozen=True, eq=False)
class ContextStudies(ByValue[StudyResult]):
    """The studies of the values of a context; fewer after an interruption."""

    folder: Path  # of the results, which has a folder per value and the table of all of them

    @property
    def interrupted(self) -> bool:
        """True if runs are left."""
        return any(study.interrupted for study in self.results.values())


def run(request: Request, watch: Watch = UNWATCHED) -> StudyResult | ContextStudies:
    """Run a study, or that of each value of the context that its file names."""
    from joblib import cpu_count

    scheduler = scheduler_of(request.backend, request.scheduler)
    if request.scheduler is not None and request.jobs is not None:
        message = "the number of processes is that of the cluster; leave out --jobs"
        raise RequestError(message, "jobs", "scheduler")
    study = read_study(request.file)
    settings: dict[str, Any] = {"jobs": request.jobs or int(cpu_count()), "scheduler": scheduler}
    settings |= {"force": request.force, "pictures": request.pictures, "watch": watch}
    run_one_or_several: Callable[..., StudyResult | ContextStudies] = run_study if study.by is None else run_study_by
    with watch.patient("the runs in progress"):
        return run_one_or_several(study, request.output, **settings)


def run_study(
    study: Study,
    output: str | Path | None = None,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    force: bool = False,
    pictures: bool = True,
    watch: Watch = UNWATCHED,
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
        watch: is told each finished task, and asked before each one whether to stop.

    Raises:
        SplcError: if the inputs are wrong, or the folder cannot be used. A task that fails has a record.
    """
    if study.by is not None:
        raise RequestError(f"the study is done of each value of {study.by!r}", "by", hint="call run_study_by")
    started = time.monotonic()
    loaded = load(study)
    tasks = tasks_of(study, loaded.learners, loaded.inputs)
    folder = study.folder / RESULTS if output is None else Path(output)
    owner = {"file": relative_name(study.path, folder), "system": loaded.inputs.system.name}
    names = [*TABLES, *(task.log for task in tasks), *picture_names(study, loaded.analytical is not None)]
    with results_folder(folder, owner, names, loaded.paths, force=force) as results:
        learned = partial(perform, inputs=loaded.inputs, missing=study.missing)
        records, found = run_tasks(tasks, learned, results, jobs, scheduler, watch)
        done = len(records)
        result = StudyResult(study=study, folder=folder, tasks=len(tasks), found=found, done=done, notes=loaded.notes)
        if result.interrupted:
            return result
        watch.advance(len(tasks), len(tasks), f"{len(tasks)} of {len(tasks)}: comparing")
        finished = datetime.now(UTC).isoformat(timespec="seconds")
        with one_thread():
            compared = compare_runs(study, loaded, [(task, Record.parse(records[task.key])) for task in tasks])
            tables = tuple(tables_of(study, compared))
            texts = {run.task.log: run.record.log for run in compared.runs if run.record.log is not None}
            texts |= {
                "table.csv": csv_text(whole_table(study, compared)),
                "table.md": "\n".join(markdown_text(table) for table in tables),
                "table.tex": "\n".join(latex_text(table) for table in tables),
                RUNS: csv_text(runs_table(study, compared)),
            }
            files = {name: text.encode("utf-8") for name, text in texts.items()}
            if pictures:
                files.update(pictures_of(study, loaded, compared))
        times = {"finished": finished, "seconds": round(time.monotonic() - started, 3)}
        obsolete = results.finish(files, manifest_of(study, loaded, compared), times)
    kept = (f"{path} is no longer a result; it is kept, because it was changed" for path in obsolete)
    return replace(result, results=compared, tables=tables, files=tuple(sorted(files)), notes=(*loaded.notes, *kept))


def run_study_by(
    study: Study, output: str | Path | None = None, *, watch: Watch = UNWATCHED, **settings: Any
) -> ContextStudies:
    """Run a study of each value of the context that it names.

    Args:
        study: the study.
        output: the folder of the results; None: `results` beside the study file.
        watch: as in `run_study`.
        settings: the other arguments of `run_study`.

    Raises:
        SplcError: as `run_study`, or if there is no such context.
    """
    if study.by is None:
        raise InputError(Problem("the study names no context", str(study.path), hint='write by = "version"'))
    folder = study.folder / RESULTS if output is None else Path(output)
    project = study.project()
    space = space_of(project.variability_model())
    parts = project.measurement_parts(space.system, space, by=(study.by,), **study.policies)
    names = distinct_names({part.contexts[study.by]: file_name(part.contexts[study.by]) for part in parts})
    results: dict[str, StudyResult] = {}
    rows: list[tuple[Any, ...]] = []
    for part in parts:
        value = part.contexts[study.by]
        columns = replace(study.columns, where={**study.columns.where, study.by: value})
        one = replace(study, by=None, columns=columns)
        results[value] = result = run_study(one, folder / names[value], watch=watch, **settings)
        if result.results is None:
            return ContextStudies(study.by, results, folder)
        table = whole_table(study, result.results)
        rows += ((value, *row) for row in table.rows)
    write_whole(folder / TABLE, csv_text(Table((study.by, *table.columns), tuple(rows))))
    return ContextStudies(study.by, results, folder)


def as_json(result: StudyResult | ContextStudies) -> dict[str, Any]:
    """Return the JSON object of a study: its runs, the best one, and the comparison of samplings and learners.

    Errors are in percent.
    """
    if isinstance(result, ContextStudies):
        values = [{"value": value, **_study_as_json(one)} for value, one in result.results.items()]
        return {"schema": "splc.study.by/1", "by": result.by, "folder": str(result.folder), "values": values}
    return {"schema": "splc.study/1", **_study_as_json(result)}


def _study_as_json(result: StudyResult) -> dict[str, Any]:
    results = result.results
    return {
        "study": str(result.study.path),
        "folder": str(result.folder),
        **picked(result, "tasks, done, done_before = found, interrupted"),
        "refused": len(result.refused),
        "best": results and results.best and _run_as_json(results.best),
        "runs": [_run_as_json(each) for each in result.runs],
        "statistics": results and _test_as_json(results.test()),
        **picked(results, "analytical, analytical_unscaled = unscaled"),
        "files": [*result.files, *(["manifest.json"] if results is not None else [])],
        "notes": result.notes,
    }


def _run_as_json(one: Run) -> dict[str, Any]:
    return {
        **picked(one, "learner, sampling, seed, reason, log"),
        **picked(one.record, "learned_from, rounds"),
        "terms": one.terms,
        **picked(one.record, "learning_error, error, error_all, printed_error, printed_error_all"),
        **{group: one.values.get(group) for group in ("analytical_learned", "measured_learned")},
    }


def _test_as_json(test: GroupTest | None) -> dict[str, Any] | None:
    """Return the JSON object of several groups compared by the tests of Kruskal and Wallis, and of Dunn."""
    if test is None:
        return None
    groups = [{"group": name, "values": size, "median": test.medians[name]} for name, size in test.sizes.items()]
    pairs = [picked(pair, "first, second, p_value, a12, magnitude") for pair in test.pairs]
    return {"groups": groups, **picked(test, "kruskal_wallis = statistic, p_value, correction"), "pairs": pairs}


def view(result: StudyResult | ContextStudies, detail: Detail) -> View:
    """Yield the tables, the best model and the place of the files; how to continue, or what was not learned."""
    if isinstance(result, ContextStudies):
        results = list(result.results.values())
        for value, one in result.results.items():
            if one.results is not None:
                yield f"{result.by} {shown_value(value)}\n"
                yield from _view(one)
                yield ""
        if not result.interrupted:
            yield f"all values in one table: {result.folder / TABLE}"
    else:
        results = [result]
        yield from _view(result)
    yield notes_of(dict.fromkeys(text for one in results for text in one.notes))
    if results[-1].interrupted:
        yield results[-1].interruption
        yield End(130)
        return
    refused = [run for one in results for run in one.refused]
    for run in refused:
        yield Message(f"{run.task.label} (learner {run.learner}): {run.reason}", "warning")
    if len(refused) == sum(one.tasks for one in results):
        yield Message("no model was learned", "warning")
        yield End(1)


def _view(result: StudyResult) -> View:
    if result.results is None:
        return
    for table in result.tables:
        yield from (table, "")
    best = result.results.best
    if best is not None and best.error is not None:
        yield f"best model: {best.task.label} (learner {best.learner}), error rate {percentage(best.error)}"
    yield from result.files_view()


EXAMPLES = ("splc study --output results --no-pictures", "splc study study.toml --jobs 2 --json")
VERB = Verb(Request, run, view, as_json, EXAMPLES, doing="learning")
