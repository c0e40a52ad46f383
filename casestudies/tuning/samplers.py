"""Samplers: other tuners, which are asked for the codes of the next run and told its value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from casestudies.tuning.choices import Choices
from splc.types import Array

TPE, SMAC = "Optuna TPE", "SMAC"


class Sampler(ABC):
    """A tuner that knows choices, but no constraints."""

    @abstractmethod
    def ask(self) -> Array:
        """Return the codes of the next run, shape (variables,)."""

    @abstractmethod
    def tell(self, value: float) -> None:
        """Take the value of the run that was asked for last."""


class ParzenSampler(Sampler):
    """Optuna's default sampler, with one distribution per choice.

    Args:
        choices: the choices.
        seed: the seed.
        budget: not used.
    """

    def __init__(self, choices: Choices, seed: int, budget: int) -> None:
        optuna: Any = import_module("optuna")
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
        self._choices, self._trial = choices, None

    def ask(self) -> Array:
        """Return the codes of the next run."""
        trial = self._trial = self._study.ask()
        both = zip(self._choices.variables, self._choices.sizes, strict=True)
        return np.array(
            [
                trial.suggest_int(variable.name, 0, size - 1)
                if variable.kind == "numeric"
                else trial.suggest_categorical(variable.name, list(range(size)))
                for variable, size in both
            ]
        )

    def tell(self, value: float) -> None:
        """Take the value of the run that was asked for last."""
        self._study.tell(self._trial, value)


class ForestSampler(Sampler):
    """SMAC's facade for hyperparameters, one per choice; the budget decides the number of its first runs."""

    def __init__(self, choices: Choices, seed: int, budget: int) -> None:
        smac: Any = import_module("smac")
        spaces: Any = import_module("ConfigSpace")
        space = spaces.ConfigurationSpace(seed=seed)
        for variable, size in zip(choices.variables, choices.sizes, strict=True):
            if variable.kind == "numeric":
                space.add(spaces.UniformIntegerHyperparameter(variable.name, 0, size - 1))
            else:
                space.add(spaces.CategoricalHyperparameter(variable.name, list(range(size))))
        self._names = [variable.name for variable in choices.variables]
        self._folder = TemporaryDirectory()
        # The samplers of a table may be told of as many rows as it has.
        settings = {
            "deterministic": True,
            "n_trials": budget,
            "seed": seed,
            "output_directory": Path(self._folder.name),
        }
        scenario = smac.Scenario(space, **settings)
        facade = smac.HyperparameterOptimizationFacade
        self._facade = facade(scenario, lambda config, seed=0: 0.0, logging_level=False, overwrite=True)
        self._value = import_module("smac.runhistory.dataclasses").TrialValue
        self._trial: Any = None

    def ask(self) -> Array:
        """Return the codes of the next run."""
        self._trial = self._facade.ask()
        config = dict(self._trial.config)
        return np.array([int(config[name]) for name in self._names])

    def tell(self, value: float) -> None:
        """Take the value of the run that was asked for last."""
        self._facade.tell(self._trial, self._value(cost=value))


# Name → package, and what makes the sampler for choices, a seed and a number of runs.
SAMPLERS: Mapping[str, tuple[str, Callable[[Choices, int, int], Sampler]]] = {
    TPE: ("optuna", ParzenSampler),
    SMAC: ("smac", ForestSampler),
}


def installed_samplers() -> tuple[str, ...]:
    """Return the names of the samplers whose packages are installed."""
    return tuple(name for name, (package, _) in SAMPLERS.items() if find_spec(package))
