"""What `splc study` shows while it works and when it is done, whatever it is a study of."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from splc.study import EvaluationResult, StudyResult

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


def end_if_interrupted(result: StudyResult | EvaluationResult) -> None:
    """End with exit code 130 where tasks are left, and say how to go on."""
    import typer

    from splc.cli.terminal import note

    if result.interrupted:
        note(f"interrupted: {result.done} of {result.tasks} runs are done and kept; the same command goes on")
        raise typer.Exit(130)


def show_tables(result: StudyResult | EvaluationResult) -> None:
    """Print the tables."""
    from splc.cli.compared import show_table
    from splc.cli.terminal import say

    for table in result.tables:
        show_table(table)
        say()


def show_place(result: StudyResult | EvaluationResult) -> None:
    """Print how many runs there were, and where their files are."""
    from splc.cli.terminal import say
    from splc.errors import plural

    runs = plural(result.tasks, "run", "runs")
    known = f", {result.found} of them done before" if result.found else ""
    say(f"{runs}{known}; {plural(len(result.files) + 1, 'file', 'files')} in {result.folder}")
