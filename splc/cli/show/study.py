"""The output of `splc study`: progress, tables, place of the files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from splc.io.tables import Table
    from splc.study import StudyResult


class Shown(Protocol):
    """Results with tables and files."""

    @property
    def tables(self) -> Sequence[Table]:
        """The tables."""

    @property
    def tasks(self) -> int:
        """The number of runs."""

    @property
    def found(self) -> int:
        """The number of runs that were done before."""

    @property
    def files(self) -> Sequence[str]:
        """The files that were written."""

    @property
    def folder(self) -> Path:
        """The results folder."""


# The steps of the progress bar, which starts before the number of runs is known.
STEPS = 1000


def advance_by(advance: Callable[[int, str], None]) -> Callable[[int, int, str], None]:
    """Return the function to call after each task: it moves the progress bar and shows the remaining time."""
    from time import monotonic

    first: list[tuple[int, float]] = []

    def show_task(done: int, total: int, text: str) -> None:
        now = monotonic()
        first.append((done, now))
        found, started = first[0]
        words = f"{done} of {total}"
        if found < done < total:
            left = (now - started) * (total - done) / (done - found)
            words += f", about {remaining_text(left)} left"
        advance(STEPS * done // max(total, 1), f"{words}: {text}" if text else words)

    return show_task


def remaining_text(seconds: float) -> str:
    """Return a duration as text: `40 s`, `12 min`, `3.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def end_if_interrupted(result: StudyResult) -> None:
    """End with exit code 130 if tasks are left, and print how to continue."""
    import typer

    from splc.cli.terminal import note

    if result.interrupted:
        note(f"interrupted: {result.done} of {result.tasks} runs are done and kept; the same command continues")
        raise typer.Exit(130)


def show_tables(result: Shown) -> None:
    """Print the tables."""
    from splc.cli.show.compare import show_table
    from splc.cli.terminal import say

    for table in result.tables:
        show_table(table)
        say()


def show_place(result: Shown) -> None:
    """Print the number of runs and the place of their files."""
    from splc.cli.terminal import say
    from splc.errors import plural

    runs = plural(result.tasks, "run", "runs")
    known = f", {result.found} of them done before" if result.found else ""
    say(f"{runs}{known}; {plural(len(result.files) + 1, 'file', 'files')} in {result.folder}")
