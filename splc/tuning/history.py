"""The history of a tuning run: its trials and their outcomes, and runs of other contexts.

A search learns from runs of an older version or another machine beside its own ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from splc.data.configurations import Configurations
from splc.data.measurements import Failures
from splc.formats.measurements.constraints import failures_of
from splc.learning.active.search_model import TOLERANCE, Runs
from splc.system.variability import VariabilityModel
from splc.types import Array

# The reasons for a run: it is the default, belongs to the first design, may be better than the best, is another run
# of the best, tells most about all configurations, chooses among finalists, or verifies the winner and the default.
Reason = Literal["default", "cover", "search", "repeat", "explore", "choose", "verify"]


@dataclass(frozen=True)
class TuningTrial:
    """A run that a tuner proposes."""

    number: int  # its number, from 1 on
    why: Reason  # the reason for the run
    configuration: Mapping[str, float | None]  # option → value, None where a numeric option is deselected
    row: int  # the number of its configuration, from 0 on in the order of first appearance
    repetition: int  # the number of earlier runs of the configuration that were asked for
    predicted: float | None = None  # the predicted value; None before there is a model
    expected_gain: float | None = None  # the expected improvement on the best in percent, only of 'search'
    at_most: float | None = None  # the value at which the run may be ended, as it cannot be the best; None if none


@dataclass(frozen=True)
class TrialOutcome:
    """The result of a run: its values, or why it failed."""

    row: int  # the number of the configuration
    values: Mapping[str, float] = field(default_factory=dict)  # property → value; empty if the run failed
    failure: str | None = None  # why it failed, None if it did not
    at_least: float | None = None  # a bound of the value of a run that was ended early
    trial: TuningTrial | None = None  # the trial that asked for it; None for a value that was not asked for


MOST = 200  # configurations of other contexts: the best and the worst ones of each, and others evenly between


@dataclass
class ForeignRuns:
    """The values of other contexts."""

    names: list[str] = field(default_factory=list)  # the contexts, in the order in which they were told
    _values: dict[tuple[str, bytes], list[Mapping[str, float]]] = field(default_factory=dict)
    _indices: dict[bytes, Array] = field(default_factory=dict)

    def add(self, context: str, configuration: Configurations, values: Mapping[str, float]) -> None:
        """Add the values of a run of a context."""
        if context not in self.names:
            self.names.append(context)
        key = bytes(configuration.keys[0])
        self._indices[key] = configuration.indices[0]
        self._values.setdefault((context, key), []).append(values)

    def __len__(self) -> int:
        return sum(map(len, self._values.values()))

    def before(self, own: Runs, nfp: str) -> Runs:
        """Return the runs of all contexts, the own ones last."""
        chosen: list[tuple[bytes, float, int, int]] = []
        for place, name in enumerate(self.names, 1):
            # The same rows for all properties, chosen by the first one.
            keys = [key for context, key in self._values if context == name]
            keys.sort(key=lambda key: next(iter(self._values[name, key][0].values())))
            for index in _some(len(keys), MOST // len(self.names)):
                values = [run[nfp] for run in self._values[name, keys[index]]]
                chosen.append((keys[index], math.fsum(values) / len(values), len(values), place))
        if not chosen:
            return own
        rows, means, counts, places = zip(*chosen, strict=True)
        # Every second row has its own hyperparameters, so that the order must not be that of the values.
        order = np.argsort(np.array(rows), kind="stable")
        system, n = own.configurations.system, len(own)
        indices = np.array([self._indices[key] for key in rows])[order]
        return Runs(
            Configurations.concatenate([Configurations(system, indices), own.configurations]),
            np.append(np.array(means)[order], own.y),
            np.append(np.array(counts, dtype=float)[order], own.counts),
            np.append(np.zeros(len(order), dtype=bool), own.known),
            np.append(np.array(places)[order], np.zeros(n, dtype=int)),
            ("", *self.names),
        )


def _some(count: int, most: int) -> list[int]:
    """Return at most so many of some places: the first and the last ones, and others evenly spread."""
    if count <= most:
        return list(range(count))
    ends = most // 8
    spread = np.linspace(ends, count - 1 - ends, most - 2 * ends).round().astype(int).tolist()
    return [*range(ends), *spread, *range(count - ends, count)]


_EQUAL = 1e-9  # values of a program without noise differ by rounding only


@dataclass
class History:
    """All runs of a tuning run."""

    system: VariabilityModel  # the system
    trials: list[TuningTrial] = field(default_factory=list)  # the runs that were asked for, in order
    outcomes: list[TrialOutcome] = field(default_factory=list)  # what was told, in order
    verified: int = 0  # the number of trials before the last extension of the budget, none of which is a fresh run
    foreign: ForeignRuns = field(default_factory=ForeignRuns)  # the runs of other contexts
    _rows: dict[bytes, int] = field(default_factory=dict)
    _indices: list[Array] = field(default_factory=list)
    _failures: tuple[int, Failures | None] = (0, None)  # the number of outcomes, and the failures among them

    @property
    def configurations(self) -> Configurations:
        """The configurations of all rows, in the order of first appearance."""
        width = len(self.system.options)
        indices = np.array(self._indices, dtype=np.int64).reshape(len(self._indices), width)
        return Configurations(self.system, indices)

    def row_of(self, configuration: Configurations) -> int:
        """Return the number of a configuration, which is a new one if it has none yet."""
        key = bytes(configuration.keys[0])
        if key not in self._rows:
            self._rows[key] = len(self._rows)
            self._indices.append(configuration.indices[0])
        return self._rows[key]

    def asked(self, row: int) -> int:
        """Return the number of runs of a configuration, pending ones included."""
        extra = sum(outcome.row == row and outcome.trial is None for outcome in self.outcomes)
        return extra + sum(trial.row == row for trial in self.trials)

    @property
    def pending(self) -> list[TuningTrial]:
        """The trials without an outcome."""
        numbers = {outcome.trial.number for outcome in self.outcomes if outcome.trial is not None}
        return [trial for trial in self.trials if trial.number not in numbers]

    def waiting(self, known: Configurations) -> Configurations:
        """Return the configurations of pending trials that are not among known ones."""
        rows = {trial.row for trial in self.pending}
        configurations = self.configurations[np.array(sorted(rows), dtype=int)]
        return configurations[known.find(configurations) < 0] if len(configurations) else configurations

    def values(self, row: int, nfp: str, fresh: bool | None = None) -> list[float]:
        """Return the values of a configuration: all, or only those that are `fresh` or are not."""
        return [
            outcome.values[nfp]
            for outcome in self.outcomes
            if outcome.row == row and nfp in outcome.values and fresh in (None, self.is_fresh(outcome))
        ]

    def is_fresh(self, outcome: TrialOutcome) -> bool:
        """Return whether the reported value comes from a run: it verifies, and did not help to choose the winner."""
        trial = outcome.trial
        return trial is not None and trial.why == "verify" and trial.number > self.verified

    @property
    def failed(self) -> list[TrialOutcome]:
        """The runs that failed; those that were ended early did not."""
        return [outcome for outcome in self.outcomes if outcome.failure is not None and outcome.at_least is None]

    @property
    def asked_for(self) -> list[TrialOutcome]:
        """The outcomes of trials, without values that were told without a trial."""
        return [outcome for outcome in self.outcomes if outcome.trial is not None]

    @property
    def failures(self) -> Failures | None:
        """The configurations of which every run failed, and the values with which all fail; None if there are none."""
        if self._failures[0] != len(self.outcomes):
            failed = [outcome.row for outcome in self.failed]
            worked = sorted({outcome.row for outcome in self.outcomes if outcome.failure is None or outcome.at_least})
            every = self.configurations
            found = failures_of(every[np.array(failed, dtype=int)], every[np.array(worked, dtype=int)])
            self._failures = len(self.outcomes), found
        return self._failures[1]

    @property
    def working_share(self) -> float:
        """The share of the configurations with the values of a rule that work; 1 without a rule.

        Where all r runs failed it is 1 / (r + 2) by Laplace's rule of succession.
        """
        rules = () if self.failures is None else self.failures.rules
        return 1 / (2 + min(rule.runs for rule in rules)) if rules else 1.0

    def with_failures(self, worths: Array, candidates: Configurations) -> Array:
        """Return log worths times the probability that the candidates work."""
        if self.failures is None or not self.failures.rules:
            return worths
        return worths + math.log(self.working_share) * self.failures.expected(candidates)

    def runs(self, nfp: str, maximize: bool = False, *, imputed: bool = True) -> Runs | None:
        """Return the runs that a model learns from; None if no run has a value.

        A failed configuration counts as one with the worst value so far, so that the search leaves its surroundings.
        """
        sums: dict[int, list[float]] = {}
        bounds: dict[int, float] = {}
        for outcome in self.outcomes:
            values = sums.setdefault(outcome.row, [])
            if nfp in outcome.values:
                values.append(outcome.values[nfp])
            elif outcome.at_least is not None:
                bounds[outcome.row] = outcome.at_least
        means = [math.fsum(values) / len(values) for values in sums.values() if values]
        if not means:
            return None
        worst = min(means) if maximize else max(means)
        y = [math.fsum(values) / len(values) if values else bounds.get(row, worst) for row, values in sums.items()]
        measured = np.array([bool(values) for values in sums.values()])
        if not imputed:
            sums = {row: values for row, values in sums.items() if values}
            y, measured = means, np.ones(len(means), dtype=bool)
        counts = np.array([max(len(values), 1) for values in sums.values()], dtype=float)
        own = Runs(self.configurations[np.array(list(sums))], np.array(y), counts, measured)
        return self.foreign.before(own, nfp) if imputed else own

    def deviations(self, nfp: str) -> list[float]:
        """Return the relative deviations of the runs of configurations that were repeated."""
        repeated = [values for row in range(len(self._rows)) if len(values := self.values(row, nfp)) > 1]
        return [(max(values) - min(values)) / (max(map(abs, values)) or 1.0) for values in repeated]

    def is_exact(self, nfp: str) -> bool:
        """Return whether repeated runs had the same value: the property has no noise."""
        deviations = self.deviations(nfp)
        return bool(deviations) and max(deviations) <= _EQUAL

    def agrees(self, nfp: str) -> bool:
        """Return whether repeated runs agree, so that further repetitions add no information."""
        deviations = self.deviations(nfp)
        return bool(deviations) and float(np.mean(deviations)) < TOLERANCE

    def mean(self, row: int, nfp: str, fresh: bool | None = None) -> float | None:
        """Return the mean value of a configuration, None if it has none."""
        values = self.values(row, nfp, fresh)
        return math.fsum(values) / len(values) if values else None
