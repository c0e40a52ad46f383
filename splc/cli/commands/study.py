"""`splc study`: learn from several samplings, seeds and learners, and compare all models."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from splc.cli.interruption import interruption
from splc.cli.json_output import print_object
from splc.cli.options import Json
from splc.cli.progress import progress
from splc.cli.show.study import ContextStudiesObject, StudyObject, advance_by, end_if_interrupted, show, show_by
from splc.cli.terminal import show_notes, warn
from splc.study import read_study, run_study, run_study_by
from splc.workflows.common_fields import scheduler_of
from splc.workflows.fields import as_argument, as_flag, as_option
from splc.workflows.note import notes_of

PROCESSES = "Processes"

EXAMPLES = (
    "splc study --output results --no-pictures",
    "splc study study.toml --jobs 2 --json",
)


def study(
    file: Annotated[str | None, as_argument("FILE", "The study.", default="study.toml")] = None,
    output: Annotated[str | None, as_option("FOLDER", "The results.", names="--output -o", default="results")] = None,
    force: Annotated[
        bool, as_flag("--force", "Write into a folder of another study, or replace changed results.")
    ] = False,
    jobs: Annotated[
        int | None,
        as_option("N", "Processes that learn.", PROCESSES, names="--jobs -j", minimum=1, default="one per core"),
    ] = None,
    backend: Annotated[
        Literal["local", "dask"], as_option("local|dask", "Processes on this machine, or a dask cluster.", PROCESSES)
    ] = "local",
    scheduler: Annotated[
        str | None,
        as_option("ADDRESS", "The dask scheduler, or its scheduler file.", PROCESSES, default="one is started here"),
    ] = None,
    pictures: Annotated[bool, as_flag("--pictures/--no-pictures", "Whether to draw pictures.")] = True,
    json: Json = False,
) -> None:
    """Learn from several samplings with several seeds and learners, and compare all models with an analytical one.

    docs/reference/studies.md describes the file. Finished runs are kept: after an interruption the same command
    continues, and after a change of the file it does only new runs.
    """
    cluster = scheduler_of(backend, scheduler)
    if scheduler is not None and jobs is not None:
        raise typer.BadParameter(
            "the number of processes is that of the cluster; leave out --jobs", param_hint="--jobs, --scheduler"
        )
    content = read_study(file or "study.toml")
    with interruption("the runs in progress") as stop, progress("learning") as advance:
        settings: dict[str, Any] = {
            "jobs": jobs or cores(),
            "scheduler": cluster,
            "force": force,
            "pictures": pictures,
            "on_task": advance_by(advance),
            "should_stop": stop,
        }
        studies = None if content.by is None else run_study_by(content, output, **settings)
        results = (run_study(content, output, **settings),) if studies is None else tuple(studies.studies.values())
    if json and studies is not None:
        print_object(ContextStudiesObject, studies)
    elif json:
        print_object(StudyObject, results[0])
    elif studies is not None:
        show_by(studies)
    elif results[0].results is not None:
        show(results[0])
    show_notes(notes_of(dict.fromkeys(text for result in results for text in result.notes)))
    end_if_interrupted(results[-1])
    refused = [run for result in results if result.results for run in result.results.runs if run.reason is not None]
    for run in refused:
        warn(f"{run.task.label} (learner {run.task.learner.name}): {run.reason}")
    if len(refused) == sum(result.tasks for result in results):
        warn("no model was learned")
        raise typer.Exit(1)


def cores() -> int:
    """Return the number of cores that this process may use."""
    from joblib import cpu_count

    return int(cpu_count())
