"""Recompute the errors that a tree of SPL Conqueror's logs states, and compare the strategies that drew its samples."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

from casestudies.published_logs.learnings import (
    UNSTATED,
    Failure,
    LogsOfSystem,
    LogSystem,
    Recomputed,
    recompute,
    text_of,
)
from casestudies.published_logs.strategies import strategies_of
from casestudies.published_logs.systems import (
    SystemFolder,
    grouped,
    logs_below,
    read_system,
    require_folder,
    systems_below,
)
from comparison.statistics import GroupTest, compare_groups
from splc.errors import Problem, RequestError, SplcError, listed, plural
from splc.io.processes import in_processes
from splc.project.files import MEASUREMENT_FILES
from splc.workflows.fields import DuplicateRows, InvalidRows, as_argument, flag, internal, option, request
from splc.workflows.inputs import SystemInputs
from splc.workflows.note import Note, Notes, notes_of

# Logs that a process recomputes at a time; a request to stop waits for them.
CHUNK = 16


@request
class Request(SystemInputs):
    """A request to recompute the errors of a tree of logs."""

    root: Annotated[str, as_argument("FOLDER", "The tree of logs (*.log) of SPL Conqueror or splc.")]
    systems: str | None = option(None, "FOLDER", default="the tree itself")(
        "Where the systems are: a folder with description and measurements for each, whose name begins the names of "
        "its logs or of their folders."
    )
    relearn: bool = flag("--relearn")(
        "Draw the learning sets again, learn from them, and report the first round that differs."
    )
    jobs: int = internal(1, "The number of processes.")
    nfp: str | None = option(None, "NAME", names="--property --nfp")("The property; the logs name theirs otherwise.")
    invalid: InvalidRows = "drop"
    duplicates: DuplicateRows = "first"


@dataclass(frozen=True)
class Cell:
    """The learnings of one system, strategy and size: means of their errors, None where one is missing."""

    system: str  # the system
    strategy: str  # the sampling strategy
    size: int | None  # the size of the learning sets
    count: int  # number of learnings
    rounds: float  # mean number of rounds
    stated: float | None  # mean stated error of the last round
    error: float | None  # mean recomputed error of the last round
    deviation: float | None  # standard deviation of the recomputed errors, None for a single one
    best_stated: float | None  # mean of the least stated errors
    best: float | None  # mean of the least recomputed errors
    differing: int  # number of stated errors that differ from the recomputed ones


@dataclass(frozen=True)
class StrategyTest:
    """The strategies of one system and size, compared by the recomputed errors of the last rounds."""

    system: str
    size: int | None
    test: GroupTest


@dataclass(frozen=True, eq=False)
class Result:
    """The recomputed errors of a tree of logs."""

    request: Request  # the request
    logs: int  # number of logs in the tree
    learnings: tuple[Recomputed, ...]  # the recomputed learnings, in the order of their files
    failures: tuple[Failure, ...]  # the logs and systems that cannot be recomputed
    switches: tuple[str, ...]  # logs without a learning, whose script continues in others
    cells: tuple[Cell, ...]  # the means per system, strategy and size
    tests: tuple[StrategyTest, ...]  # the statistical comparison of the strategies, per system and size
    notes: tuple[Note, ...] = ()  # what the user should know
    stopped: bool = False  # whether the run was stopped early

    @property
    def differing(self) -> int:
        """The number of stated errors that differ from the recomputed ones."""
        return sum(learning.differing for learning in self.learnings)

    @property
    def rules(self) -> Mapping[str, int]:
        """Rule → the number of stated errors that it reproduces."""
        counts: dict[str, int] = {}
        for learning in self.learnings:
            for rule, count in learning.rules.items():
                counts[rule] = counts.get(rule, 0) + count
        return counts

    @property
    def not_relearned(self) -> int:
        """The number of learnings with a reproduced sample, but different rounds."""
        return sum(
            bool(relearning.sample and relearning.reason)
            for learning in self.learnings
            if (relearning := learning.relearned)
        )


def run(
    request: Request,
    on_progress: Callable[[int, int, str], None] = lambda logs_done, total, text: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Result:
    """Recompute every stated error of a tree of logs; no further one as soon as `should_stop` returns true."""
    root = require_folder(request.root)
    logs = logs_below(root)
    if not logs:
        raise RequestError(Problem("there are no logs (*.log) in this folder", str(root)), "root")
    systems = systems_below(root if request.systems is None else require_folder(request.systems))
    if not any(system.measured for system in systems):
        hint = "name a folder that has a folder with description and measurements per system: --systems FOLDER"
        location = request.systems or str(root)
        reason = (
            f"no measurements beside {_systems_text(systems)}" if systems else "no system description with measurements"
        )
        raise RequestError(Problem(reason, location, hint=hint), "systems")
    learnings_found: list[Recomputed] = []
    failures: list[Failure] = []
    switches: list[str] = []
    logs_done = 0
    with Notes() as notes:
        try:
            for system_logs in _parts(request, grouped(logs, root, systems), notes, on_progress, should_stop, failures):
                learnings_found += system_logs.learnings
                failures += system_logs.failures
                switches += system_logs.switches
                logs_done += system_logs.logs
                on_progress(logs_done, len(logs), f"{logs_done:,} of {len(logs):,} logs")
        except KeyboardInterrupt:
            # After a second request the logs in progress are lost, the others are not.
            if not should_stop():
                raise
        names = strategies_of(learning.sampling for learning in learnings_found if learning.sampling)
        learnings = tuple(
            replace(learning, strategy=names.get(learning.sampling, UNSTATED))
            for learning in sorted(learnings_found, key=lambda learning: (learning.file, learning.learning))
        )
        notes += notes_of(_inferred(learnings))
        return Result(
            request=request,
            logs=len(logs),
            learnings=learnings,
            failures=tuple(sorted(failures, key=lambda failure: failure.file)),
            switches=tuple(sorted(switches)),
            cells=tuple(_cells(learnings)),
            tests=tuple(_tests(learnings)),
            notes=tuple(notes),
            stopped=should_stop(),
        )


def _parts(
    request: Request,
    groups: Mapping[SystemFolder | None, Sequence[Path]],
    notes: Notes,
    on_progress: Callable[[int, int, str], None],
    should_stop: Callable[[], bool],
    failures: list[Failure],
) -> Iterator[LogsOfSystem]:
    """Yield the results of all logs; every system is read once, in this process."""

    def tasks() -> Iterator[Callable[[], LogsOfSystem]]:
        for folder, logs in groups.items():
            if should_stop():
                return
            if folder is None:
                reason = "no system description for this log; its folders name none (--systems)"
                yield partial(_all_failed, logs, reason)
                continue
            if not folder.measured:
                yield partial(_all_failed, logs, f"no measurements beside {_systems_text([folder])}")
                continue
            on_progress(0, sum(map(len, groups.values())), f"reading {folder.name}")
            try:
                measured = read_system(request, folder, notes)
            except SplcError as error:
                failures.append(Failure(str(folder.path), text_of(error)))
                reason = f"the system {folder.name} cannot be read"
                yield partial(_all_failed, logs, reason)
                continue
            system = LogSystem(folder.name, folder.path.resolve(), measured, request.nfp, request.relearn)
            for start in range(0, len(logs), CHUNK):
                if should_stop():
                    return
                yield partial(recompute, system, logs[start : start + CHUNK], Path.cwd())

    return in_processes(tasks(), max(1, request.jobs), ordered=False)


def _inferred(learnings: Sequence[Recomputed]) -> Iterator[str]:
    """Yield a note on each property that is inferred from stated errors."""
    counts = Counter((learning.system, learning.nfp) for learning in learnings if learning.inferred)
    for (system, nfp), count in sorted(counts.items()):
        logs = plural(count, "learning", "learnings")
        yield f"{system}: the property of {logs} is inferred from the errors: {nfp} (--property names another)"


def _all_failed(logs: Sequence[Path], reason: str) -> LogsOfSystem:
    return LogsOfSystem(len(logs), failures=tuple(Failure(str(log), reason) for log in logs))


def _systems_text(systems: Sequence[SystemFolder]) -> str:
    """Return the systems without measurements, for messages, with the names that measurements have."""
    names = listed([system.name for system in systems])
    return f"the description of {names} ({listed(MEASUREMENT_FILES, len(MEASUREMENT_FILES))})"


def _cells(learnings: Sequence[Recomputed]) -> Iterator[Cell]:
    groups: dict[tuple[str, str, int | None], list[Recomputed]] = {}
    for learning in learnings:
        groups.setdefault((learning.system, learning.strategy, learning.size), []).append(learning)
    for (system, strategy, size), group in sorted(groups.items(), key=lambda item: (*item[0][:2], item[0][2] or 0)):
        errors = [learning.error for learning in group if learning.error is not None]
        yield Cell(
            system=system,
            strategy=strategy,
            size=size,
            count=len(group),
            rounds=statistics.fmean(learning.rounds for learning in group),
            stated=mean_or_none([learning.stated for learning in group]),
            error=mean_or_none([learning.error for learning in group]),
            deviation=statistics.stdev(errors) if 1 < len(errors) == len(group) else None,
            best_stated=mean_or_none([learning.best_stated for learning in group]),
            best=mean_or_none([learning.best for learning in group]),
            differing=sum(learning.differing for learning in group),
        )


def mean_or_none(values: Sequence[float | None]) -> float | None:
    """Return the mean, None if a value is unknown."""
    known_values = [value for value in values if value is not None]
    return statistics.fmean(known_values) if len(known_values) == len(values) else None


def _tests(learnings: Sequence[Recomputed]) -> Iterator[StrategyTest]:
    groups: dict[tuple[str, int | None], dict[str, list[float]]] = {}
    for learning in learnings:
        if learning.error is not None:
            groups.setdefault((learning.system, learning.size), {}).setdefault(learning.strategy, []).append(
                learning.error
            )
    for (system, size), strategies in sorted(groups.items(), key=lambda item: (item[0][0], item[0][1] or 0)):
        test = compare_groups(dict(sorted(strategies.items())))
        if test is not None:
            yield StrategyTest(system, size, test)
