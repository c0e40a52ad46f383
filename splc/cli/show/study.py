"""The output of `splc study`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from splc.io.tables import Table
    from splc.study import ContextStudies, StudyResult


def advance_by(advance: Callable[[int, int | None, str], None]) -> Callable[[int, int, str], None]:
    """Return the function to call after each task: it moves the progress bar and shows the remaining time."""
    from time import monotonic

    from splc.cli.terminal import duration

    first: list[tuple[int, float]] = []

    def show_task(done: int, total: int, text: str) -> None:
        now = monotonic()
        first.append((done, now))
        found, started = first[0]
        words = f"{done} of {total}"
        if found < done < total:
            left = (now - started) * (total - done) / (done - found)
            words += f", about {duration(left)} left"
        advance(done, total, f"{words}: {text}" if text else words)

    return show_task


def end_if_interrupted(result: StudyResult) -> None:
    """End with exit code 130 if tasks are left, and print how to continue."""
    import typer

    from splc.cli.terminal import note

    if result.interrupted:
        note(f"interrupted: {result.done} of {result.tasks} runs are done and kept; the same command continues")
        raise typer.Exit(130)


def show(result: StudyResult) -> None:
    """Print the tables, the best model and the place of the files."""
    from splc.cli.terminal import say

    show_tables(result.tables)
    assert result.results is not None
    best = result.results.best
    if best is not None and best.error is not None:
        say(f"best model: {best.task.label} (learner {best.task.learner.name}), error rate {best.error:.4g} %")
    show_place(result.tasks, result.found, result.files, result.folder)


def show_by(studies: ContextStudies) -> None:
    """Print the study of each value of a context."""
    from splc.cli.terminal import say
    from splc.formats.measurements.columns import shown_value
    from splc.study.by import TABLE

    for value, result in studies.studies.items():
        if result.results is not None:
            say(f"{studies.by} {shown_value(value)}")
            say()
            show(result)
            say()
    if not studies.interrupted:
        say(f"all values in one table: {studies.folder / TABLE}")


def by_as_json(studies: ContextStudies) -> dict[str, Any]:
    """Return the content of the JSON object of the studies of the values of a context."""
    values = [{"value": value, **as_json(result)} for value, result in studies.studies.items()]
    return {"by": studies.by, "folder": str(studies.folder), "values": values}


def show_tables(tables: Sequence[Table]) -> None:
    """Print the tables."""
    from splc.cli.show.compare import show_table
    from splc.cli.terminal import say

    for table in tables:
        show_table(table)
        say()


def show_place(tasks: int, found: int, files: Sequence[str], folder: Path) -> None:
    """Print the number of runs, how many of them were done before, and the place of their files."""
    from splc.cli.terminal import say
    from splc.errors import plural

    runs = plural(tasks, "run", "runs")
    known = f", {found} of them done before" if found else ""
    say(f"{runs}{known}; {plural(len(files) + 1, 'file', 'files')} in {folder}")


def as_json(result: StudyResult) -> dict[str, Any]:
    """Return the content of the JSON object."""
    from splc.study.group_tests import study_test

    results = result.results
    test = None if results is None else study_test(results)
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
        "best": None if best is None else _run_json(best),
        "runs": [_run_json(run) for run in runs],
        "statistics": None if test is None else test.as_dict(),
        "analytical": None if results is None else results.analytical,
        "analytical_unscaled": None if results is None else results.unscaled,
        "files": [*result.files, *(["manifest.json"] if results is not None else [])],
        "notes": list(result.notes),
    }


def _run_json(run: Any) -> dict[str, Any]:
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
        "printed_error": run.record.printed_error,
        "printed_error_all": run.record.printed_error_all,
        **{group: run.values.get(group) for group in ("analytical_learned", "measured_learned")},
    }
