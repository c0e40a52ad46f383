"""The output of `splc study`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import typer

from splc.cli.show.blocks import counted, show_table
from splc.cli.show.group_tests import GroupTestObject
from splc.cli.terminal import note, say
from splc.formats.measurements.columns import shown_value
from splc.io.json_object import JsonObject, at, by_value
from splc.io.numbers import percentage
from splc.io.tables import Table
from splc.study import ContextStudies, StudyResult
from splc.study.by import TABLE
from splc.study.group_tests import study_test
from splc.study.results import Run

MeasureValues = dict[str, float | None]


class StudyRunObject(JsonObject):
    """A run of a study; errors are in percent."""

    learner: str = at("task.learner.name")
    sampling: str = at("task.sampling")
    seed: int | None = at(lambda run: run.task.seed if run.task.seeded else None)
    reason: str | None
    log: str | None = at(lambda run: run.task.log if run.record.log is not None else None)
    learned_from: int | None = at("record.learned_from")
    rounds: int | None = at("record.rounds")
    terms: int | None
    learning_error: float | None = at("record.learning_error")
    error: float | None = at("record.error")
    error_all: float | None = at("record.error_all")
    printed_error: float | None = at("record.printed_error")
    printed_error_all: float | None = at("record.printed_error_all")
    analytical_learned: MeasureValues | None = at("values.analytical_learned")
    measured_learned: MeasureValues | None = at("values.measured_learned")


def _runs(result: StudyResult) -> Sequence[Run]:
    return () if result.results is None else result.results.runs


class StudyObject(JsonObject, schema="splc.study/1"):
    """A study: its runs, the best one, and the comparison of the samplings and learners."""

    study: str = at(lambda result: str(result.study.path))
    folder: str = at(lambda result: str(result.folder))
    tasks: int
    done: int
    done_before: int = at("found")
    interrupted: bool
    refused: int = at(lambda result: sum(run.reason is not None for run in _runs(result)))
    best: StudyRunObject | None = at("results.best")
    runs: list[StudyRunObject] = at(_runs)
    statistics: GroupTestObject | None = at(
        lambda result: None if result.results is None else study_test(result.results)
    )
    analytical: MeasureValues | None = at("results.analytical")
    analytical_unscaled: MeasureValues | None = at("results.unscaled")
    files: list[str] = at(lambda result: [*result.files, *(["manifest.json"] if result.results is not None else [])])
    notes: list[str]


ContextStudiesObject = by_value(StudyObject, "splc.study.by/1", "studies", folder=lambda result: str(result.folder))


def advance_by(advance: Callable[[int, int | None, str], None]) -> Callable[[int, int, str], None]:
    """Return the function to call after each task: it moves the progress bar."""

    def show_task(done: int, total: int, text: str) -> None:
        words = f"{done} of {total}"
        advance(done, total, f"{words}: {text}" if text else words)

    return show_task


def end_if_interrupted(result: StudyResult) -> None:
    """End with exit code 130 if tasks are left, and print how to continue."""
    if result.interrupted:
        note(f"interrupted: {result.done} of {result.tasks} runs are done and kept; the same command continues")
        raise typer.Exit(130)


def show(result: StudyResult) -> None:
    """Print the tables, the best model and the place of the files."""
    show_tables(result.tables)
    assert result.results is not None
    best = result.results.best
    if best is not None and best.error is not None:
        say(f"best model: {best.task.label} (learner {best.task.learner.name}), error rate {percentage(best.error)}")
    show_place(result.tasks, result.found, result.files, result.folder)


def show_by(studies: ContextStudies) -> None:
    """Print the study of each value of a context."""
    for value, result in studies.studies.items():
        if result.results is not None:
            say(f"{studies.by} {shown_value(value)}\n")
            show(result)
            say()
    if not studies.interrupted:
        say(f"all values in one table: {studies.folder / TABLE}")


def show_tables(tables: Sequence[Table]) -> None:
    """Print the tables."""
    for table in tables:
        show_table(table)
        say()


def show_place(tasks: int, found: int, files: Sequence[str], folder: Path) -> None:
    """Print the number of runs, how many of them were done before, and the place of their files."""
    done = f", {found} of them done before" if found else ""
    say(f"{counted(tasks, 'run')}{done}; {counted(len(files) + 1, 'file')} in {folder}")
