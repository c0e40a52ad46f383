"""Execution of one run, from the argument vector to the values."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from splc.errors import shorten
from splc.measuring.properties import Property, extract
from splc.measuring.runner import Ended, run

# The number of characters kept from the end of the output of a failed run: enough for a stack trace.
KEPT = 4000


@dataclass(frozen=True)
class Job:
    """A run to do.

    Attributes:
        arguments: the argument vector.
        properties: the properties to read from its output.
        executable: the program, None: as the first argument names it.
        folder: where it runs, None: where this process does.
        environment: variables added to the environment.
        timeout: seconds until it is stopped, None: never.
    """

    arguments: tuple[str, ...]
    properties: tuple[Property, ...]
    executable: str | None = None
    folder: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    timeout: float | None = None

    def run(
        self,
        on_start: Callable[[int], None] | None = None,
        on_line: Callable[[str], None] | None = None,
        stdin: bytes = b"",
    ) -> Ended:
        """Run the process (see `splc.measuring.runner.run`)."""
        return run(
            self.arguments,
            executable=self.executable,
            folder=self.folder,
            environment=self.environment,
            timeout=self.timeout,
            stdin=stdin,
            on_start=on_start,
            on_line=on_line,
        )


@dataclass(frozen=True)
class RunResult:
    """The result of a run.

    Attributes:
        values: property → its value; all of them where the run succeeded.
        reason: why it failed, None where it succeeded.
        exit_code: its exit code (negative: a signal), None if it never started or belongs to a batch.
        seconds: wall seconds from start to end.
        load: the load average over a minute at its start, None where the system has none.
        started: time of day at its start, UTC.
        stdout: the end of what a failed run printed.
        stderr: the same of standard error.
    """

    values: Mapping[str, float]
    reason: str | None = None
    exit_code: int | None = None
    seconds: float = 0.0
    load: float | None = None
    started: str = ""
    stdout: str = ""
    stderr: str = ""


def execute(job: Job, on_start: Callable[[int], None] | None = None) -> RunResult:
    """Run a command and return its result, also if it failed."""
    load, started = load_average(), now()
    ended = job.run(on_start)
    values, reasons = dict[str, float](), list[str]()
    reason = failure(ended, job.timeout)
    if ended.exit_code is not None:
        values, reasons = extract(job.properties, ended)
    reason = reason or "; ".join(reasons) or None
    printed = () if reason is None else (ended.stdout[-KEPT:], ended.stderr[-KEPT:])
    return RunResult(values, reason, ended.exit_code, ended.seconds, load, started, *printed)


def failure(ended: Ended, timeout: float | None) -> str | None:
    """Return why a process failed, None if it succeeded."""
    if ended.error is not None:
        return ended.error
    if ended.timed_out:
        return f"stopped after the time limit of {timeout:g} s"
    code = ended.exit_code or 0
    lines = ended.stderr.strip().split("\n")
    # GNU programs say first what is wrong, and end with "Try 'sort --help' for more information."
    reason = lines[0] if lines[-1].startswith("Try ") else lines[-1]
    because = f": {shorten(reason)}" if reason else ""
    if code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return f"ended by {name}{because}"
    return f"exit code {code}{because}" if code else None


def load_average() -> float | None:
    """Return the load average of the last minute."""
    try:
        return round(os.getloadavg()[0], 2)
    except OSError:
        return None


def now() -> str:
    """Return the time of day, UTC."""
    return datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="milliseconds")
