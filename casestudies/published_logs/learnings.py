"""The learnings of logs of one system: their errors, computed again, and their rounds, learned again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from casestudies.published_logs.log_errors import ALL_VALUES, Errors, LogErrors
from casestudies.published_logs.log_learnings import Learning, learnings_of
from casestudies.published_logs.relearn import Relearned, relearned
from splc.data.measurements import Measurements
from splc.errors import MeasurementError, Problem, SplcError, plural
from splc.formats.measurements.read import read_measurements
from splc.io.files import read_source
from splc.learning.learner import one_thread
from splc.splconqueror.state import located

# The relative difference up to which a stated and a recomputed error agree.
TOLERANCE = 1e-6
UNSTATED = "not stated"
EVALUATION = "evaluation set"


@dataclass(frozen=True)
class Failure:
    """A log or a system that cannot be recomputed."""

    file: str  # the file or folder
    reason: str  # why


@dataclass(frozen=True)
class Recomputed:
    """A learning of a log with its errors on all measured configurations, in percent."""

    file: str  # the log
    learning: int  # its number in the log: 1, 2, …
    system: str  # the name of the system
    sampling: tuple[str, ...]  # the commands that drew the learning set
    size: int | None  # the size of the learning set, None if it is not stated
    rounds: int  # number of rounds
    stated: float | None  # the error that the last round states, None if it states none
    error: float | None  # the recomputed error of the last round, None if it is undefined
    best_stated: float | None  # the least error that a round states
    best: float | None  # the least recomputed error of a round
    best_round: int | None  # the number of that round
    checked: int  # number of rounds that state an error
    differing: int  # number of rounds whose stated error is right by no rule
    strategy: str = UNSTATED  # the name of the sampling strategy
    nfp: str = ""  # the property
    inferred: bool = False  # whether the property is inferred from the stated errors
    # rule → number of stated errors that are right by it, and by none before it
    rules: Mapping[str, int] = field(default_factory=dict)
    relearned: Relearned | None = None  # the learning, learned again; None if that was not asked for


@dataclass(frozen=True)
class LogsOfSystem:
    """The results of some logs of one system."""

    logs: int  # number of logs
    learnings: tuple[Recomputed, ...] = ()  # their learnings
    failures: tuple[Failure, ...] = ()  # the logs that cannot be recomputed
    switches: tuple[str, ...] = ()  # logs without a learning, whose script continues in others


@dataclass(frozen=True)
class LogSystem:
    """A system of logs."""

    name: str  # its name
    folder: Path  # its folder
    measured: Measurements  # its measurements
    nfp: str | None = None  # the property, None for that which the logs name
    relearn: bool = False  # whether learnings are learned again


def recompute(system: LogSystem, logs: Sequence[Path], folder: Path) -> LogsOfSystem:
    """Recompute logs of one system; their paths are relative to a folder."""
    known_errors = _KnownErrors(system)
    recomputed: list[Recomputed] = []
    failures: list[Failure] = []
    switches: list[str] = []
    with one_thread():
        for log in logs:
            try:
                # Reused worker processes may have another current folder.
                learnings = learnings_of(source := read_source(folder / log))
                if not learnings and any(line.startswith("command: log ") for line in source.text().splitlines()):
                    switches.append(str(log))
                elif not learnings:
                    failures.append(Failure(str(log), "there is no learned model in this log"))
                for number, learning in enumerate(learnings, 1):
                    recomputed.append(_recomputed(system, known_errors, learning, log, number, folder))
            except SplcError as error:
                failures.append(Failure(str(log), text_of(error)))
    return LogsOfSystem(len(logs), tuple(recomputed), tuple(failures), tuple(switches))


def text_of(error: SplcError) -> str:
    """Return the first problem of an error without its file, and the number of further ones."""
    first = error.problems[0]
    line = "" if first.line is None else f"line {first.line}: "
    more = len(error.problems) - 1
    return f"{line}{first.message}" + (f" (and {plural(more, 'further problem', 'further problems')})" if more else "")


class _KnownErrors:
    """The errors of models on measurements of a system; products of options are evaluated once."""

    def __init__(self, system: LogSystem) -> None:
        self.system = system
        self._errors: dict[tuple[str, str], LogErrors] = {}
        self._sets: dict[str, Measurements | None] = {}

    def of(self, learning: Learning, nfp: str, log: str) -> Mapping[str, Errors]:
        """Return rule → round → error."""
        errors_by_rule = dict(self._errors_on("", self.system.measured, learning, nfp, log))
        if learning.stated.evaluation is not None:
            file = self._file(learning.stated.evaluation, log)
            evaluated = self._measurements(file)
            if evaluated is not None and nfp in evaluated.values:
                errors_by_rule[EVALUATION] = self._errors_on(file, evaluated, learning, nfp, log)[ALL_VALUES]
        return errors_by_rule

    def _errors_on(
        self, key: str, measured: Measurements, learning: Learning, nfp: str, log: str
    ) -> Mapping[str, Errors]:
        if (key, nfp) not in self._errors:
            self._errors[key, nfp] = LogErrors(measured, nfp)
        errors = self._errors[key, nfp]
        errors_by_round = errors.of(learning, log)
        errors.forget()
        return errors_by_round

    def _file(self, stated_path: str, log: str) -> str:
        """Return the path of an evaluation set: relative to the log, or in the folder of the system."""
        path = located(log, stated_path)
        return path if Path(path).is_file() else str(self.system.folder / Path(stated_path.replace("\\", "/")).name)

    def _measurements(self, file: str) -> Measurements | None:
        if file not in self._sets:
            try:
                measurements = read_measurements(file, self.system.measured.system, invalid="drop", duplicates="first")
            except SplcError:
                measurements = None
            self._sets[file] = measurements
        return self._sets[file]


def _recomputed(
    system: LogSystem, known_errors: _KnownErrors, learning: Learning, log: Path, number: int, folder: Path
) -> Recomputed:
    """Return a learning with its stated and recomputed errors."""
    stated_errors = {n: step.test_error for n, step in learning.rounds.items() if not np.isnan(step.test_error)}
    path = str(folder / log)
    nfp, inferred = _property(system, known_errors, learning, stated_errors, path)
    by_rule = known_errors.of(learning, nfp, path)
    rules = _rules(stated_errors, by_rule)
    errors = by_rule[ALL_VALUES]
    defined = {n: error for n, error in errors.items() if error is not None}
    last = max(errors)
    best = min(defined, key=lambda n: (defined[n], n), default=None)
    relearning = relearned(learning, system.measured, nfp, path, system.folder) if system.relearn else None
    return Recomputed(
        file=str(log),
        learning=number,
        system=system.name,
        sampling=learning.stated.sampling,
        size=learning.stated.configurations,
        rounds=len(learning.rounds),
        stated=stated_errors.get(last),
        error=errors[last],
        best_stated=min(stated_errors.values(), default=None),
        best=None if best is None else defined[best],
        best_round=best,
        checked=len(stated_errors),
        differing=len(stated_errors) - sum(rules.values()),
        nfp=nfp,
        inferred=inferred,
        rules=rules,
        relearned=relearning,
    )


def _property(
    system: LogSystem, known_errors: _KnownErrors, learning: Learning, stated_errors: Mapping[int, float], log: str
) -> tuple[str, bool]:
    """Return the property of a learning, and whether it is inferred: the one by which all stated errors are right.

    Raises:
        MeasurementError: if no property or several are right, and the log names none.
    """
    named_nfp = system.nfp or learning.nfp
    names = tuple(system.measured.values)
    if named_nfp is not None or len(names) == 1:
        return system.measured.resolve_property(named_nfp), False
    matching = [
        name
        for name in names
        if stated_errors
        and sum(_rules(stated_errors, known_errors.of(learning, name, log)).values()) == len(stated_errors)
    ]
    if len(matching) == 1:
        return matching[0], True
    reason = "several properties have" if matching else "no property has"
    raise MeasurementError(
        Problem(f"the log names no property, and {reason} its errors: name one with --property ({', '.join(names)})")
    )


def _rules(stated_errors: Mapping[int, float], by_rule: Mapping[str, Errors]) -> dict[str, int]:
    """Return rule → the number of stated errors that are right by it, and by none before it."""
    counts: dict[str, int] = {}
    for number, error in stated_errors.items():
        for rule, errors in by_rule.items():
            expected = errors.get(number)
            if expected is not None and abs(error - expected) <= TOLERANCE * max(abs(expected), TOLERANCE):
                counts[rule] = counts.get(rule, 0) + 1
                break
    return counts
