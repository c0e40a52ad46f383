"""A baseline as a learner: a predictor of scikit-learn, configurations as its columns, and the scale of its target.

In: a problem. Binary options are 0 and 1, numeric options their values (`Encoding`); the target is ln y where all
values are positive, otherwise y (`TargetScale`). Out: a predictor without terms.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from splc.data.configurations import Configurations
from splc.io.numbers import power_of_two
from splc.io.settings import stated_values
from splc.learning.baselines.methods import METHODS, Method, Sizes, order
from splc.learning.features import Feature, stable_order
from splc.learning.judging import judged
from splc.learning.learner import only_step
from splc.learning.problem import LearningProblem
from splc.learning.result import LearningResult
from splc.learning.threads import one_thread
from splc.models.influence import TableRows, rows_of
from splc.types import Array

_LARGE = 1e15
# exp of it is a finite, positive number.
_LARGEST = 700.0
# Rows that are predicted at a time: products of columns of all rows might need much memory.
_CHUNK = 4096


@dataclass(frozen=True)
class Encoding:
    """The columns of configurations: binary options as 0 and 1, numeric options as their values.

    Values whose squares single precision cannot hold are divided by a power of 2. A numeric option or an observed
    variable that configurations may lack is 0 where it is absent, and has one more column that is 1 where it is
    present.
    """

    features: tuple[Feature, ...]  # the options and observed variables, sorted by name
    logs: bool = False  # whether those that are always positive have ln x as a further column

    @classmethod
    def of(cls, features: Sequence[Feature], logs: bool) -> Encoding:
        """Return the encoding of features; their order does not matter."""
        return cls(tuple(sorted(features, key=lambda feature: feature.name)), logs)

    def columns(self, configurations: Configurations | TableRows) -> Array:
        """Return the columns, shape (n, columns)."""
        columns = []
        for feature in self.features:
            values = configurations.column(feature.name)
            present = ~np.isnan(values)
            columns.append(np.where(present, values, 0.0) / _divisor(feature))
            if feature.partial:
                columns.append(present.astype(float))
            if self.logs and feature.numeric and feature.minimum > 0:
                columns.append(np.log(np.where(present, values, 1.0)))
        return np.column_stack(columns) if columns else np.zeros((len(configurations), 1))


def _divisor(feature: Feature) -> float:
    """Return 1, or for huge values the power of 2 that makes the largest one about 1."""
    largest = max(abs(feature.minimum), abs(feature.maximum))
    return power_of_two(np.array(largest)) if largest > _LARGE else 1.0


@dataclass(frozen=True)
class TargetScale:
    """A scale on which the learning set has mean 0 and standard deviation 1."""

    log: bool  # whether it is one of ln y
    unit: float  # what y is divided by if not
    mean: float  # the mean of the learning set on it
    deviation: float  # the standard deviation of the learning set; 1 if that is 0

    @classmethod
    def of(cls, values: Array) -> TargetScale:
        """Return the scale of a learning set's values, shape (n,)."""
        log = bool((values > 0).all())
        # The squares of large values must not overflow.
        unit = 1.0 if log else float(np.abs(values).max()) or 1.0
        raw = np.log(values) if log else values / unit
        deviation = float(raw.std())
        return cls(log, unit, float(raw.mean()), deviation if deviation > 1e-12 else 1.0)

    def scaled(self, values: Array) -> Array:
        """Return values on the scale, rounded: trees break ties by the last bits, which depend on the unit of y."""
        raw = np.log(values) if self.log else values / self.unit
        return np.round((raw - self.mean) / self.deviation, 10)

    def values(self, scaled: Array) -> Array:
        """Return the values of numbers on the scale, finite ones."""
        raw = self.mean + self.deviation * scaled
        if self.log:
            return np.exp(np.clip(raw, -_LARGEST, _LARGEST))
        return np.asarray(raw * self.unit)


@dataclass(frozen=True, eq=False)
class BaselinePredictor:
    """A fitted estimator."""

    encoding: Encoding  # the columns that it knows
    estimator: Any  # scikit-learn's estimator, on the scale of the target
    scale: TargetScale  # the scale

    def predict(self, configurations: Configurations | Any) -> Array:
        """Return the predictions, shape (n,), of configurations or of a table with a column per option."""
        columns = self.encoding.columns(rows_of(configurations))
        with _without_warnings():
            parts = [
                self.estimator.predict(columns[start : start + _CHUNK]) for start in range(0, len(columns), _CHUNK)
            ]
        return self.scale.values(np.concatenate(parts)) if parts else np.zeros(0)


@dataclass(frozen=True)
class BaselineLearner:
    """A predictor of scikit-learn with its settings. Learning does not depend on the order of rows or options.

    Args:
        name: its name in `METHODS`.
        changes: settings that differ from the defaults, as values or texts.

    Raises:
        SpecError: for an unknown setting or a wrong value.
    """

    name: str
    changes: Mapping[str, Any] = field(default_factory=dict, hash=False)
    settings: Mapping[str, Any] = field(init=False, hash=False)
    preset: str = field(default="default", init=False)
    # A predictor without terms is not written to a file.
    suffix: str = field(default="", init=False)

    def __post_init__(self) -> None:
        known = METHODS[self.name].settings
        values = {name: setting.default for name, setting in known.items()} | stated_values(
            known, self.changes, self.name
        )
        object.__setattr__(self, "settings", values)

    @property
    def method(self) -> Method:
        """Its line in the table."""
        return METHODS[self.name]

    @property
    def draws(self) -> bool:
        """True if the result depends on the seed."""
        return self.method.draws

    def learn(self, problem: LearningProblem) -> LearningResult:
        """Fit the estimator to the learning set."""
        from sklearn.dummy import DummyRegressor

        table = problem.features(numeric_disabled=False)
        rows = stable_order(table)
        encoding = Encoding.of(table.features, self.method.logs)
        columns = encoding.columns(problem.configurations[rows])
        values = table.target[rows]
        scale = TargetScale.of(values)
        target = scale.scaled(values)
        sizes = Sizes(*columns.shape)
        varying = bool(np.ptp(target) > 0 and np.ptp(columns, axis=0).any())
        estimator = self.method.build(self.settings, sizes, problem.seed) if varying else DummyRegressor()
        with _without_warnings():
            _, seconds = only_step(f"predictor {self.name}", partial(estimator.fit, columns, target), problem.on_step)
        notes = []
        if "order" in self.settings and order(self.settings, sizes) < self.settings["order"]:
            notes.append(f"{self.name}: {sizes.columns:,} columns have too many products, which are left out")
        return judged(
            problem,
            self,
            BaselinePredictor(encoding, estimator, scale),
            termination="fitted",
            seconds=seconds,
            notes=notes,
        )


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Use one thread, and leave out warnings about convergence."""
    from sklearn.exceptions import ConvergenceWarning

    with one_thread(), warnings.catch_warnings():
        # A lasso path that has not converged is judged by its held-out rows as well.
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
