"""Sessions of a measurement, which execute the remaining runs of a plan and record each before the next one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from splc.errors import plural
from splc.measuring.batch import Recorder, run_batches
from splc.measuring.continuation import GROWING, corrected, plan_in, require_rows
from splc.measuring.execution import RunResult, execute, load_average, now
from splc.measuring.journal import Journal
from splc.measuring.machine import machine
from splc.measuring.run_results import Run, RunResults, common_failure, record_of
from splc.measuring.runner import birth, end_session
from splc.measuring.setup import Setup, require_same, require_unsuccessful

# A function that executes runs; it returns when all are recorded, or when it should stop.
Backend = Callable[[Setup, Sequence[Run], Recorder, Callable[[], bool]], None]


@dataclass
class Progress:
    """The progress of a measurement.

    Attributes:
        total: runs of all stages that are known so far, warm-ups included.
        done: the number of recorded runs.
        measured: the number of runs of this session.
        seconds: the duration of the recorded runs.
        failed: how many of them failed.
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
    """A measurement that is started or continued.

    Attributes:
        setup: what is measured.
        journal: the record of all runs.
        recorded: the results.
        resumed: runs that were recorded when this session began.
        grown: whether more repetitions are requested than in earlier sessions.
        ended_leftover: whether a run of a killed session was still running and was ended.
        added: the number of configurations that were added to the earlier ones.
        corrected: whether failed runs are repeated with another command, or other settings of it.
    """

    setup: Setup
    journal: Journal
    recorded: RunResults
    resumed: int
    grown: bool
    ended_leftover: bool
    added: int = 0
    corrected: bool = False

    @classmethod
    def begin(
        cls,
        setup: Setup,
        journal: Journal,
        *,
        retry_failed: bool = False,
        restart: bool = False,
        append: bool = False,
    ) -> Session:
        """Start a measurement, or continue the one of the journal.

        Args:
            setup: what is measured.
            journal: its journal.
            retry_failed: whether failed runs are repeated, also with another command.
            restart: whether the journal is emptied first, which must not have a successful run.
            append: whether the measurement has further configurations, after those of the journal.
        """
        description = setup.description()
        recorded = RunResults(setup.property_names)
        grown = leftover = False
        added, correct = 0, False
        if restart and journal.records:
            require_unsuccessful(journal.records, journal.path)
            leftover = end_leftover(journal.records[-1])
            journal.clear()
        elif journal.records:
            recorded.include(journal.records)
            allowed = corrected(journal.records, description, bool(recorded.failed)) if retry_failed else ()
            correct = bool(allowed)
            grown = require_same(journal.records, description, journal.path, (*allowed, *(GROWING if append else ())))
            if append:
                require_rows(journal.records, setup, journal.path)
                plan = plan_in(journal.records)
                assert plan is not None
                added = len(setup.configurations) - plan["configurations"]["count"]
            leftover = end_leftover(journal.records[-1])
        resumed = len(recorded.results)
        if retry_failed:
            # Warm-ups are repeated only if nothing succeeded.
            succeeded = any(result.reason is None for result in recorded.results.values())
            for run in recorded.failed if succeeded else [*recorded.results]:
                recorded.forget(run)
        if grown or added or correct or not journal.records:
            journal.append(description)
        return cls(setup, journal, recorded, resumed, grown, leftover, added, correct)

    @property
    def changes(self) -> list[str]:
        """What is different from the earlier sessions, in sentences."""
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
        """Execute the remaining runs.

        Args:
            backend: the function that does the runs; None is this process, one after the other.
            should_stop: whether to stop after the current run.
            on_progress: called after every run.
            workers: the machines of a cluster.
            keep_going: whether to continue if the first runs failed for the same reason.
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
            pending = [run for run in stage if run not in self.recorded.results]
            # Repetitions that deviations require are additional.
            progress.total += sum(repetition >= plan.repeat for _, repetition in stage)
            if not pending:
                continue
            if ends():
                break
            if not session_noted:
                self._note_session(workers)
                session_noted = True
            on_progress(progress)
            (backend or self._local)(self.setup, pending, record, ends)
            if any(run not in self.recorded.results for run in pending):
                break
        return progress

    def _note_session(self, workers: Mapping[str, Any] | None) -> None:
        session = session_record(self.journal)
        self.journal.append(session if workers is None else {**session, "workers": dict(workers)})

    def _local(self, setup: Setup, runs: Sequence[Run], record: Recorder, should_stop: Callable[[], bool]) -> None:
        if setup.batch is not None:
            run_batches(setup, runs, record, should_stop, self._note_start, self._note)
            return
        for run in runs:
            if should_stop():
                return
            record(run, execute(setup.job(run), self._note_start), {})

    def _note_start(self, process: int) -> None:
        note_start(self.journal, process)

    def _note(self, record: Mapping[str, Any]) -> None:
        self.journal.append(record, sync=False)


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
    if last.get("kind") != "start" or last.get("birth") is None:
        return False
    process = last["process"]
    if birth(process) != last["birth"]:
        return False
    end_session(process)
    return True


@dataclass(frozen=True)
class Remaining:
    """The remaining runs, as far as they are known.

    Attributes:
        rows: the configurations that are left, in order.
        runs: the number of runs that are left.
        total: the number of runs up to them.
    """

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
