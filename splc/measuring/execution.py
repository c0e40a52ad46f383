"""The runs of a measurement: their plan, their execution, from the argument vector to the values, and their results."""

from __future__ import annotations

import math
import os
import re
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from functools import partial
from itertools import chain, islice
from typing import Any, Literal, TypeAlias

import numpy as np

from splc.errors import Problems, SpecError, shorten
from splc.measuring.journal import Record
from splc.measuring.properties import Property, extract
from splc.measuring.runner import Ended

# The number of characters kept from the end of the output of a failed run: enough for a stack trace.
KEPT = 4000
# After this number of failures for the same reason, the command itself is probably wrong.
FIRST = 3
_NUMBER = re.compile(r"(?<!exit code )\b\d+(\.\d+)?")
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
    # A process that was not started has no values.
    values, reasons = extract(() if ended.exit_code is None else properties, ended)
    reason = failure(ended, process.keywords.get("timeout")) or "; ".join(reasons) or None
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
        found = [(at, result) for at, result in self.of(row) if below is None or at < below]
        return [result.values[self.properties[0]] for _, result in found if result.reason is None]

    @property
    def failed(self) -> list[Run]:
        """The repetitions that failed, by configuration; failed warm-ups are not among them."""
        return sorted(run for run, result in self.results.items() if result.reason is not None and run[1] >= 0)

    def mean_seconds(self) -> float | None:
        """Return the mean duration of a run so far, None before the first."""
        durations = [result.seconds for result in self.results.values()]
        return sum(durations) / len(durations) if durations else None


def common_failure(recorded: RunResults) -> str | None:
    """Return why the first runs failed, if all of them failed for the same reason (but for numbers), else None."""
    results = recorded.results.values()
    reasons = [result.reason for result in islice(results, FIRST)]
    normalized_reasons = {None if reason is None else _NUMBER.sub("0", reason) for reason in reasons}
    if len(reasons) < FIRST or len(normalized_reasons) > 1 or any(result.reason is None for result in results):
        return None
    return reasons[0]


def failure_reasons(recorded: RunResults) -> tuple[tuple[str, int], ...]:
    """Return why runs failed, with the number of runs, most frequent first; `N` is a number that differs."""
    reasons = [recorded.results[run].reason or "" for run in recorded.failed]
    kinds = [_NUMBER.sub("N", reason) for reason in reasons]
    pairs, last = [*zip(kinds, reasons, strict=True)], dict(zip(kinds, reasons, strict=True))
    differing = {kind for kind, reason in pairs if reason != last[kind]}
    counts = Counter(kind if kind in differing else reason for kind, reason in pairs)
    return tuple(sorted(counts.items(), key=lambda reason_count: (-reason_count[1], reason_count[0])))


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


Order = Literal["repetition", "random"]
# The default limit of repetitions that a limit of the deviation may require.
MOST = 10
# The limit of all counts of a plan, far beyond what can be measured.
LIMIT = 10**15
# The runs of a stage are listed in parts of about this number.
PART = 100_000


