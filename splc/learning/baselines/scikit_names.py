"""scikit-learn's estimators by the names and parameters that SPL Conqueror's `learn-python` takes."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from splc.data.accuracy import mean_relative_error
from splc.errors import LearningError, SpecError, unknown_name_hint
from splc.learning.baselines.baseline import BaselinePredictor, Encoding, TargetScale, scikit
from splc.learning.features import stable_order
from splc.learning.judging import judged
from splc.learning.problem import LearningProblem
from splc.learning.result import LearningResult
from splc.learning.threads import one_thread
from splc.types import Array

# Targets are learned in their own unit, as SPL Conqueror does it.
_PLAIN = TargetScale(log=False, unit=1.0, mean=0.0, deviation=1.0)
_WITHOUT = {
    "lineardecisiontreeregression": "trees of linear models need another package; choose DecisionTreeRegression"
}


# Name → class of scikit-learn, and that of the estimator that it repeats.
ESTIMATORS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "SVR": ("svm.SVR",),
        "DecisionTreeRegression": ("tree.DecisionTreeRegressor",),
        "RandomForestRegressor": ("ensemble.RandomForestRegressor",),
        "BaggingSVR": ("ensemble.BaggingRegressor", "svm.SVR"),
        "KNeighborsRegressor": ("neighbors.KNeighborsRegressor",),
        "KERNELRIDGE": ("kernel_ridge.KernelRidge",),
    }
)
# The default grid of `learn-python-opt`.
GRIDS: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "SVR": {"C": ("1", "10", "100", "1000"), "epsilon": ("0.01", "0.1", "1")},
        "DecisionTreeRegression": {"max_depth": ("None", "4", "8", "16"), "min_samples_leaf": ("1", "2", "4")},
        "RandomForestRegressor": {"n_estimators": ("50", "100"), "min_samples_leaf": ("1", "2", "4")},
        "BaggingSVR": {"C": ("1", "100", "1000"), "n_estimators": ("10", "20")},
        "KNeighborsRegressor": {"n_neighbors": ("1", "3", "5", "9"), "weights": ("uniform", "distance")},
        "KERNELRIDGE": {"alpha": ("0.01", "0.1", "1", "10"), "kernel": ("linear", "rbf")},
    }
)


def spelled(name: str) -> str:
    """Return the name of an estimator in the table."""
    names_by_folded = {estimator.casefold(): estimator for estimator in ESTIMATORS}
    if name.casefold() not in names_by_folded:
        hint = _WITHOUT.get(name.casefold()) or unknown_name_hint(name, list(ESTIMATORS))
        reason = "is not supported" if name.casefold() in _WITHOUT else "is unknown"
        raise SpecError(f"the learner {name!r} {reason}", hint=hint)
    return names_by_folded[name.casefold()]


def estimator_of(name: str, values: Mapping[str, str], seed: int = 0) -> Any:
    """Return an estimator with scikit-learn's parameters."""
    kind, *repeated = ESTIMATORS[spelled(name)]
    estimator = scikit(kind, *map(scikit, repeated))
    paths = {
        parameter.rpartition("__")[2]: parameter for parameter in sorted(estimator.get_params(), key=len, reverse=True)
    }
    paths |= {parameter: parameter for parameter in estimator.get_params()}
    for parameter in values:
        if parameter not in paths:
            hint = unknown_name_hint(parameter, sorted(key for key in paths if "__" not in key))
            raise SpecError(f"{name} has no parameter {parameter!r}", hint=hint)
    estimator.set_params(**{paths[parameter]: value_of(text) for parameter, text in values.items()})
    if "random_state" in paths and "random_state" not in values:
        estimator.set_params(random_state=seed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # A fit of almost nothing checks the values.
            estimator.fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 3.0, 4.0])
    except (ValueError, TypeError) as error:
        raise SpecError(f"{name}: {' '.join(str(error).split())}") from None
    return estimator


def value_of(text: str) -> Any:
    """Return the value of a parameter: a number, True, False, None, or the text itself."""
    words = {"true": True, "false": False, "none": None}
    if text.casefold() in words:
        return words[text.casefold()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


@dataclass(frozen=True)
class ScikitLearner:
    """An estimator of scikit-learn by SPL Conqueror's name, fitted to the options and values as they are."""

    name: str  # its name in `ESTIMATORS`
    settings: Mapping[str, Any] = field(hash=False)  # scikit-learn's parameters, as texts
    preset: str = field(default="default", init=False)
    suffix: str = field(default="", init=False)
    draws: bool = field(default=True, init=False)

    def learn(self, problem: LearningProblem) -> LearningResult:
        """Fit the estimator to the learning set."""
        started = time.monotonic()
        table = problem.features(numeric_disabled=False)
        rows = stable_order(table)
        encoding = Encoding.of(table.features, logs=False)
        estimator = estimator_of(self.name, self.settings, problem.seed)
        with one_thread(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                estimator.fit(encoding.columns(problem.configurations[rows]), table.target[rows])
                predictor = BaselinePredictor(encoding, estimator, _PLAIN)
                predictor.predict(problem.configurations[rows[:1]])
            except ValueError as error:
                raise LearningError(f"{self.name}: {' '.join(str(error).split())}") from None
        seconds = time.monotonic() - started
        return judged(problem, self, predictor, termination="fitted", seconds=seconds)


def search(
    name: str, grid: Mapping[str, tuple[str, ...]], columns: Array, target: Array, folds: int, seed: int
) -> list[tuple[dict[str, str], float | None]]:
    """Return all settings of a grid with their mean relative errors on held-out folds, the best first.

    Configurations whose value is 0 have no relative error, and do not count. The error is None where an estimator
    cannot be fitted, such as 9 neighbours in fewer rows.

    `columns`: the configurations, shape (n, columns). `target`: their values, shape (n,).
    """
    from sklearn.model_selection import KFold, ParameterGrid

    if len(target) < 2:
        message = f"{name}: one configuration cannot be divided into folds"
        raise LearningError(message, hint="sample more configurations")
    split = list(KFold(min(folds, len(target)), shuffle=True, random_state=seed).split(columns))
    results: list[tuple[dict[str, str], float | None]] = []
    reason = "all values of the property are 0"
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for values in ParameterGrid({key: list(grid_values) for key, grid_values in grid.items()}):
            estimator = estimator_of(name, values, seed)
            predicted = np.empty(len(target))
            try:
                for learned, held_out in split:
                    predicted[held_out] = estimator.fit(columns[learned], target[learned]).predict(columns[held_out])
            except ValueError as error:
                reason = " ".join(str(error).split())
                results.append((dict(values), None))
                continue
            results.append((dict(values), mean_relative_error(predicted, target)))
    if all(error is None for _, error in results):
        raise LearningError(f"{name}: {reason}", hint="sample more configurations, or try other values")
    return sorted(results, key=lambda pair: math.inf if pair[1] is None else pair[1])
