"""Sessions of a tuning run: run a command for each trial, and record both before the next trial."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any

from sampling.command_strings import output_strings
from splc.data.configurations import Configurations
from splc.errors import InputError, Problem
from splc.formats.measurements.csv import with_groups
from splc.measuring.command import OPTIONS, Template, bind, program
from splc.measuring.execution import Plan, Process, RunResult, RunResults, common_failure, execute, record_of, result_of
from splc.measuring.journal import Journal, Record
from splc.measuring.properties import Property
from splc.measuring.runner import end_session, ended_with_run
from splc.measuring.session import end_leftover, note_start, session_record
from splc.measuring.setup import FORMAT, Setup, require_same, require_unsuccessful, system_description
from splc.tuning.history import TrialOutcome, TuningTrial
from splc.tuning.tuner import Tuner

# The ways to continue the journal of a tuning run, also with other settings.
CONTINUATION = "continue it with --resume, also with a larger --budget"
_CORRECTION = "--budget and --for may be larger, and --from learns from the runs of another tuning run"
_VERIFYING = 0.3  # the runs that verify have at most this share of the time


@dataclass(frozen=True)
class TunedCommand:
    """The command of a tuning run."""

    template: Template  # its template
    properties: tuple[Property, ...]  # what is read from each run
    folder: str | None = None  # where it runs, None: where this process does
    environment: Mapping[str, str] | None = None  # variables added to the environment
    timeout: float | None = None  # seconds of a run, None: no limit
    contexts: Mapping[str, str] = field(default_factory=dict)  # columns of the table: context → value

    def setup(self, configurations: Configurations) -> Setup:
        """Return the setup of runs of configurations."""
        texts = output_strings(configurations) if OPTIONS in self.template.extras else None
        bound = bind(self.template, configurations, texts)
        environment = dict(self.environment or {})
        programs = {name: program(name, self.folder or ".", environment.get("PATH")) for name in bound.programs}
        settings = (self.folder, environment, self.timeout, None, self.contexts)
        return Setup(bound, configurations, self.properties, Plan(), programs, *settings)

    def process(self, configuration: Configurations, trial: TuningTrial) -> Process:
        """Return the process of a trial, which ends where its value could not be the best."""
        process = self.setup(configuration).process((0, trial.repetition))
        if trial.at_most is None:
            return process
        return partial(process, timeout=min(trial.at_most, self.timeout or math.inf))


@dataclass
class TuningSession:
    """A tuning run that is started or continued."""

    tuner: Tuner  # asks for the runs
    command: TunedCommand  # does them
    journal: Journal  # the record of all trials and runs
    recorded: RunResults  # the results of runs
    resumed: int = 0  # the number of runs that were recorded when it began
    ended_leftover: bool = False  # whether runs of a killed session were still running and were ended
    out_of_time: bool = False  # whether runs are left because its time is over
    extended: bool = False  # whether this session has a larger budget than those before
    # Threads note the processes that they start.
    _lock: Lock = field(default_factory=Lock)
    _processes: dict[int, int] = field(default_factory=dict)

    @classmethod
    def begin(
        cls, tuner: Tuner, command: TunedCommand, journal: Journal, about: Mapping[str, Any], *, restart: bool
    ) -> TuningSession:
        """Start a tuning run, or continue the one of the journal."""
        session = cls(tuner, command, journal, RunResults([metric.name for metric in command.properties]))
        description = session._description(about)
        if restart and journal.records:
            require_unsuccessful(journal.records, journal.path, CONTINUATION)
            session.ended_leftover = any([*map(end_leftover, journal.records)])
            journal.clear()
        elif journal.records:
            more_runs = require_same(journal.records, description, journal.path, correction=_CORRECTION)
            session.ended_leftover = any([*map(end_leftover, journal.records)])
            tuner.budget = journal.records[0]["budget"]
            latest = journal.records[0]
            for record in journal.records:
                if record.get("kind") == "plan" and record is not latest:
                    latest = record
                    tuner.extend(record["budget"])
                session._replay(record)
            session.resumed = len(tuner.history.asked_for)
            more_time = (latest.get("seconds") or math.inf) < (description["seconds"] or math.inf)
            session.extended = more_runs or (more_time and tuner.done)
            if session.extended:
                tuner.extend(description["budget"])
                journal.append(description)
        if not journal.records:
            journal.append(description)
        return session

    @property
    def changes(self) -> list[str]:
        """The differences from the earlier sessions, in sentences."""
        texts = {
            f"{self.journal.path}: an incomplete record is dropped; its run is repeated": self.journal.torn,
            "a run of an earlier session was still running; it was ended": self.ended_leftover,
            "the budget is larger than before: the search continues, and is verified again": self.extended,
        }
        return [text for text, applies in texts.items() if applies]

    def _description(self, about: Mapping[str, Any]) -> dict[str, Any]:
        system = self.tuner.system
        return {
            "kind": "plan",
            "format": FORMAT,
            "system": system_description(system),
            "command": self.command.template.text,
            "properties": [str(metric) for metric in self.command.properties],
            "folder": self.command.folder,
            "environment": dict(self.command.environment or {}),
            "timeout": self.command.timeout,
            # Journals of runs without contexts do not state them.
            **({"contexts": dict(self.command.contexts)} if self.command.contexts else {}),
            **about,
            # Not compared: the columns of the table that are options.
            "columns": with_groups(system, [[]] * len(system.names))[0],
        }

    def _replay(self, record: Record) -> None:
        if record.get("kind") == "tune":
            trial = self.tuner.ask()
            if trial is None or trial.configuration != record["configuration"] or trial.why != record["why"]:
                hint = "continue with the version of splc that wrote it"
                message = f"run {record['trial']} of the journal is not the one that the search asks for"
                raise InputError(Problem(message, self.journal.path, hint=hint))
        elif record.get("kind") == "run":
            pending = {trial.number: trial for trial in self.tuner.history.pending}
            self._tell(pending[record["trial"]], record)
        elif record.get("kind") == "verify":
            self.tuner.end_search()

    def _tell(self, trial: TuningTrial, record: Record) -> None:
        result = result_of(record)
        self.recorded.add((trial.row, trial.repetition), result)
        if result.reason is None:
            self.tuner.tell(trial, result.values)
        else:
            self.tuner.tell(trial, failed=result.reason, at_least=record.get("at_least"))

    def run(
        self,
        should_stop: Callable[[], bool] = lambda: False,
        on_run: Callable[[TrialOutcome], None] = lambda outcome: None,
        *,
        keep_going: bool = False,
        workers: int = 1,
        seconds: float | None = None,
    ) -> None:
        """Do the remaining runs; the search ends so early that runs which verify have some of the seconds, too."""
        clock = _Clock(self.journal.records, self.recorded, workers, seconds)

        def ends() -> bool:
            self.out_of_time = clock.used >= clock.limit and not self.tuner.done
            return should_stop() or self.out_of_time or not (keep_going or common_failure(self.recorded) is None)

        with ExitStack() as stack:
            pool = None
            if workers > 1:
                # The end of a run does not end what adopts the processes of the others.
                stack.enter_context(ended_with_run())
                pool = stack.enter_context(ThreadPoolExecutor(workers))
            running: dict[Future[RunResult], TuningTrial] = {}
            begun = False
            try:
                while True:
                    while len(running) < workers and not ends():
                        if self.tuner.searches and clock.must_verify(self.tuner.reserve):
                            self.tuner.end_search()
                            self.journal.append({"kind": "verify", "seconds": clock.used})
                        if (trial := self._next(running.values(), begun)) is None:
                            break
                        begun = True
                        running[self._start(trial, pool)] = trial
                    if not running:
                        if self.out_of_time and begun:
                            self.journal.append({"kind": "end", "elapsed": clock.used})
                        return
                    ended = wait(running, return_when=FIRST_COMPLETED).done
                    for future in sorted(ended, key=lambda task: running[task].number):
                        self._end(running.pop(future), future.result(), clock)
                        on_run(self.tuner.history.outcomes[-1])
            except BaseException:
                for process in self._processes.values():
                    end_session(process)
                raise

    def _next(self, running: Collection[TuningTrial], begun: bool) -> TuningTrial | None:
        """Return the next trial, which is recorded; None if there is none before others end."""
        waiting = [trial for trial in self.tuner.history.pending if trial not in running]
        trial = waiting[0] if waiting else self.tuner.ask()
        if trial is None:
            return None
        with self._lock:
            if not begun:
                self.journal.append(session_record(self.journal))
            if not waiting:
                request = {"trial": trial.number, "why": trial.why, "configuration": dict(trial.configuration)}
                self.journal.append({"kind": "tune", **request})
        return trial

    def _start(self, trial: TuningTrial, pool: ThreadPoolExecutor | None) -> Future[RunResult]:
        """Start the run of a trial; without a pool it has ended then."""
        process = self.command.process(self.tuner.history.configurations[[trial.row]], trial)

        def note(process: int) -> None:
            with self._lock:
                self._processes[trial.number] = process
                note_start(self.journal, process)

        if pool is not None:
            return pool.submit(execute, process, self.command.properties, note)
        ended: Future[RunResult] = Future()
        ended.set_result(execute(process, self.command.properties, note))
        return ended

    def _end(self, trial: TuningTrial, result: RunResult, clock: _Clock) -> None:
        """Record the result of a trial and tell the tuner."""
        more: dict[str, Any] = {"trial": trial.number, "elapsed": clock.used}
        if trial.at_most is not None and result.reason is not None and result.seconds >= trial.at_most:
            more["at_least"] = trial.at_most
        record = record_of((trial.row, trial.repetition), trial.configuration, result, **more)
        with self._lock:
            self._processes.pop(trial.number, None)
            self.journal.append(record)
        self._tell(trial, record)


class _Clock:
    """The time of a tuning run, with that of earlier sessions; `seconds` None is no limit."""

    def __init__(self, records: Iterable[Record], recorded: RunResults, workers: int, seconds: float | None) -> None:
        self._recorded, self.limit = recorded, math.inf if seconds is None else seconds
        # Journals of older versions do not state the time of the search.
        runs = sum(result.seconds for result in recorded.results.values()) / workers
        before = max((record["elapsed"] for record in records if "elapsed" in record), default=runs)
        self._started = time.monotonic() - before

    @property
    def used(self) -> float:
        """The time since the beginning: that of earlier sessions up to their last record, and of this session."""
        return time.monotonic() - self._started

    def must_verify(self, runs: int) -> bool:
        """Return whether the remaining time is needed for a number of runs that verify."""
        done = len(self._recorded.results)
        # The search takes time, too, and the next run of it.
        return bool(done) and self.limit - self.used <= min((runs + 1) * self.used / done, _VERIFYING * self.limit)