@dataclass(frozen=True)
class Plan:
    """The number and the order of the runs of each configuration."""

    repeat: int = 1  # repetitions of each configuration
    warmup: int = 0  # runs of each configuration before those, not used
    # 'repetition': all configurations once, then all again; 'random': shuffled (long plans part by part)
    order: Order = "repetition"
    seed: int = 0  # of the shuffling
    # repeat a configuration until the relative standard deviation of its values of the first property is at most this
    # (0.1: 10 %); None for no limit
    max_deviation: float | None = None
    max_repeat: int = MOST  # but not more often than this
    # blocks of this many runs in random order, each after a run of the first configuration, the reference; None: none
    block: int | None = None

    def __post_init__(self) -> None:
        problems = Problems()
        for number, noun in ((max(self.repeat, self.max_repeat), "repetitions"), (self.warmup, "warm-ups")):
            if number > LIMIT:
                problems.add(f"so many {noun} are too many; at most {LIMIT:,} are possible")
        if self.repeat < 1:
            problems.add(f"at least one repetition is needed, not {self.repeat}")
        if self.warmup < 0:
            problems.add(f"there cannot be {self.warmup} warm-up runs")
        if self.seed < 0:
            problems.add(f"the seed must be at least 0, not {self.seed}")
        if self.max_deviation is not None:
            if not 0 < self.max_deviation < math.inf:
                problems.add(f"the deviation must be positive, not {self.max_deviation:g}", hint="0.1 is 10 %")
            if self.max_repeat < max(self.repeat, 2):
                hint = "a deviation needs at least two values, and at least as many as are made anyway"
                text = f"at most {self.max_repeat} repetitions cannot bring the deviation of {self.repeat} down"
                problems.add(text, hint=hint)
        if self.block is not None and self.block < 1:
            problems.add(f"a block needs at least one run, not {self.block}")
        if self.block is not None and (self.order != "random" or self.max_deviation is not None):
            problems.add("blocks need a random order and a given number of repetitions", hint="write --order random")
        problems.raise_if_any(SpecError)

    def blocks(self, count: int) -> list[list[Run]]:
        """Return the runs of each block of so many configurations; the reference is a further repetition of row 0."""
        assert self.block is not None
        runs = self._ordered([(row, repetition) for repetition in range(self.repeat) for row in range(count)], 1)
        starts = range(0, len(runs), self.block)
        return [[(0, self.repeat + at), *runs[start : start + self.block]] for at, start in enumerate(starts)]

    def references(self, count: int) -> int:
        """Return the number of runs of the reference."""
        return 0 if self.block is None else math.ceil(count * self.repeat / self.block)

    def stages(self, count: int, recorded: RunResults) -> Iterator[list[Run]]:
        """Yield lists of runs; each may depend on what was recorded of those before.

        The runs depend only on values, not on when or in which session they were measured, so that an
        interrupted and resumed measurement requires the same runs.
        """
        yield from self._parts(count, range(-self.warmup, 0), 0)
        if self.block is not None:
            yield list(chain.from_iterable(self.blocks(count)))
            return
        yield from self._parts(count, range(self.repeat), 1)
        yield from self.further(count, recorded)

    def further(self, count: int, recorded: RunResults) -> Iterator[list[Run]]:
        """Yield the stages that values require which deviate too much."""
        if self.max_deviation is None:
            return
        for repetition in range(self.repeat, self.max_repeat):
            rows = self.unsettled(range(count), recorded, repetition)
            if not rows:
                return
            yield self._ordered([(row, repetition) for row in rows], 2 + repetition)

    def unsettled(self, rows: Sequence[int], recorded: RunResults, below: int | None = None) -> list[int]:
        """Return the configurations whose values deviate by more than the limit; a single value is not enough.

        Configurations without any value are not among them, since repeating a failure does not help. `below`: only
        repetitions before this one count.
        """
        if self.max_deviation is None:
            return []
        values_by_row = {row: values for row in rows if (values := recorded.first_values(row, below))}
        return [row for row, values in values_by_row.items() if relative_deviation(values) > self.max_deviation]

    def _parts(self, count: int, repetitions: range, stage: int) -> Iterator[list[Run]]:
        """Yield the runs of some repetitions of all configurations, a part of the repetitions at a time."""
        step = max(1, PART // max(count, 1))
        for part_index, start in enumerate(range(repetitions.start, repetitions.stop, step)):
            block = range(start, min(start + step, repetitions.stop))
            yield self._ordered([(row, repetition) for repetition in block for row in range(count)], stage, part_index)

    def _ordered(self, runs: list[Run], stage: int, part_index: int = 0) -> list[Run]:
        if self.order == "repetition":
            return runs
        seed = [self.seed, stage, part_index] if part_index else [self.seed, stage]
        run_order = np.random.default_rng(seed).permutation(len(runs))
        return [runs[run_index] for run_index in run_order.tolist()]


def relative_deviation(values: Sequence[float]) -> float:
    """Return the standard deviation (of a sample, n - 1) over the absolute mean; infinite for a single value."""
    if len(values) < 2:
        return math.inf
    array = np.array(values, dtype=float)
    largest = float(np.abs(array).max())
    if largest == 0 or (array == array[0]).all():
        return 0.0
    # Scaled, since squares of huge values overflow and those of tiny values underflow.
    scaled = array / largest
    mean = abs(float(scaled.mean()))
    return float(scaled.std(ddof=1)) / mean if mean > 0 else math.inf


@dataclass(frozen=True)
class Scatter:
    """The median and the largest relative standard deviation (0.01: 1 %) of configurations with several values."""

    name: str
    configurations: int
    median: float
    largest: float
    row: int


def scatters(recorded: RunResults) -> tuple[Scatter, ...]:
    """Return the scatter of each property that was measured repeatedly; warm-ups and failed runs do not count."""
    values: dict[str, dict[int, list[float]]] = {name: {} for name in recorded.properties}
    for (row, repetition), result in sorted(recorded.results.items()):
        if repetition >= 0 and result.reason is None:
            for name, rows in values.items():
                rows.setdefault(row, []).append(result.values[name])
    results = []
    for name, rows in values.items():
        deviations = {row: relative_deviation(row_values) for row, row_values in rows.items() if len(row_values) > 1}
        if deviations:
            worst = max(deviations, key=deviations.__getitem__)
            median = float(np.median(list(deviations.values())))
            results.append(Scatter(name, len(deviations), median, deviations[worst], worst))
    return tuple(results)
