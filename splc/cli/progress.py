"""Progress of long commands on a terminal, with the remaining time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from splc.cli.detail import detail
from splc.cli.terminal import complain, duration, printable

# Arguments of a progress update: the numbers of finished and of all steps (None if unknown), and the current step.
Advance = Callable[[float, float | None, str], None]
# An estimate of the remaining time is not shown before this number of seconds.
EARLIEST = 2.0


class TimeLeft:
    """An estimate of the time that is left, from the share of the steps that were finished in the time so far.

    The first call is the start: what was finished before it, such as by an earlier command, took no time.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.clock = clock
        self.started = clock()
        self.before: float | None = None
        self.end: float | None = None

    def advance(self, done: float, total: float | None) -> None:
        """Take the number of finished steps into account."""
        now_seconds = self.clock()
        if self.before is None:
            self.before = done if done > 0 and now_seconds - self.started < EARLIEST else 0.0
        if total is None or not self.before < done <= total:
            self.end = None
        else:
            self.end = now_seconds + (now_seconds - self.started) * (total - done) / (done - self.before)

    @property
    def text(self) -> str:
        """The remaining time in words, empty if it is not known yet."""
        now_seconds = self.clock()
        if self.end is None or now_seconds - self.started < EARLIEST or self.end <= now_seconds:
            return ""
        return f"about {duration(self.end - now_seconds)} left"


def _printed_steps() -> Advance:
    """Return a function that prints each step as a line, once."""
    last = ""

    def print_step(steps_done: float, total: float | None, text: str) -> None:
        nonlocal last
        if text and text != last:
            complain(text)
            last = text

    return print_step


@contextmanager
def progress(what: str, *, estimated: bool = True) -> Iterator[Advance]:
    """Show a progress bar on stderr while the block runs, if stderr is a terminal, and without --json and -q.

    With -v the steps are lines on stderr instead.

    Args:
        what: what is done.
        estimated: whether the time that is left is estimated here, not stated with the current step.

    Yields:
        A function of (finished steps, all steps, current step) that moves the bar.
    """
    if detail().verbose:
        # A progress bar would overwrite the lines.
        yield _printed_steps()
        return
    if not (sys.stderr.isatty() and detail().interactive):
        yield lambda steps_done, total, text: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
    from rich.text import Text

    time_left = TimeLeft()

    class Left(ProgressColumn):
        """The remaining time."""

        def render(self, task: Task) -> Text:
            return Text(time_left.text)

    columns = [TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn()]
    with Progress(*columns, *([Left()] if estimated else []), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def advance(steps_done: float, total: float | None, text: str) -> None:
            time_left.advance(steps_done, total)
            bar.update(task, completed=steps_done, total=total, description=printable(text or what))

        yield advance
