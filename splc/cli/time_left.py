"""The time that is left of a long command."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from splc.workflows.views import duration

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
