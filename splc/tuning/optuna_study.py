"""Studies of Optuna as tuning runs; Optuna itself is not imported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from splc.errors import LearningError
from splc.system.variability import VariabilityModel
from splc.tuning.objective import Goal
from splc.tuning.tuner import Tuner

# Numeric parameters with more values have so many evenly spaced ones, and those of the trials.
_LISTED, _LEVELS = 1000, 11


def from_optuna(study: Any, budget: int | None, nfp: str = "value", **settings: Any) -> Tuner:
    """Return a tuner of the parameters of an Optuna study that knows its finished trials.

    Parameters with a continuous range have 11 evenly spaced values (on the scale of the logarithm, if the distribution
    has it) and those of the trials. Trials that lack a parameter, and pruned ones, are left out; failed ones are failed
    runs. Several objectives are named `value_0`, `value_1`, …, and give a Pareto front.

    Args:
        study: an `optuna.Study`.
        budget: the number of further runs, see `Tuner`.
        nfp: the name of the objective.
        settings: further arguments of `Tuner`.

    Raises:
        LearningError: if no trial has a parameter.
    """
    distributions: dict[str, Any] = {}
    for trial in study.trials:
        distributions.update(trial.distributions)
    if not distributions:
        raise LearningError("no trial of the study has a parameter", hint="run at least one")
    values = {name: [trial.params[name] for trial in study.trials if name in trial.params] for name in distributions}
    system = VariabilityModel.of({name: _values(domain, values[name]) for name, domain in distributions.items()})
    large = [direction.name == "MAXIMIZE" for direction in study.directions]
    names = [nfp] if len(large) == 1 else [f"{nfp}_{index}" for index in range(len(large))]
    goals = tuple(Goal(name, maximize) for name, maximize in zip(names[1:], large[1:], strict=True))
    tuner = Tuner(system, names[0], budget, **{"maximize": large[0], "further": goals, **settings})
    for trial in study.trials:
        if set(trial.params) >= set(distributions):
            configuration = {name: _cell(distributions[name], trial.params[name]) for name in distributions}
            if trial.state.name == "COMPLETE":
                tuner.tell(configuration, dict(zip(names, trial.values, strict=True)))
            elif trial.state.name == "FAIL":
                tuner.tell(configuration, failed="failed in the study")
    return tuner


def _values(distribution: Any, values: Sequence[Any]) -> Any:
    """Return the values of a parameter, as `VariabilityModel.of` takes them."""
    choices = getattr(distribution, "choices", None)
    if choices is not None:
        if set(map(type, choices)) == {bool}:
            return bool
        return [_cell(distribution, choice) for choice in choices]
    low, high, step = distribution.low, distribution.high, distribution.step
    integer = isinstance(low, int)
    if step is not None and (high - low) / step < _LISTED and not (distribution.log and not integer):
        levels = low + step * np.arange(round((high - low) / step) + 1)
    else:
        levels = np.geomspace(low, high, _LEVELS) if distribution.log else np.linspace(low, high, _LEVELS)
    both = np.append(np.round(levels) if integer else levels, np.array(values, dtype=float))
    return sorted({float(value) for value in both.tolist()})


def _cell(distribution: Any, value: Any) -> Any:
    """Return the value of a parameter in a configuration: texts where the choices are not all numbers."""
    choices = getattr(distribution, "choices", None)
    if choices is None or all(isinstance(choice, int | float) for choice in choices):
        return float(value)
    return str(value)
