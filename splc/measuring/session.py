"""Sessions of a measurement, which execute the remaining runs of a plan, one by one or in batches, and record each.

In a batch one process measures many configurations and prints a row of CSV for each as it is done. It reads the
configurations as CSV on standard input, or from the file that the placeholder {configurations} names. Of its output the
first line with all columns of properties is the header; its columns of options must distinguish the configurations of
the batch.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from splc.data.configurations import option_column
from splc.errors import listed, plural
from splc.formats.measurements.csv import option_texts
from splc.formats.table import table_text
from splc.io.csv_rows import SEPARATORS, split_line
from splc.measuring import execution
from splc.measuring.execution import Run, RunResult, RunResults, common_failure, execute, failure, load_average, now
from splc.measuring.journal import Journal
from splc.measuring.machine import machine, machine_errors
from splc.measuring.properties import finite_values
from splc.measuring.runner import Ended, birth, end_session
from splc.measuring.setup import GROWING, Setup, corrected, plan_in, require_rows, require_same, require_unsuccessful

CONFIGURATIONS = "configurations"
# No further process is started after this number of consecutive ones that end before their first row.
FRUITLESS = 3
# A function that records a result in the journal, and returns when it is on disk.
Recorder = Callable[[Run, RunResult, Mapping[str, Any]], None]


class StopBatchError(Exception):
    """Raised to end a batch before its process ends."""


def batches(setup: Setup, runs: Sequence[Run]) -> list[list[Run]]:
    """Return the runs in groups of the same repetition and the same values of the options that a batch agrees in."""
    system = setup.configurations.system
    keys = setup.configurations.indices[:, [system.positions[name] for name in setup.batch or ()]].tolist()
    batches_by_key: dict[tuple[Any, ...], list[Run]] = {}
    for row, repetition in runs:
        batches_by_key.setdefault((repetition, *keys[row]), []).append((row, repetition))
    return list(batches_by_key.values())


def run_batches(
    setup: Setup,
    runs: Sequence[Run],
    record: Recorder,
    should_stop: Callable[[], bool],
    on_start: Callable[[int], None] | None = None,
    on_end: Callable[[Mapping[str, Any]], None] | None = None,
) -> None:
    """Run batches, and record every row as it arrives.

    If a process fails or exceeds the time limit after some rows, another one continues with the rest, so that the
    configuration at which it stopped has the whole time limit. If it fails before its first row, that configuration
    has failed. `on_start` is called with each process id, `on_end` with how each process ended.
    """
    for batch in batches(setup, runs):
        unmeasured, fruitless = list(batch), 0
        while unmeasured and not should_stop():
            reader = _BatchReader(setup, unmeasured, record, should_stop)
            ended = _process(setup, unmeasured, reader, on_start)
            if on_end is not None:
                on_end(reader.summary(ended))
            started_with, unmeasured = unmeasured, reader.unmeasured
            if reader.stopped or not unmeasured:
                break
            reason = reader.problem or failure(ended, setup.timeout)
            if reason is None:
                missing = "no row for it" if reader.header else f"no table with {listed(reader.columns)}"
                reason = f"the batch command printed {missing}"
            elif reader.problem is None and len(unmeasured) < len(started_with):
                fruitless = 0
                continue
            elif reader.problem is None:
                fruitless += 1
                record(unmeasured.pop(0), reader.failed(reason, ended), {})
                if fruitless < FRUITLESS or should_stop():
                    continue
                reason = f"not reached, since {FRUITLESS} consecutive processes ended before their first row; {reason}"
            for missed in unmeasured:
                record(missed, reader.failed(reason, ended), {})
            break


def _process(setup: Setup, runs: Sequence[Run], reader: _BatchReader, on_start: Callable[[int], None] | None) -> Ended:
    """Run one process over configurations."""
    rows = setup.configurations[[row for row, _ in runs]]
    text = table_text(rows.system.names, option_texts(rows))
    by_file = CONFIGURATIONS in setup.command.template.extras
    path = Path()
    with ExitStack() as stack:
        if by_file:
            with machine_errors():
                path = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="splc-")), "configurations.csv")
                path.write_text(text, encoding="utf-8")
        process = setup.process(runs[0], configurations=str(path))
        try:
            return process(on_start=on_start, on_line=reader.read, stdin=b"" if by_file else text.encode("utf-8"))
        except StopBatchError:
            return Ended(0)


@dataclass
class _BatchReader:
    """Parser of the rows that a batch process prints; it records them."""

    setup: Setup
    runs: Sequence[Run]
    record: Recorder
    should_stop: Callable[[], bool]
    header: list[str] = field(default_factory=list)
    separator: str = ","
    problem: str | None = None
    stopped: bool = False
    stray: int = 0

    def __post_init__(self) -> None:
        self.pending: dict[tuple[int, ...], Run] = {}
        self.unmeasured = list(self.runs)
        # The places of options in the system and in the table.
        self.options: list[tuple[int, int]] = []
        self.columns = [prop.argument for prop in self.setup.properties]
        self._begin_row()

    def _begin_row(self) -> None:
        self.since, self.started, self.load = time.perf_counter(), now(), load_average()

    def read(self, line: str) -> None:
        """Take a line of output."""
        if not self.header:
            self._read_header(line)
            return
        cells = split_line(line, self.separator)
        if len(cells) != len(self.header):
            self.stray += bool(line.strip())
            return
        options = self.setup.configurations.system.options
        # A value that an option does not have has a negative place.
        places = (option_column(options[position], [cells[place]], ".")[0][0] for position, place in self.options)
        if (run := self.pending.pop(tuple(map(int, places)), None)) is None:
            self.stray += 1
            return
        self.unmeasured.remove(run)
        values, reasons = finite_values(self.setup.properties, lambda prop: cells[self.header.index(prop.argument)])
        seconds, printed = time.perf_counter() - self.since, line[-execution.KEPT :] if reasons else ""
        reason = "; ".join(reasons) or None
        self.record(run, RunResult(values, reason, None, seconds, self.load, self.started, printed), {})
        self._begin_row()
        if self.should_stop():
            self.stopped = True
            raise StopBatchError

    def _read_header(self, line: str) -> None:
        self.separator = max(SEPARATORS, key=line.count)
        cells = [cell.strip() for cell in split_line(line, self.separator)]
        if not set(self.columns) <= set(cells):
            return
        system = self.setup.configurations.system
        places = {system.spellings.get(cell, cell): place for place, cell in enumerate(cells)}
        self.options = [(system.positions[name], places[name]) for name in system.names if name in places]
        indices = self.setup.configurations.indices[[row for row, _ in self.runs]]
        keys = indices[:, [position for position, _ in self.options]].tolist()
        self.pending = {tuple(key): run for key, run in zip(keys, self.runs, strict=True)}
        if len(self.pending) < len(self.runs):
            columns = zip(system.names, indices.T.tolist(), strict=True)
            differing = [name for name, column in columns if len({*column}) > 1]
            missing = listed([name for name in differing if name not in places])
            self.problem = f"the table of the batch command has no column for {missing}"
            raise StopBatchError
        self.header = cells

    def failed(self, reason: str, ended: Ended) -> RunResult:
        """Return the result of a run without a row."""
        seconds = time.perf_counter() - self.since
        out, err = ended.stdout[-execution.KEPT :], ended.stderr[-execution.KEPT :]
        return RunResult({}, reason, ended.exit_code, seconds, self.load, self.started, out, err)

    def summary(self, ended: Ended) -> dict[str, Any]:
        """Return the journal's record of the process."""
        return {
            "kind": "batch",
            "rows": len(self.runs) - len(self.unmeasured),
            "configurations": len(self.runs),
            "stray": self.stray,
            "exit_code": ended.exit_code,
            "timed_out": ended.timed_out,
            "seconds": ended.seconds,
            "stderr": ended.stderr[-execution.KEPT :],
        }


