"""Progress of long commands: a bar with the remaining time on a terminal, else a line from time to time."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from splc.cli.detail import detail
from splc.cli.terminal import complain, printable
from splc.cli.time_left import TimeLeft
from splc.workflows.views import duration

# Arguments of a progress update: the numbers of finished and of all steps (None if unknown), and the current step.
Advance = Callable[[float, float | None, str], None]
# Where there is no bar, a line says what is done after this number of seconds, and whenever twice as many have passed.
WAIT = 10.0


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
def _lines_from_time_to_time(what: str, wait: float, *, estimated: bool) -> Iterator[Advance]:
    """Print a line to stderr after some seconds, and whenever twice as many have passed, while the block runs."""
    time_left, started, ended = TimeLeft(), monotonic(), threading.Event()
    state: tuple[float, float | None, str] = (0.0, None, "")

    def advance(steps_done: float, total: float | None, text: str) -> None:
        nonlocal state
        time_left.advance(steps_done, total)
        state = steps_done, total, text

    def print_lines() -> None:
        after = wait
        while not ended.wait(max(started + after - monotonic(), 0.0)):
            done, total, text = state
            share = f"{100 * done / total:.0f} % done" if total and 0 < done <= total else ""
            facts = [text if text != what else "", share, time_left.text if estimated else ""]
            complain(", ".join([f"{what}: {duration(after)} so far", *filter(None, facts)]))
            after *= 2

    printer = threading.Thread(target=print_lines, daemon=True)
    printer.start()
    try:
        yield advance
    finally:
        ended.set()
        # A line that is being printed ends before the results begin.
        printer.join(1.0)


@contextmanager
def progress(what: str, *, estimated: bool = True, wait: float | None = None) -> Iterator[Advance]:
    """Show the progress on stderr while the block runs, unless -q.

    On a terminal it is a bar. With -v it is a line for each step. Without a terminal, and with --json or -v, a line
    says what is done after some seconds, and whenever twice as many have passed.
    """
    if detail().quiet:
        yield lambda steps_done, total, text: None
        return
    # A progress bar would overwrite the lines of -v.
    if detail().verbose or detail().json or not sys.stderr.isatty():
        print_step = _printed_steps() if detail().verbose else lambda steps_done, total, text: None
        with _lines_from_time_to_time(what, WAIT if wait is None else wait, estimated=estimated) as advance:

            def advance_both(steps_done: float, total: float | None, text: str) -> None:
                print_step(steps_done, total, text)
                advance(steps_done, total, text)

            yield advance_both
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
