"""The execution of runs, from the argument vector to the values, and their results, as a journal has them."""

from __future__ import annotations

import os
import re
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any, TypeAlias

from splc.errors import shorten
from splc.measuring.journal import Record
from splc.measuring.properties import Property, extract
from splc.measuring.runner import Ended

# The number of characters kept from the end of the output of a failed run: enough for a stack trace.
KEPT = 4000
# After this number of failures for the same reason, the command itself is probably wrong.
FIRST = 3
_NUMBER = re.compile(r"\d+(\.\d+)?")
# `splc.measuring.runner.run` with the arguments of a process.
Process: TypeAlias = "partial[Ended]"
# A configuration (its row) and a repetition; negative ones are warm-ups.
Run = tuple[int, int]


@dataclass(frozen=True)
class RunResult:
    """The result of a run."""

    values: Mapping[str, float]  # property → its value; all of them where the run succeeded
    reason: str | None = None  # why it failed, None where it succeeded
    exit_code: int | None = None  # its exit code (negative: a signal), None if it never started or belongs to a batch
    seconds: float = 0.0
    load: float | None = None  # the load average over a minute at its start, None where the system has none
    started: str = ""  # time of day at its start, UTC
    stdout: str = ""  # the end of what a failed run printed, as `stderr`
    stderr: str = ""


def execute(
    process: Process, properties: Sequence[Property], on_start: Callable[[int], None] | None = None
) -> RunResult:
    """Run a process and return its result, also if it failed."""
    load, started = load_average(), now()
    ended = process(on_start=on_start)
    values, reasons = dict[str, float](), list[str]()
    reason = failure(ended, process.keywords.get("timeout"))
    if ended.exit_code is not None:
        values, reasons = extract(properties, ended)
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


@dataclass
class RunResults:
    """The results so far with the names of the properties; a later result of a run replaces an earlier one."""

    properties: Sequence[str]
    results: dict[Run, RunResult] = field(default_factory=dict)
    _rows: dict[int, dict[int, RunResult]] = field(default_factory=dict)

    def add(self, run: Run, result: RunResult) -> None:
        """Add the result of a run."""
        self.results[run] = result
        row, repetition = run
        if repetition >= 0:
            self._rows.setdefault(row, {})[repetition] = result

    def include(self, records: Iterable[Record]) -> None:
        """Add the results in the records of a journal."""
        for record in records:
            if record.get("kind") == "run":
                self.add((record["row"], record["repetition"]), result_of(record))

    def forget(self, run: Run) -> None:
        """Remove a result, so that the run is repeated."""
        del self.results[run]
        self._rows.get(run[0], {}).pop(run[1], None)

    def of(self, row: int) -> list[tuple[int, RunResult]]:
        """Return the repetitions of a configuration with their results, in order."""
        return sorted(self._rows.get(row, {}).items())

    def first_values(self, row: int, below: int | None = None) -> list[float]:
        """Return the values of the first property of a configuration, of successful runs, in order of repetition."""
        return [
            result.values[self.properties[0]]
            for repetition, result in self.of(row)
            if result.reason is None and (below is None or repetition < below)
        ]

    @property
    def failed(self) -> list[Run]:
        """The repetitions that failed, by configuration; failed warm-ups are not among them."""
        return sorted(run for run, result in self.results.items() if result.reason is not None and run[1] >= 0)

    def mean_seconds(self) -> float | None:
        """Return the mean duration of a run so far, None before the first."""
        durations = [result.seconds for result in self.results.values()]
        return sum(durations) / len(durations) if durations else None


def common_failure(recorded: RunResults) -> str | None:
    """Return why the first runs failed, if none succeeded and all of them failed for the same reason, else None.

    Reasons that differ in numbers only are the same.
    """
    results = recorded.results.values()
    reasons = [result.reason for result in islice(results, FIRST)]
    normalized_reasons = {None if reason is None else _NUMBER.sub("0", reason) for reason in reasons}
    if len(reasons) < FIRST or len(normalized_reasons) > 1 or any(result.reason is None for result in results):
        return None
    return reasons[0]


def failure_reasons(recorded: RunResults) -> tuple[tuple[str, int], ...]:
    """Return the reasons why runs failed, each with the number of runs, most frequent first."""
    reasons = Counter(recorded.results[run].reason or "" for run in recorded.failed)
    return tuple(sorted(reasons.items(), key=lambda reason_count: (-reason_count[1], reason_count[0])))


def record_of(run: Run, assignment: Mapping[str, float | None], result: RunResult, **more: Any) -> dict[str, Any]:
    """Return the journal's record of a run."""
    record: dict[str, Any] = {
        "kind": "run",
        "row": run[0],
        "repetition": run[1],
        "configuration": dict(assignment),
        "status": "ok" if result.reason is None else "failed",
        "values": dict(result.values),
        "seconds": result.seconds,
        "started": result.started,
        "load": result.load,
        "exit_code": result.exit_code,
        **more,
    }
    if result.reason is not None:
        record |= {"reason": result.reason, "stdout": result.stdout, "stderr": result.stderr}
    return record


def result_of(record: Record) -> RunResult:
    """Return the result in a journal's record of a run."""
    return RunResult(**{entry.name: record[entry.name] for entry in fields(RunResult) if entry.name in record})
