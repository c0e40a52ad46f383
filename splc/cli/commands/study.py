"""`splc study`: learn from several samplings, seeds and learners, and compare all models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from splc.cli.options import Json

if TYPE_CHECKING:
    from splc.study import StudyResult

WHERE = "Processes"

EXAMPLES = (
    "splc study --output results --no-pictures",
    "splc study study.toml --jobs 2 --json",
)


def study(
    file: Annotated[str | None, typer.Argument(metavar="FILE", help="The study. Default: study.toml.")] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="The results. Default: 'results'."),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Write into a folder of another study, or replace changed results."),
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            min=1,
            metavar="N",
            help="Processes that learn. Default: one per core.",
            rich_help_panel=WHERE,
        ),
    ] = None,
    backend: Annotated[
        Literal["local", "dask"],
        typer.Option(
            "--backend",
            metavar="local|dask",
            help="Processes on this machine, or a dask cluster.",
            rich_help_panel=WHERE,
        ),
    ] = "local",
    scheduler: Annotated[
        str | None,
        typer.Option("--scheduler", metavar="ADDRESS", help="The dask scheduler.", rich_help_panel=WHERE),
    ] = None,
    pictures: Annotated[bool, typer.Option("--pictures/--no-pictures", help="Whether to draw pictures.")] = True,
    json: Json = False,
) -> None:
    """Learn from several samplings with several seeds and learners, and compare all models with an analytical one.

    docs/studies.md describes the file. Finished runs are kept: after an interruption the same command continues, and
    after a change of the file it does only new runs.
    """
    from splc.cli.interruption import interruption
    from splc.cli.json_output import print_json
    from splc.cli.show.study import STEPS, advance_by, end_if_interrupted
    from splc.cli.terminal import note, progress, warn
    from splc.study import read_study, run_study

    if (backend == "dask") != (scheduler is not None):
        raise typer.BadParameter("--backend dask and --scheduler ADDRESS need each other", param_hint="--scheduler")
    if scheduler is not None and jobs is not None:
        raise typer.BadParameter("a cluster has as many processes as it has", param_hint="--jobs, --scheduler")
    with interruption("the runs in progress") as stop, progress("learning", STEPS) as advance:
        result = run_study(
            read_study(file or "study.toml"),
            output,
            jobs=jobs or cores(),
            scheduler=scheduler,
            force=force,
            pictures=pictures,
            on_task=advance_by(advance),
            should_stop=stop,
        )
    for text in result.notes:
        note(text)
    if json:
        print_json("study", as_json(result))
    elif result.results is not None:
        show(result)
    end_if_interrupted(result)
    assert result.results is not None
    refused = [run for run in result.results.runs if run.reason is not None]
    for run in refused:
        warn(f"{run.task.label} (learner {run.task.learner.name}): {run.reason}")
    if len(refused) == result.tasks:
        warn("nothing could be learned")
        raise typer.Exit(1)


def cores() -> int:
    """Return the number of cores that this process may use."""
    from joblib import cpu_count

    return int(cpu_count())


def show(result: StudyResult) -> None:
    """Print the tables and the place of the files."""
    from splc.cli.show.study import show_place, show_tables
    from splc.cli.terminal import say

    show_tables(result)
    assert result.results is not None
    best = result.results.best
    if best is not None and best.error is not None:
        say(f"best model: {best.task.label} (learner {best.task.learner.name}), error rate {best.error:.4g} %")
    show_place(result)


def as_json(result: StudyResult) -> dict[str, Any]:
    """Return the content of the JSON object."""
    results = result.results
    runs = [] if results is None else results.runs
    best = None if results is None else results.best
    return {
        "study": str(result.study.path),
        "folder": str(result.folder),
        "tasks": result.tasks,
        "done": result.done,
        "done_before": result.found,
        "interrupted": result.interrupted,
        "refused": sum(run.reason is not None for run in runs),
        "best": None if best is None else run_json(best),
        "runs": [run_json(run) for run in runs],
        "analytical": None if results is None else results.analytical,
        "analytical_unscaled": None if results is None else results.unscaled,
        "files": [*result.files, *(["manifest.json"] if results is not None else [])],
        "notes": list(result.notes),
    }


def run_json(run: Any) -> dict[str, Any]:
    """Return one run."""
    return {
        "learner": run.task.learner.name,
        "sampling": run.task.sampling,
        "seed": run.task.seed if run.task.seeded else None,
        "reason": run.reason,
        "log": run.task.log if run.record.log is not None else None,
        "learned_from": run.record.learned_from,
        "rounds": run.record.rounds,
        "terms": run.terms,
        "learning_error": run.record.learning_error,
        "error": run.record.error,
        "error_all": run.record.error_all,
        **{group: run.values.get(group) for group in ("analytical_learned", "measured_learned")},
    }
