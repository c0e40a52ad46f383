"""Fixtures of the tests of learning: real measurements and random problems."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.formats.detect import read_variability_model
from splc.formats.measurements.read import read_measurements
from splc.learning import LearningProblem, LearningResult
from splc.learning.features import Feature, FeatureTable
from splc.learning.learner import judged
from splc.learning.stepwise.candidates import CandidateGrid
from splc.models.influence import InfluenceModel
from splc.types import Array
from tests.support.real_data import real

README = {
    "lossFunction": "RELATIVE",
    "abortError": 10,
    "minImprovementPerRound": 0.25,
    "learn_logFunction": True,
    "quadraticFunctionSupport": True,
}
# Checks of scikit-learn that learn several times from 200 rows of ten numeric columns. The default learner, which takes
# longest, has the class of SPL Conqueror's preset, whose checks are all in the usual run.
SLOW_CHECKS = re.compile(
    r"PerformanceInfluenceRegressor\(\)-|ScalingModelRegressor\(\)-check_(dtype_object|estimators_dtypes|fit_idempotent|"
    r"fit_check_is_fitted|estimators_nan_inf|n_features_in|pipeline_consistency|positive_only|regressor_data_not_an_array|"
    r"regressors_(int|train)|supervised_y_2d)"
)
ALL_FUNCTIONS = {
    "learn_logFunction": True,
    "learn_asymFunction": True,
    "learn_ratioFunction": True,
    "learn_mirrowedFunction": True,
    "learn_accumulatedLogFunction": True,
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slowest checks of estimators, before slow tests are left out."""
    for item in items:
        if SLOW_CHECKS.search(item.name):
            item.add_marker(pytest.mark.slow)


def table_of(target: Any, **columns: Any) -> FeatureTable:
    """Return a table of features: binary ones of zeros and ones, others with the range of their values."""
    arrays = {name: np.asarray(column, dtype=float) for name, column in columns.items()}
    features = [
        Feature(name, not np.isin(x, (0.0, 1.0)).all(), float(x.min()), float(x.max()), bool((x == 0).any()))
        for name, x in arrays.items()
    ]
    return FeatureTable(tuple(features), arrays, np.asarray(target, dtype=float))


def offered(grid: CandidateGrid) -> dict[str, tuple[int, int]]:
    """Return the candidates that are offered, as text → head and atom; each is offered once."""
    cells: list[tuple[int, int]] = [(head, atom) for head, atom in np.argwhere(grid.offered).tolist()]
    return {grid.candidate(*cell).learned(1.0).log_text(): cell for cell in cells}


@cache
def measured(system: str) -> Measurements:
    """Return the measurements of a real system."""
    folder = real(system)
    model = read_variability_model(folder / "FeatureModel.xml")
    return read_measurements(folder / "measurements.xml", model)


@st.composite
def problems(draw: Any, most_rows: int = 40) -> FeatureTable:
    """Random problems: a few binary and numeric features, a positive target."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = draw(st.integers(4, most_rows))
    binary, numeric = draw(st.integers(0, 4)), draw(st.integers(0, 2))
    features = [Feature(f"b{i}", False) for i in range(binary)]
    columns = {f"b{i}": rng.integers(0, 2, rows).astype(float) for i in range(binary)}
    for i in range(numeric):
        values = rng.integers(1, 6, rows).astype(float)
        features.append(Feature(f"n{i}", True, 1.0, 5.0, has_zero=False))
        columns[f"n{i}"] = values
    target = rng.uniform(1, 10, rows) * 10.0 ** draw(st.integers(-12, 12))
    return FeatureTable(tuple(features), columns, target)


@dataclass(frozen=True)
class MadeLearner:
    """A learner whose predictor is a function of configurations, made from a learning problem."""

    made: Callable[[LearningProblem], Callable[[Configurations], Array]]
    printed: InfluenceModel | None = None
    name: str = "made"
    preset: str = "default"
    draws: bool = False
    suffix: str = ".json"
    settings: Mapping[str, Any] = field(default_factory=dict)

    def learn(self, problem: LearningProblem) -> LearningResult:
        """Learn as stated, in no time."""
        predictor = Predicts(self.made(problem))
        return judged(problem, self, predictor, termination="done", seconds=0.0, printed=self.printed)


@dataclass(frozen=True)
class Predicts:
    """A predictor without terms."""

    predict: Callable[[Configurations], Array]


def mean_of(problem: LearningProblem) -> Callable[[Configurations], Array]:
    """Return what predicts the mean of the learning set for every configuration."""
    return constant(float(problem.target.mean()))


@cache
def constant(value: float) -> Callable[[Configurations], Array]:
    """Return what predicts a value for every configuration: the same function for the same value."""
    return lambda configurations: np.full(len(configurations), value)
