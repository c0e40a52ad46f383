"""The stepwise learner as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from splc.learning.features import Feature, FeatureTable
from splc.learning.stepwise.settings import preset as preset_settings
from splc.learning.stepwise.stepwise import select
from splc.models.influence import InfluenceModel
from splc.types import Array


class PerformanceInfluenceRegressor(RegressorMixin, BaseEstimator):
    """Feature forward selection with stepwise regression, for tables of numbers.

    A column with only 0 and 1 in `fit` is a binary option, every other column a numeric option with the values seen.
    Relative errors need positive values: if y has others, the loss is least squares instead, and unless `settings`
    state otherwise learning ends when a round lowers the squared error by less than a thousandth of y's variance.

    Args:
        preset: name of the settings to start from.
        settings: settings that differ from the preset, by SPL Conqueror's names.
        random_state: seed (an int) of cross-validation folds and bags.

    Attributes:
        model_: the learned `InfluenceModel`, over the columns' names (`x0`, `x1`, … without names).
        rounds_: the rounds of learning.
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
        X, y = X.astype(float), np.asarray(y, dtype=float)
        chosen = preset_settings(self.preset).changed(self.settings or {})
        names = self._names()
        features = []
        for name, values in zip(names, X.T, strict=True):
            numeric = not np.isin(values, (0.0, 1.0)).all()
            low, high = float(values.min()), float(values.max())
            features.append(Feature(name, numeric, low, high, bool((values == 0).any())))
        problem = FeatureTable(tuple(features), dict(zip(names, X.T, strict=True)), y)
        seed = 0 if self.random_state is None else self.random_state
        if chosen.lossFunction == "RELATIVE" and y.min() <= 0:
            limits = {"abortError": 0, "minImprovementPerRound": 1e-3 * float(np.var(y))}
            chosen = chosen.changed(limits).changed({**(self.settings or {}), "lossFunction": "LEASTSQUARES"})
        outcome = select(problem, chosen, seed)
        self.model_ = InfluenceModel.from_terms((pair for term in outcome.terms for pair in term.expanded), names)
        self.rounds_ = outcome.rounds
        self.termination_ = outcome.termination
        return self

    def predict(self, X: Any) -> Array:
        """Return predictions, shape (n,), for X of shape (n, features)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False).astype(float)
        columns = dict(zip(self._names(), X.T, strict=True))
        total = np.zeros(len(X))
        for term, influence in self.model_.terms:
            total += influence * term.evaluate(columns.__getitem__)
        return total

    def _names(self) -> tuple[str, ...]:
        names = getattr(self, "feature_names_in_", [f"x{i}" for i in range(self.n_features_in_)])
        return tuple(str(name) for name in names)
