"""The result of a tuning run: the best configuration with its verified value, and why it is the best."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from splc.data.configurations import Configurations
from splc.io.numbers import percentage
from splc.io.presentation import Drawn
from splc.learning.active.search_model import SearchModel, least_gain
from splc.models.basis.regression import t_quantile
from splc.tuning.changes import ConfigurationChange, changes_between, indifferent_options
from splc.tuning.front import FrontConfiguration
from splc.tuning.history import History, Reason
from splc.tuning.objective import TuningObjective
from splc.tuning.verification import LEVEL, Gain, MeanValue, ranked_rows
from splc.types import Array

_DRIFT = 3.0  # fresh runs of the default beyond so many standard errors from its runs in the search are a drift


@dataclass(frozen=True, eq=False)
class FoundConfiguration:
    """A configuration with its value."""

    configuration: Configurations  # the configuration, one row
    mean: MeanValue  # the mean of its fresh runs; without such, what the model of all runs says

    @property
    def value(self) -> float:
        """The value."""
        return self.mean.value


@dataclass(frozen=True)
class TuningStep:
    """A run in the trajectory of a tuning run."""

    run: int | None  # its number, from 1 on; None for a value that was not asked for
    why: Reason | None  # why it was run; None for a value that was not asked for
    configuration: Mapping[str, float | None]  # option → value
    values: Mapping[str, float]  # property → value
    best: float | None  # the best value so far
    expected_gain: float | None  # the improvement in percent that was expected of it
    failure: str | None  # why it failed, None if it did not


@dataclass(frozen=True, eq=False, repr=False)
class TuningResult(Drawn):
    """The result of a tuning run."""

    nfp: str  # the property
    maximize: bool  # whether large values are good
    best: FoundConfiguration  # the best configuration
    default: FoundConfiguration | None  # the configuration in use; None if none was given, or every run of it failed
    gain: Gain | None  # how much better the best one is; None without a value of the default
    changes: tuple[ConfigurationChange, ...]  # what the best one changes of the default, the largest influences first
    indifferent: tuple[str, ...]  # options whose values do not matter for the best one, within 1 %
    trajectory: tuple[TuningStep, ...]  # all runs, in the order in which they ended
    expected_gain: float | None  # the improvement in percent that a further run is expected to find, if known
    failures: int  # the number of failed runs
    failing: str  # the values with which all runs failed, as text; empty without such
    drift: float | None  # the default's change in percent from search to verification, if it is no noise
    seed: int  # the seed
    model: SearchModel = field(repr=False)  # the model of the search
    front: tuple[FrontConfiguration, ...] = ()  # of several properties, in the order of the first; empty for one

    @property
    def has_solution(self) -> bool:
        """True if a run is within the limits."""
        return any(step.best is not None for step in self.trajectory)

    def summary(self) -> str:
        """Return the best value, and how much better it is than the default."""
        gain = "" if self.gain is None else f", {percentage(self.gain.percent, 3)} better than the default"
        return f"best {self.nfp}: {self.best.value:.6g} after {len(self.trajectory)} runs{gain}"

    def to_columns(self) -> dict[str, Array]:
        """Return the trajectory: run, why, the options, the value, and the best one so far."""
        steps, names = self.trajectory, self.best.configuration.system.names
        # As floats None is NaN.
        return {
            "run": np.array([step.run for step in steps], dtype=float),
            "why": np.array([step.why or "" for step in steps]),
            **{name: np.array([step.configuration[name] for step in steps], dtype=float) for name in names},
            self.nfp: np.array([step.values.get(self.nfp) for step in steps], dtype=float),
            "best": np.array([step.best for step in steps], dtype=float),
        }


def result_of(
    history: History,
    objective: TuningObjective,
    models: Mapping[str, SearchModel],
    default: Configurations | None,
    winner: int | None,
    seed: int,
    search: SearchModel,
    valid: Callable[[Configurations], Array],
) -> TuningResult:
    """Return the result of the runs so far; without a winner, the best configuration is that of the model."""
    nfp, model = objective.nfp, models[objective.nfp]

    def forced(configuration: Configurations) -> str:
        for limit in objective.limits:
            if limit.nfp in models and not limit.holds(float(models[limit.nfp].predict(configuration)[0])):
                return f"{limit.nfp} {limit.relation} {limit.value:g}"
        if history.failures is not None and history.failures.expected(configuration)[0]:
            return "runs without it fail"
        return "" if valid(configuration)[0] else "the constraints"

    if winner is None:
        ranked = ranked_rows(model, objective, history)
        # Where no run is within the limits, the best of all is the answer that the notes explain.
        winner = ranked[0] if ranked else history.row_of(model.runs.configurations[[int(model.ranking[0])]])
    best = _found(history, model, winner, nfp)
    base: FoundConfiguration | None = None
    gain: Gain | None = None
    changes: tuple[ConfigurationChange, ...] = ()
    drift: float | None = None
    if default is not None:
        row = history.row_of(default)
        if history.mean(row, nfp) is not None:
            base = best if row == winner else _found(history, model, row, nfp)
            gain = Gain.of(best.mean, base.mean, objective.maximize)
        changes = changes_between(model, default, best.configuration, forced)
        drift = _drift(history, row, nfp, model)
    # A value with which runs fail matters, which only the model of all runs knows.
    indifferent = indifferent_options(search, best.configuration, valid)
    gains = [trial.expected_gain for trial in history.trials if trial.expected_gain is not None]
    failing = "; ".join(map(str, history.failures.rules if history.failures else ()))
    found = (nfp, objective.maximize, best, base, gain, changes, indifferent, trajectory_of(history, objective))
    return TuningResult(*found, gains[-1] if gains else None, len(history.failed), failing, drift, seed, model)


def _found(history: History, model: SearchModel, row: int, nfp: str) -> FoundConfiguration:
    """Return a configuration with the mean of its fresh runs, or without any, with the prediction of the model."""
    configuration = history.configurations[[row]]
    if fresh := history.values(row, nfp, fresh=True):
        return FoundConfiguration(configuration, MeanValue.of(fresh))
    mean = history.mean(row, nfp)
    if mean is not None and history.is_exact(nfp):
        return FoundConfiguration(configuration, MeanValue(mean, None, None, 0))
    ends = model.interval(configuration, t_quantile(1000, (1 + LEVEL) / 2), math.inf)
    low, value, high = (float(end[0]) for end in (ends[0], model.predict(configuration), ends[1]))
    return FoundConfiguration(configuration, MeanValue(value, low, high, 0))


def _drift(history: History, row: int, nfp: str, model: SearchModel) -> float | None:
    """Return the change of the default between search and verification in percent, None if it may be noise."""
    before, after = history.values(row, nfp, fresh=False), history.values(row, nfp, fresh=True)
    if not before or len(after) < 2:
        return None
    first, second = MeanValue.of(before), MeanValue.of(after)
    if first.value == 0:
        return None
    t = model.transformed(np.array([first.value, second.value]))
    error = model.noise * math.sqrt(1 / first.runs + 1 / second.runs)
    if abs(float(t[1] - t[0])) <= max(_DRIFT * error, least_gain(model)):
        return None
    return 100 * (second.value - first.value) / abs(first.value)


def trajectory_of(history: History, objective: TuningObjective) -> tuple[TuningStep, ...]:
    """Return all runs with the best value within the limits so far."""
    steps: list[TuningStep] = []
    best: float | None = None
    configurations = history.configurations[[outcome.row for outcome in history.outcomes]].assignments()
    for outcome, configuration in zip(history.outcomes, configurations, strict=True):
        value = outcome.values.get(objective.nfp)
        within = value is not None and all(limit.holds(outcome.values[limit.nfp]) for limit in objective.limits)
        if value is not None and within and (best is None or objective.better(value, best)):
            best = value
        trial = outcome.trial
        number, why, gain = (trial.number, trial.why, trial.expected_gain) if trial is not None else (None, None, None)
        steps.append(TuningStep(number, why, configuration, outcome.values, best, gain, outcome.failure))
    return tuple(steps)
