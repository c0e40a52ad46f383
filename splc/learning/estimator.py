"""The learners projection and stepwise as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning.features import Feature, FeatureTable
from splc.learning.learn import learn
from splc.learning.registry import STEPWISE, learner_name
from splc.learning.result import Round
from splc.learning.stepwise.settings import preset as preset_settings
from splc.learning.stepwise.stepwise import select
from splc.models.influence import InfluenceModel
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import VariabilityModel
from splc.types import Array

Columns = Mapping[str, Array]
Fitted = tuple[InfluenceModel, tuple[Round, ...], str]


class PerformanceInfluenceRegressor(RegressorMixin, BaseEstimator):
    """Performance-influence models of tables of numbers.

    A column with only 0 and 1 in `fit` is a binary option, every other column a numeric option with the values seen.
    SPL Conqueror's algorithm needs positive values for relative errors: if y has others, its loss is least squares
    instead, and unless `settings` state otherwise it ends when a round lowers the squared error by less than a
    thousandth of y's variance.

    Args:
        preset: 'default' is the default learner; 'splconqueror' is SPL Conqueror's feature forward selection with
            stepwise regression.
        settings: settings of the learner that differ from the preset, by name.
        random_state: seed (an int) of the cross-validation folds and bags of SPL Conqueror's algorithm.

    Attributes:
        model_: the learned `InfluenceModel`, over the columns' names (`x0`, `x1`, … without names).
        rounds_: the rounds of learning; empty for the default learner.
        termination_: the rule that ended learning.
    """

    def __init__(
        self, preset: str = "default", settings: Mapping[str, Any] | None = None, random_state: int | None = None
    ) -> None:
        self.preset = preset
        self.settings = settings
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from X, shape (n, features), and y, shape (n,).

        Raises:
            SpecError: for an unknown preset or setting.
        """
        X, y = validate_data(self, X, y, y_numeric=True)
        columns = dict(zip(self._names(), X.astype(float).T, strict=True))
        fitted = self._stepwise if learner_name(None, self.preset) == STEPWISE else self._default
        self.model_, self.rounds_, self.termination_ = fitted(columns, np.asarray(y, dtype=float))
        return self

    def _default(self, columns: Columns, y: Array) -> Fitted:
        """Return the model, rounds and termination of the default learner; equal rows are repetitions."""
        options: list[Option] = []
        for name, values in columns.items():
            binary = bool(np.isin(values, (0.0, 1.0)).all())
            options.append(BinaryOption(name) if binary else _numeric(name, values))
        options.sort(key=lambda option: isinstance(option, NumericOption))
        rows, place = np.unique(np.column_stack(list(columns.values())), axis=0, return_inverse=True)
        counts = np.bincount(place)
        order = np.lexsort((y, place))
        repetitions = np.full((len(rows), counts.max()), np.nan)
        repetitions[np.arange(counts.max()) < counts[:, np.newaxis]] = y[order]
        system = VariabilityModel("table", tuple(options))
        known = Configurations.from_columns(system, dict(zip(columns, rows.T, strict=True)))
        result = learn(Measurements(known, {"y": repetitions}), "y", self.preset, settings=self.settings)
        return result.model, result.rounds, result.termination

    def _stepwise(self, columns: Columns, y: Array) -> Fitted:
        """Return the model, rounds and termination of SPL Conqueror's algorithm."""
        chosen = preset_settings(self.preset).changed(self.settings or {})
        features = []
        for name, values in columns.items():
            numeric = not np.isin(values, (0.0, 1.0)).all()
            low, high = float(values.min()), float(values.max())
            features.append(Feature(name, numeric, low, high, bool((values == 0).any())))
        problem = FeatureTable(tuple(features), columns, y)
        seed = 0 if self.random_state is None else self.random_state
        if chosen.lossFunction == "RELATIVE" and y.min() <= 0:
            limits = {"abortError": 0, "minImprovementPerRound": 1e-3 * float(np.var(y))}
            chosen = chosen.changed(limits).changed({**(self.settings or {}), "lossFunction": "LEASTSQUARES"})
        outcome = select(problem, chosen, seed)
        model = InfluenceModel.from_terms((pair for term in outcome.terms for pair in term.expanded), columns)
        return model, outcome.rounds, outcome.termination

    def predict(self, X: Any) -> Array:
        """Return predictions, shape (n,), for X of shape (n, features).

        Raises:
            EvaluationError: if a term of the default learner has no value, such as the logarithm of a negative number.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False).astype(float)
        columns = dict(zip(self._names(), X.T, strict=True))
        if learner_name(None, self.preset) != STEPWISE:
            # Values that were not seen are values of this system.
            seen = VariabilityModel("table", tuple(_numeric(name, values) for name, values in columns.items()))
            return self.model_.predict(Configurations.from_columns(seen, columns))
        total = np.zeros(len(X))
        for term, influence in self.model_.terms:
            total += influence * term.evaluate(columns.__getitem__)
        return total

    def _names(self) -> tuple[str, ...]:
        names = getattr(self, "feature_names_in_", [f"x{i}" for i in range(self.n_features_in_)])
        return tuple(str(name) for name in names)


def _numeric(name: str, values: Array) -> NumericOption:
    """Return a numeric option with the values of a column."""
    return NumericOption(name, tuple(np.unique(values).tolist()))