# A function that executes runs; it returns when all are recorded, or when it should stop.
Backend = Callable[[Setup, Sequence[Run], Recorder, Callable[[], bool]], None]


@dataclass
class Progress:
    """The number of runs of all known stages, with warm-ups, of those that are recorded, and of those of this session.

    Of the recorded ones it has the duration, and the number that failed.
    """

    total: int = 0
    done: int = 0
    measured: int = 0
    seconds: float = 0.0
    failed: int = 0

    def seconds_left(self, at_once: int = 1) -> float | None:
        """Return the estimated remaining time, by the mean of the runs so far; None before the first."""
        return (self.total - self.done) * self.seconds / self.done / at_once if self.done else None


@dataclass
class Session:
    """A measurement that is started or continued."""

    setup: Setup
    journal: Journal
    recorded: RunResults
    resumed: int = 0  # runs that were recorded when this session began
    grown: bool = False  # whether more repetitions are requested than in earlier sessions
    ended_leftover: bool = False  # whether a run of a killed session was still running and was ended
    added: int = 0  # the number of configurations that were added to the earlier ones
    corrected: bool = False  # whether failed runs are repeated with another command, or other settings of it

    @classmethod
    def begin(
        cls, setup: Setup, journal: Journal, *, retry_failed: bool = False, restart: bool = False, append: bool = False
    ) -> Session:
        """Start a measurement, or continue the one of the journal.

        `retry_failed`: whether failed runs are repeated, also with another command. `restart`: whether the journal is
        emptied first, which must not have a successful run. `append`: whether there are further configurations.
        """
        description, records, recorded = setup.description(), journal.records, RunResults(setup.property_names)
        session = cls(setup, journal, recorded)
        if restart and records:
            require_unsuccessful(records, journal.path)
            session.ended_leftover = end_leftover(records[-1])
            journal.clear()
        elif records:
            recorded.include(records)
            allowed = corrected(records, description, bool(recorded.failed)) if retry_failed else ()
            session.corrected = bool(allowed)
            growing = GROWING if append else ()
            session.grown = require_same(records, description, journal.path, (*allowed, *growing))
            if append:
                require_rows(records, setup, journal.path)
                plan = plan_in(records)
                assert plan is not None
                session.added = len(setup.configurations) - plan["configurations"]["count"]
            session.ended_leftover = end_leftover(records[-1])
        session.resumed = len(recorded.results)
        if retry_failed:
            # Warm-ups are repeated only if nothing succeeded.
            succeeded = any(result.reason is None for result in recorded.results.values())
            for run in recorded.failed if succeeded else [*recorded.results]:
                recorded.forget(run)
        if session.grown or session.added or session.corrected or not journal.records:
            journal.append(description)
        return session

    @property
    def changes(self) -> list[str]:
        """The differences from the earlier sessions, in sentences."""
        texts = {
            f"{self.journal.path}: an incomplete record is dropped; its run is repeated": self.journal.torn,
            "a run of an earlier session was still running; it was ended": self.ended_leftover,
            "more repetitions are requested than before": self.grown,
            f"{plural(self.added, 'configuration is', 'configurations are')} added": self.added,
            "failed runs are repeated with another command or other settings; finished runs are kept": self.corrected,
        }
        return [text for text, true in texts.items() if true]

    def measure(
        self,
        backend: Backend | None = None,
        should_stop: Callable[[], bool] = lambda: False,
        on_progress: Callable[[Progress], None] = lambda _: None,
        workers: Mapping[str, Any] | None = None,
        *,
        keep_going: bool = True,
    ) -> Progress:
        """Execute the remaining runs, by default one after the other in this process.

        `workers`: the machines of a cluster. `keep_going`: whether to continue if the first runs failed for the same
        reason.
        """
        results = self.recorded.results
        plan, count = self.setup.plan, len(self.setup.configurations)
        seconds = sum(result.seconds for result in results.values())
        progress = Progress(count * (plan.warmup + plan.repeat), len(results), 0, seconds, len(self.recorded.failed))
        session_noted = False

        def ends() -> bool:
            return should_stop() or (not keep_going and common_failure(self.recorded) is not None)

        def record(run: Run, result: RunResult, additional: Mapping[str, Any]) -> None:
            self.journal.append(execution.record_of(run, self.setup.assignments[run[0]], result, **additional))
            self.recorded.add(run, result)
            progress.done += 1
            progress.measured += 1
            progress.seconds += result.seconds
            progress.failed += result.reason is not None and run[1] >= 0
            on_progress(progress)

        for stage in plan.stages(count, self.recorded):
            pending = [run for run in stage if run not in results]
            # Repetitions that deviations require are additional.
            progress.total += sum(repetition >= plan.repeat for _, repetition in stage)
            if not pending:
                continue
            if ends():
                break
            if not session_noted:
                more = {} if workers is None else {"workers": dict(workers)}
                self.journal.append({**session_record(self.journal), **more})
                session_noted = True
            on_progress(progress)
            (backend or self._local)(self.setup, pending, record, ends)
            if any(run not in results for run in pending):
                break
        return progress

    def _local(self, setup: Setup, runs: Sequence[Run], record: Recorder, should_stop: Callable[[], bool]) -> None:
        note = partial(note_start, self.journal)
        if setup.batch is not None:
            run_batches(setup, runs, record, should_stop, note, partial(self.journal.append, sync=False))
            return
        for run in runs:
            if should_stop():
                return
            record(run, execute(setup.process(run), setup.properties, note), {})


