"""Sessions of a measurement, which execute the remaining runs of a plan and record each before the next one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from splc.errors import plural
from splc.measuring.batch import Recorder, run_batches
from splc.measuring.execution import Run, RunResult, RunResults, common_failure, execute, load_average, now, record_of
from splc.measuring.journal import Journal
from splc.measuring.machine import machine
from splc.measuring.runner import birth, end_session
from splc.measuring.setup import GROWING, Setup, corrected, plan_in, require_rows, require_same, require_unsuccessful

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
        progress = Progress(
            total=count * (plan.warmup + plan.repeat),
            done=len(results),
            seconds=sum(result.seconds for result in results.values()),
            failed=len(self.recorded.failed),
        )
        session_noted = False

        def ends() -> bool:
            return should_stop() or (not keep_going and common_failure(self.recorded) is not None)

        def record(run: Run, result: RunResult, additional: Mapping[str, Any]) -> None:
            self.journal.append(record_of(run, self.setup.assignment(run[0]), result, **additional))
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
    runs_per_row = plan.warmup + plan.repeat
    completed = Counter(row for row, repetition in recorded.results if -plan.warmup <= repetition < plan.repeat)
    total = count * runs_per_row
    if remaining_runs := total - sum(completed.values()):
        # Deviations that require more runs are known only after these.
        return Remaining(tuple(row for row in range(count) if completed[row] < runs_per_row), remaining_runs, total)
    for stage in plan.further(count, recorded):
        total += len(stage)
        if pending := [row for row, repetition in stage if (row, repetition) not in recorded.results]:
            return Remaining(tuple(sorted(pending)), len(pending), total)
    return Remaining((), 0, total)
