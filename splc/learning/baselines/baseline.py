"""A baseline as a learner."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from splc.data.configurations import Configurations
from splc.io.settings import stated_values
from splc.learning.baselines.encoding import Encoding
from splc.learning.baselines.methods import METHODS, Method, Sizes, order
from splc.learning.baselines.target import TargetScale
from splc.learning.features import stable_order
from splc.learning.judging import judged
from splc.learning.loop import only_step
from splc.learning.problem import LearningProblem
from splc.learning.result import LearningResult
from splc.learning.threads import one_thread
from splc.models.influence import rows_of
from splc.types import Array

# Rows that are predicted at a time: products of columns of all rows might need much memory.
_CHUNK = 4096


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
