"""Recompute the errors that a tree of SPL Conqueror's logs states, and compare the strategies that drew its samples."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from comparison.statistics import WITHOUT_DUNN, GroupTest, compare_groups, has_dunn
from splc.data.measurements import Measurements
from splc.errors import Problem, RequestError, SplcError, plural
from splc.formats.models.log_errors import LogErrors
from splc.formats.models.log_lines import Learning, learnings_of
from splc.io.files import read_source
from splc.io.processes import in_processes
from splc.learning.threads import one_thread
from splc.types import Duplicates, Invalid
from splc.workflows.corpus_strategies import strategies_of
from splc.workflows.corpus_systems import (
    SystemFolder,
    grouped,
    logs_below,
    read_system,
    require_folder,
    systems_below,
)
from splc.workflows.inputs import SystemInputs
from splc.workflows.note import Note, Notes, OnProgress, notes_of

# Logs that a process recomputes at a time.
CHUNK = 64
# The relative difference up to which a stated and a recomputed error agree.
TOLERANCE = 1e-6
UNSTATED = "not stated"


@dataclass(frozen=True, kw_only=True)
class Request(SystemInputs):
    """A request to recompute the errors of a tree of logs.

    Attributes:
        root: the folder of the tree.
        systems: a folder with a folder of description and measurements per system; None is the tree itself.
        jobs: the number of processes.
    """

    root: str
    systems: str | None = None
    jobs: int = 1
    invalid: Invalid = "drop"
    # SPL Conqueror's rule.
    duplicates: Duplicates = "first"


@dataclass(frozen=True)
class Failure:
    """A log or a system that cannot be recomputed.

    Attributes:
        file: the file or folder.
        reason: why.
    """

    file: str
    reason: str


@dataclass(frozen=True)
class Recomputed:
    """A learning of a log with its errors on all measured configurations, in percent.

    Attributes:
        file: the log.
        learning: its number in the log: 1, 2, ….
        system: the name of the system.
        sampling: the commands that drew the learning set.
        size: the size of the learning set, None if it is not stated.
        rounds: number of rounds.
        stated: the error that the last round states, None if it states none.
        error: the recomputed error of the last round, None if it is undefined.
        best_stated: the least error that a round states.
        best: the least recomputed error of a round.
        best_round: the number of that round.
        checked: number of rounds that state an error.
        differing: number of rounds whose stated error differs from the recomputed one.
        strategy: the name of the sampling strategy.
    """

    file: str
    learning: int
    system: str
    sampling: tuple[str, ...]
    size: int | None
    rounds: int
    stated: float | None
    error: float | None
    best_stated: float | None
    best: float | None
    best_round: int | None
    checked: int
    differing: int
    strategy: str = UNSTATED


@dataclass(frozen=True)
class Cell:
    """The learnings of one system, strategy and size: means of their errors, None where one is missing.

    Attributes:
        system: the system.
        strategy: the sampling strategy.
        size: the size of the learning sets.
        count: number of learnings.
        rounds: mean number of rounds.
        stated: mean stated error of the last round.
        error: mean recomputed error of the last round.
        deviation: standard deviation of the recomputed errors, None for a single one.
        best_stated: mean of the least stated errors.
        best: mean of the least recomputed errors.
        differing: number of stated errors that differ from the recomputed ones.
    """

    system: str
    strategy: str
    size: int | None
    count: int
    rounds: float
    stated: float | None
    error: float | None
    deviation: float | None
    best_stated: float | None
    best: float | None
    differing: int


@dataclass(frozen=True)
class StrategyTest:
    """The strategies of one system and size, compared by the recomputed errors of the last rounds."""

    system: str
    size: int | None
    test: GroupTest


@dataclass(frozen=True, eq=False)
class Result:
    """The recomputed errors of a tree of logs.

    Attributes:
        request: the request.
        logs: number of logs in the tree.
        learnings: the recomputed learnings, in the order of their files.
        failures: the logs and systems that cannot be recomputed.
        switches: logs without a learning, whose script continues in others.
        cells: the means per system, strategy and size.
        tests: the statistical comparison of the strategies, per system and size.
        notes: what the user should know.
        stopped: whether the run was stopped early.
    """

    request: Request
    logs: int
    learnings: tuple[Recomputed, ...]
    failures: tuple[Failure, ...]
    switches: tuple[str, ...]
    cells: tuple[Cell, ...]
    tests: tuple[StrategyTest, ...]
    notes: tuple[Note, ...] = ()
    stopped: bool = False

    @property
    def differing(self) -> int:
        """The number of stated errors that differ from the recomputed ones."""
        return sum(each.differing for each in self.learnings)


def run(
    request: Request,
    on_progress: OnProgress = lambda done, total, text: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Result:
    """Recompute every stated error of a tree of logs.

    Args:
        request: the tree, and where its systems are.
        on_progress: called with the number of finished logs, of all logs, and what is done.
        should_stop: once it returns true, no further logs are recomputed.

    Raises:
        InputError: if a folder does not exist, or there is no log or no system.
    """
    root = require_folder(request.root)
    logs = logs_below(root)
    if not logs:
        raise RequestError(Problem("there are no logs (*.log) in this folder", str(root)), "root")
    systems = systems_below(root if request.systems is None else require_folder(request.systems))
    if not systems:
        hint = "name a folder that has a folder with description and measurements per system: --systems FOLDER"
        where = request.systems or str(root)
        raise RequestError(Problem("no system description with measurements", where, hint=hint), "systems")
    found: list[Recomputed] = []
    failures: list[Failure] = []
    switches: list[str] = []
    done = 0
    with Notes() as notes:
        for part in _parts(request, grouped(logs, root, systems), notes, on_progress, should_stop, failures):
            found += part.learnings
            failures += part.failures
            switches += part.switches
            done += part.logs
            on_progress(done, len(logs), f"{done:,} of {len(logs):,} logs")
        names = strategies_of(each.sampling for each in found if each.sampling)
        learnings = tuple(
            replace(each, strategy=names.get(each.sampling, UNSTATED))
            for each in sorted(found, key=lambda each: (each.file, each.learning))
        )
        tests = tuple(_tests(learnings))
        if tests and not has_dunn():
            notes += notes_of([WITHOUT_DUNN])
        return Result(
            request=request,
            logs=len(logs),
            learnings=learnings,
            failures=tuple(sorted(failures, key=lambda each: each.file)),
            switches=tuple(sorted(switches)),
            cells=tuple(_cells(learnings)),
            tests=tests,
            notes=tuple(notes),
            stopped=should_stop(),
        )


@dataclass(frozen=True)
class _Part:
    """The results of some logs of one system."""

    logs: int
    learnings: tuple[Recomputed, ...]
    failures: tuple[Failure, ...]
    switches: tuple[str, ...]


def _parts(
    request: Request,
    groups: Mapping[SystemFolder | None, Sequence[Path]],
    notes: Notes,
    on_progress: OnProgress,
    should_stop: Callable[[], bool],
    failures: list[Failure],
) -> Iterator[_Part]:
    """Yield the results of all logs; every system is read once, in this process."""

    def tasks() -> Iterator[Callable[[], _Part]]:
        for folder, logs in groups.items():
            if should_stop():
                return
            if folder is None:
                reason = "no system description for this log; its folders name none (--systems)"
                yield partial(_Part, len(logs), (), tuple(Failure(str(log), reason) for log in logs), ())
                continue
            on_progress(0, sum(map(len, groups.values())), f"reading {folder.name}")
            try:
                measured = read_system(request, folder, notes)
            except SplcError as error:
                failures.append(Failure(str(folder.path), _text(error)))
                reason = f"the system {folder.name} cannot be read"
                yield partial(_Part, len(logs), (), tuple(Failure(str(log), reason) for log in logs), ())
                continue
            for start in range(0, len(logs), CHUNK):
                if should_stop():
                    return
                yield partial(_recompute, folder.name, measured, request.nfp, logs[start : start + CHUNK], Path.cwd())

    return in_processes(tasks(), max(1, request.jobs), ordered=False)


def _recompute(name: str, measured: Measurements, nfp: str | None, logs: Sequence[Path], folder: Path) -> _Part:
    """Recompute the errors of logs of one system; their paths are relative to a folder."""
    errors: dict[str, LogErrors] = {}
    found: list[Recomputed] = []
    failures: list[Failure] = []
    switches: list[str] = []
    with one_thread():
        for log in logs:
            try:
                # Processes that are used again may have another current folder.
                learnings, _ = learnings_of(source := read_source(folder / log))
                if not learnings and any(line.startswith("command: log ") for line in source.text().splitlines()):
                    switches.append(str(log))
                elif not learnings:
                    failures.append(Failure(str(log), "there is no learned model in this log"))
                for number, learning in enumerate(learnings, 1):
                    wanted = measured.the_nfp(nfp or learning.nfp)
                    if wanted not in errors:
                        errors[wanted] = LogErrors(measured, wanted)
                    own = errors[wanted].of(learning, str(log))
                    errors[wanted].forget()
                    found.append(_judged(str(log), number, name, learning, own))
            except SplcError as error:
                failures.append(Failure(str(log), _text(error)))
    return _Part(len(logs), tuple(found), tuple(failures), tuple(switches))


def _judged(file: str, number: int, system: str, learning: Learning, errors: Mapping[int, float | None]) -> Recomputed:
    """Return a learning with its stated and recomputed errors."""
    stated = {n: this.test_error for n, this in learning.rounds.items() if not np.isnan(this.test_error)}
    known = {n: error for n, error in errors.items() if error is not None}
    last = max(errors)
    best = min(known, key=lambda n: (known[n], n), default=None)
    return Recomputed(
        file=file,
        learning=number,
        system=system,
        sampling=learning.sampling,
        size=learning.configurations,
        rounds=len(learning.rounds),
        stated=stated.get(last),
        error=errors[last],
        best_stated=min(stated.values(), default=None),
        best=None if best is None else known[best],
        best_round=best,
        checked=len(stated),
        differing=sum(n not in known or _differ(error, known[n]) for n, error in stated.items()),
    )


def _differ(stated: float, recomputed: float) -> bool:
    return abs(stated - recomputed) > TOLERANCE * max(abs(recomputed), TOLERANCE)


def _text(error: SplcError) -> str:
    """Return the first problem of an error without its file, and the number of further ones."""
    first = error.problems[0]
    line = "" if first.line is None else f"line {first.line}: "
    rest = len(error.problems) - 1
    return f"{line}{first.message}" + (f" (and {plural(rest, 'further problem', 'further problems')})" if rest else "")


def _cells(learnings: Sequence[Recomputed]) -> Iterator[Cell]:
    groups: dict[tuple[str, str, int | None], list[Recomputed]] = {}
    for each in learnings:
        groups.setdefault((each.system, each.strategy, each.size), []).append(each)
    for (system, strategy, size), found in sorted(groups.items(), key=lambda item: (*item[0][:2], item[0][2] or 0)):
        errors = [each.error for each in found if each.error is not None]
        yield Cell(
            system=system,
            strategy=strategy,
            size=size,
            count=len(found),
            rounds=statistics.fmean(each.rounds for each in found),
            stated=_mean([each.stated for each in found]),
            error=_mean([each.error for each in found]),
            deviation=statistics.stdev(errors) if 1 < len(errors) == len(found) else None,
            best_stated=_mean([each.best_stated for each in found]),
            best=_mean([each.best for each in found]),
            differing=sum(each.differing for each in found),
        )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if len(known) == len(values) else None


def _tests(learnings: Sequence[Recomputed]) -> Iterator[StrategyTest]:
    groups: dict[tuple[str, int | None], dict[str, list[float]]] = {}
    for each in learnings:
        if each.error is not None:
            groups.setdefault((each.system, each.size), {}).setdefault(each.strategy, []).append(each.error)
    for (system, size), strategies in sorted(groups.items(), key=lambda item: (item[0][0], item[0][1] or 0)):
        test = compare_groups(dict(sorted(strategies.items())))
        if test is not None:
            yield StrategyTest(system, size, test)
