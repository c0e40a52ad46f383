"""Scaling models as a scikit-learn estimator."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_non_negative, validate_data

from splc.errors import listed
from splc.io.numbers import comparable_size
from splc.learning.estimator import column_names
from splc.learning.feature_importance import total_effects
from splc.learning.interval_estimator import IntervalRegressor
from splc.models.influence import InfluenceModel
from splc.scaling.batch import MAX_PARAMETERS
from splc.scaling.fit import fit
from splc.scaling.result import ScalingModel
from splc.types import Array


class ScalingModelRegressor(IntervalRegressor):
    """Scaling models: functions of parameters in the performance model normal form (`splc.scaling.fit`).

    The columns of X are parameters, such as the number of processes and the size of a problem, and at least 0. Equal
    rows are repetitions. A scaling model has at most five parameters: of more columns, those are used whose order of
    values is correlated most with that of y, with a warning.

    Args:
        method: the method, see `splc.scaling.fit`; several columns need 'default'.
        settings: further settings of `splc.scaling.fit`, by name.

    Attributes:
        scaling_: the `ScalingModel` of the used columns.
        parameters_: the positions of the used columns.
        model_: the same function as an `InfluenceModel`, over the columns' names (`x0`, `x1`, … without names).
        feature_importances_: the share of each column in the variance of the predictions, shape (features,).
        n_features_in_: the number of columns.
        feature_names_in_: the names of the columns, if X had names.
    """

    def __init__(self, method: str = "default", settings: Mapping[str, Any] | None = None) -> None:
        self.method = method
        self.settings = settings

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Fit a model to X, shape (n, features), and y, shape (n,).

        Args:
            X: an array or a data frame.
            y: the values to predict.

        Raises:
            ValueError: if a parameter is negative.
            MeasurementError: if no model can be fitted.
            SpecError: if a setting is unknown or wrong.
        """
        X, y = validate_data(self, X, y, y_numeric=True, ensure_min_samples=2)
        X = X.astype(float)
        check_non_negative(X, "ScalingModelRegressor")
        y = np.asarray(y, dtype=float)
        names = column_names(self)
        self.parameters_ = chosen_columns(X, y)
        if len(self.parameters_) < X.shape[1]:
            omitted = listed([name for at, name in enumerate(names) if at not in self.parameters_])
            warnings.warn(
                f"a scaling model has at most {MAX_PARAMETERS} parameters: left out are {omitted}", stacklevel=2
            )
        settings = {"method": self.method, **(self.settings or {})}
        parameter_names = [names[at] for at in self.parameters_]
        self.scaling_: ScalingModel = fit(X[:, self.parameters_], y, names=parameter_names, **settings)
        self.model_: InfluenceModel = self.scaling_.model
        self.feature_importances_ = total_effects(self._predicted, X)
        return self

    def _interval(self, X: Array) -> tuple[Array, Array]:
        return self.scaling_.interval(X[:, self.parameters_])

    def _predicted(self, X: Array) -> Array:
        return self.scaling_.predict(X[:, self.parameters_])


def chosen_columns(X: Array, y: Array) -> Array:
    """Return the positions of the columns to use: all, or those most correlated with y in the order of their values."""
    varying = np.flatnonzero((X[0] != X).any(axis=0))
    if len(varying) <= MAX_PARAMETERS or (y == y[0]).all():
        return np.arange(X.shape[1]) if len(varying) <= MAX_PARAMETERS else varying[:MAX_PARAMETERS]
    from scipy.stats import rankdata

    correlations = np.corrcoef(rankdata(X[:, varying], axis=0), rankdata(y), rowvar=False)[-1, :-1]
    best = np.argsort([-comparable_size(abs(correlation)) for correlation in correlations.tolist()], kind="stable")
    return np.sort(varying[best[:MAX_PARAMETERS]])