def session_record(journal: Journal) -> dict[str, Any]:
    """Return the record with which a session begins."""
    return {
        "kind": "session",
        "number": 1 + sum(record.get("kind") == "session" for record in journal.records),
        "started": now(),
        "load": load_average(),
        "machine": machine(),
    }


def note_start(journal: Journal, process: int) -> None:
    """Record that a process was started."""
    # This record is not synchronised to disk: after a power failure no process is left to end.
    journal.append({"kind": "start", "process": process, "birth": birth(process)}, sync=False)


def end_leftover(last: Mapping[str, Any]) -> bool:
    """End the run of a killed session if it is still running, since it would disturb the next ones."""
    known = last.get("kind") == "start" and last.get("birth") is not None
    if not known or birth(last["process"]) != last["birth"]:
        return False
    end_session(last["process"])
    return True


@dataclass(frozen=True)
class Remaining:
    """The configurations that are left, in order, the number of their runs, and that of all runs up to them."""

    rows: tuple[int, ...]
    runs: int
    total: int


def left_of(setup: Setup, recorded: RunResults) -> Remaining:
    """Return the remaining runs as far as they are known."""
    plan, count = setup.plan, len(setup.configurations)
    runs_per_row, references = plan.warmup + plan.repeat, plan.references(count)
    most = plan.repeat + references
    completed = Counter(row for row, repetition in recorded.results if -plan.warmup <= repetition < most)
    total = count * runs_per_row + references
    if remaining_runs := total - sum(completed.values()):
        # Deviations that require more runs are known only after these.
        rows = (row for row in range(count) if completed[row] < runs_per_row + (0 if row else references))
        return Remaining(tuple(rows), remaining_runs, total)
    for stage in plan.further(count, recorded):
        total += len(stage)
        if pending := [row for row, repetition in stage if (row, repetition) not in recorded.results]:
            return Remaining(tuple(sorted(pending)), len(pending), total)
    return Remaining((), 0, total)
