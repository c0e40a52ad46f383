"""Progress of long commands: a bar with the remaining time on a terminal, else a line from time to time."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from splc.cli.command import Interruption, interruption
from splc.cli.printer import print_item
from splc.cli.terminal import complain, detail, printable
from splc.workflows.views import Item, Watch, duration

# Arguments of a progress update: the numbers of finished and of all steps (None if unknown), and the current step.
Advance = Callable[[float, float | None, str], None]
# Where there is no bar, a line says what is done after this number of seconds, and whenever twice as many have passed.
WAIT = 10.0
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


@contextmanager
def _lines_from_time_to_time(what: str, wait: float, *, estimated: bool, steps: bool) -> Iterator[Advance]:
    """Print a line to stderr after some seconds, and whenever twice as many have passed, while the block runs."""
    time_left, started, ended = TimeLeft(), monotonic(), threading.Event()
    state: tuple[float, float | None, str] = (0.0, None, "")
    printed = ""

    def advance(steps_done: float, total: float | None, text: str) -> None:
        nonlocal state, printed
        if steps and text not in ("", printed):
            complain(text)
            printed = text
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
    """Show the progress on stderr unless -q: a bar on a terminal, else lines from time to time; with -v, each step."""
    if detail().quiet:
        yield lambda steps_done, total, text: None
        return
    # A progress bar would overwrite the lines of -v.
    if detail().verbose or detail().json or not sys.stderr.isatty():
        wait = WAIT if wait is None else wait
        with _lines_from_time_to_time(what, wait, estimated=estimated, steps=detail().verbose) as advance:
            yield advance
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


class TerminalWatch(Watch):
    """A watch that prints to stderr, and what it is shown as a view is printed."""

    def __init__(self) -> None:
        self.detail = detail()
        self._advance: Advance = super().advance
        self._interruption: Interruption | None = None

    def advance(self, done: float, total: float | None, text: str) -> None:
        """Move the progress bar."""
        self._advance(done, total, text)

    def show(self, *items: Item) -> None:
        """Print items."""
        for item in items:
            print_item(item)

    def stop(self) -> bool:
        """Return whether an end was requested."""
        return self._interruption is not None and self._interruption()

    def keep(self, kept: bool = True) -> None:
        """Let requests to end wait for the current step from now on, or not."""
        if self._interruption is not None and kept:
            self._interruption.kept = True
        elif self._interruption is not None:
            self._interruption.end_at_once()

    @contextmanager
    def patient(self, after: str, *, kept: bool = True, lost: str = "", by_key: bool = False) -> Iterator[None]:
        """Let a request to end wait for the current step while the block runs."""
        signals = (signal.SIGINT,) if by_key else (signal.SIGINT, signal.SIGTERM)
        with interruption(after, signals, kept=kept, lost=lost) as self._interruption:
            yield

    @contextmanager
    def progress(self, what: str, *, estimated: bool = True) -> Iterator[None]:
        """Show a progress bar while the block runs."""
        with progress(what, estimated=estimated) as self._advance:
            yield
        self._advance = super().advance
