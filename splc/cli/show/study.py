"""What `splc study` shows while it works and when it is done, whatever it is a study of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from splc.io.tables import Table
    from splc.study import StudyResult


class Shown(Protocol):
    """What the tables and the place of results are taken from."""

    @property
    def tables(self) -> Sequence[Table]:
        """The tables."""

    @property
    def tasks(self) -> int:
        """The number of runs."""

    @property
    def found(self) -> int:
        """How many of them were done before."""

    @property
    def files(self) -> Sequence[str]:
        """The files that were written."""

    @property
    def folder(self) -> Path:
        """The results folder."""


# Of the progress bar, which is there before anybody knows how many runs there are.
STEPS = 1000


def advance_by(advance: Callable[[int, str], None]) -> Callable[[int, int, str], None]:
    """Return what is done after each task: move the progress bar, and tell the remaining time."""
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
    """Return a duration for people: `40 s`, `12 min`, `3.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def end_if_interrupted(result: StudyResult) -> None:
    """End with exit code 130 where tasks are left, and say how to go on."""
    import typer

    from splc.cli.terminal import note

    if result.interrupted:
        note(f"interrupted: {result.done} of {result.tasks} runs are done and kept; the same command goes on")
        raise typer.Exit(130)


def show_tables(result: Shown) -> None:
    """Print the tables."""
    from splc.cli.show.compare import show_table
    from splc.cli.terminal import say

    for table in result.tables:
        show_table(table)
        say()


def show_place(result: Shown) -> None:
    """Print how many runs there were, and where their files are."""
    from splc.cli.terminal import say
    from splc.errors import plural

    runs = plural(result.tasks, "run", "runs")
    known = f", {result.found} of them done before" if result.found else ""
    say(f"{runs}{known}; {plural(len(result.files) + 1, 'file', 'files')} in {result.folder}")
