"""The learners projection and stepwise, and scaling models, as scikit-learn estimators: predictions with intervals."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal, Self, overload

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import validation

from splc.data.configurations import Configurations, with_further_values
from splc.data.measurements import Measurements, side_by_side
from splc.errors import LearningError, Problem, SpecError, listed
from splc.io.numbers import comparable_size
from splc.learning.contexts.sharing import Sharing, further_predictor
from splc.learning.features import TableColumns, numbers_in, texts_in, total_effects
from splc.learning.learner import Learner
from splc.learning.projection import Form, ProjectionLearner, ProjectionSettings, ScaleChoice
from splc.learning.registry import learn, learner_of
from splc.learning.result import FullPredictor, LearningResult, Predictor
from splc.learning.stepwise.algorithm import StepwiseLearner
from splc.learning.stepwise.settings import preset as preset_settings
from splc.models.influence import InfluenceModel
from splc.scaling.fit import MAX_PARAMETERS, fit
from splc.scaling.result import ScalingModel
from splc.system.variability import VariabilityModel
from splc.types import Array

Columns = Mapping[str, Array]


class PerformanceInfluenceRegressor(RegressorMixin, BaseEstimator):
    """Performance-influence models of tables.

    A column with only 0 and 1 in `fit` is a binary option, every other column of numbers a numeric option with the
    values seen. `predict` takes further numbers, with wider intervals.
    A column of text is an alternative group: the text `t` in the column `x` is the option `x_t`; other texts are
    predicted as the mean of the known ones, with a warning. A constant column `root`, which SPL Conqueror's tables
    have, is ignored. Equal rows are repetitions. With `groups`, such as the version of each row, each group has a
    model, and all are learned together (`splc learn --by version --share`).
    SPL Conqueror's algorithm needs positive values for relative errors: if y has others, its loss is least squares
    instead, and unless `settings` state otherwise it ends when a round lowers the squared error by less than a
    thousandth of y's variance.

    Args:
        preset: 'default' is the default learner; 'splconqueror' is SPL Conqueror's feature forward selection with
            stepwise regression.
        settings: settings of the learner that differ from the preset, by name.
        random_state: seed (an int) of the cross-validation folds and bags of SPL Conqueror's algorithm.
        terms: the largest number of terms besides the constant; None is chosen by the expected error. This and the
            following arguments are settings of the default learner.
        readable: whether fewer terms are preferred at up to 5 % more error.
        form: 'sum' of terms, 'product' of factors, or 'auto'.
        scale: the scale of the full model, 'log', 'raw' or 'auto'.
        order: the largest number of columns in a term; None is chosen by their number.
        functions: further functions of columns, such as 'sqrt', separated by commas; of both algorithms.

    Attributes:
        model_: the learned `InfluenceModel`, over the columns' names (`x0`, `x1`, … without names). That of the default
            learner is the printed one, while the full model predicts.
        feature_importances_: the share of each column in the variance of the predictions, shape (features,).
        result_: the `LearningResult`.
        results_: group → its `LearningResult`; empty without groups. Then `model_` and `result_` are of the first one.
        rounds_: the rounds of learning; empty for the default learner.
        termination_: the rule that ended learning.
        n_features_in_: the number of columns.
        feature_names_in_: the names of the columns, if X had names.

    Examples:
        >>> estimator = splc.learning.PerformanceInfluenceRegressor(terms=3)
        >>> estimator.fit(table[["threads", "tls"]], table.time).score(table[["threads", "tls"]], table.time) > 0.9
        True
    """

    def __init__(
        self,
        preset: str = "default",
        settings: Mapping[str, Any] | None = None,
        random_state: int | None = None,
        *,
        terms: int | None = None,
        readable: bool = False,
        form: Form = "auto",
        scale: ScaleChoice = "auto",
        order: int | None = None,
        functions: str = "",
    ) -> None:
        self.preset, self.settings, self.random_state = preset, settings, random_state
        self.terms, self.readable, self.form, self.scale = terms, readable, form, scale
        self.order, self.functions = order, functions

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Learn from X, shape (n, features), and y, shape (n,).

        Args:
            X: an array or a data frame.
            y: the values to predict.
            groups: the group of each row (version, workload, machine), shape (n,); groups are learned together.

        Raises:
            SpecError: for an unknown preset or setting, or if SPL Conqueror's algorithm is to learn groups.
        """
        self._texts = texts_in(X)
        if self._texts:
            validation.validate_data(self, X, skip_check_array=True)
            X, y = validation.check_X_y(numbers_in(X, column_names(self), self._texts), y, y_numeric=True)
        else:
            X, y = validation.validate_data(self, X, y, y_numeric=True)
        X, y = X.astype(float), np.asarray(y, dtype=float)
        self._columns = TableColumns.of(column_names(self), X, self._texts)
        columns = self._columns.values(X)
        system, learner = self._columns.system(columns), self._learner(y)
        self._sharing: Sharing | None = None
        # Groups without rows → what predicts them, as far as they were asked for.
        self._further: dict[str, Predictor] = {}
        self.results_: dict[str, LearningResult] = {}
        if groups is None:
            seed = 0 if self.random_state is None else self.random_state
            self.result_ = learn(measurements_of(columns, y, system), "y", learner=learner, seed=seed)
        else:
            if not isinstance(learner, ProjectionLearner):
                raise SpecError(f"the learner {learner.name} learns each group alone", hint="preset='default'")
            names, parts = group_names(groups, len(y)), {}
            for name in sorted(set(names.tolist())):
                rows = np.flatnonzero(names == name)
                some = {column: values[rows] for column, values in columns.items()}
                parts[name] = measurements_of(some, y[rows], system)
            self._sharing = Sharing.of(parts, "y", learner.chosen.scale)
            for name, part in parts.items():
                own = replace(learner, fit=self._sharing.fit_of(name))
                self.results_[name] = learn(part, "y", learner=own)
            self.result_ = next(iter(self.results_.values()))
        result = self.result_
        self.model_, self.rounds_, self.termination_ = result.model, result.rounds, result.termination
        shares = [total_effects(partial(self._predicted, group=name), X) for name in self.results_ or [None]]
        self.feature_importances_ = np.mean(shares, axis=0)
        return self

    def _learner(self, y: Array) -> Learner:
        """Return the learner; SPL Conqueror's has another loss where values have no relative error."""
        defaults = ProjectionSettings()
        values = {name: getattr(self, name) for name in defaults.__dataclass_fields__}
        changed_values = {name: value for name, value in values.items() if value != getattr(defaults, name)}
        settings = {**changed_values, **(self.settings or {})}
        learner = learner_of(None, self.preset, settings)
        if isinstance(learner, StepwiseLearner) and learner.chosen.lossFunction == "RELATIVE" and y.min() <= 0:
            limits = {"abortError": 0, "minImprovementPerRound": 1e-3 * float(np.var(y))}
            changed = preset_settings(self.preset).changed(limits).changed({**settings, "lossFunction": "LEASTSQUARES"})
            return StepwiseLearner(self.preset, changed.as_dict())
        return learner

    @overload
    def predict(self, X: Any, return_interval: Literal[False] = False, groups: Any = None) -> Array: ...

    @overload
    def predict(self, X: Any, return_interval: Literal[True], groups: Any = None) -> tuple[Array, Array, Array]: ...

    def predict(self, X: Any, return_interval: bool = False, groups: Any = None) -> Array | tuple[Array, Array, Array]:
        """Return predictions, shape (n,), for X of shape (n, features).

        Args:
            X: an array or a data frame.
            return_interval: whether to return the lower and upper ends of 90 % prediction intervals of a value, too.
            groups: the group of each row, if `fit` had groups. What is not among them is predicted by what all groups
                have in common, with the spread between them in its intervals.

        Raises:
            SpecError: if there are groups in `fit` or here only.
            EvaluationError: if a term has no value, such as the logarithm of a negative number.
            LearningError: if intervals are wanted of a model that has none (SPL Conqueror's algorithm).
        """
        validation.check_is_fitted(self)
        if (groups is None) != (self._sharing is None):
            where, hint = ("fit", "predict(X, groups=…)") if groups is None else ("predict", "fit(X, y, groups=…)")
            raise SpecError(f"only {where} has groups", hint=hint)
        X = validation.validate_data(self, X, reset=False, skip_check_array=bool(self._texts))
        if self._texts:
            X = validation.check_array(numbers_in(X, column_names(self), self._texts))
        X = np.asarray(X, dtype=float)
        names = np.full(len(X), None) if groups is None else group_names(groups, len(X))
        found = np.empty((3 if return_interval else 1, len(X)))
        for name in dict.fromkeys(names.tolist()):
            rows = np.flatnonzero(names == name)
            found[0, rows] = self._predicted(X[rows], name)
            if return_interval:
                predictor = self._predictor(name)
                if not isinstance(predictor, FullPredictor):
                    hint = "use preset='default'"
                    raise LearningError(Problem("SPL Conqueror's algorithm has no prediction intervals", hint=hint))
                found[1:, rows] = predictor.interval(self._configurations(X[rows]))
        return (found[0], found[1], found[2]) if return_interval else found[0]

    def _predicted(self, X: Array, group: str | None = None) -> Array:
        return self._predictor(group).predict(self._configurations(X))

    def _predictor(self, group: str | None) -> Predictor:
        """Return what predicts a group: its model, or of a further group what all have in common."""
        if group is None or group in self.results_:
            return (self.result_ if group is None else self.results_[group]).predictor
        if group not in self._further and self._sharing is not None:
            self._further[group] = further_predictor(self._sharing, group)
        return self._further[group]

    def _configurations(self, X: Array) -> Configurations:
        """Return rows as configurations of the system that was learned from, also with further values."""
        assert self.result_.system is not None
        columns = self._columns.values(X)
        return Configurations.from_columns(with_further_values(self.result_.system, columns), columns)


def column_names(estimator: Any) -> tuple[str, ...]:
    """Return the names of the columns that an estimator was fitted to: `x0`, `x1`, … where X had no names."""
    names = getattr(estimator, "feature_names_in_", [f"x{i}" for i in range(estimator.n_features_in_)])
    return tuple(str(name) for name in names)


def measurements_of(columns: Columns, y: Array, system: VariabilityModel) -> Measurements:
    """Return rows as measurements of a property `y`, of a system whose columns these are."""
    rows, row_of = np.unique(np.column_stack(list(columns.values())), axis=0, return_inverse=True)
    # The result must not depend on the order of equal rows.
    order = np.lexsort((y, row_of))
    repeated = side_by_side({"y": y[order, np.newaxis]}, row_of[order], np.ones(len(y), dtype=np.int64))
    return Measurements(Configurations.from_columns(system, dict(zip(columns, rows.T, strict=True))), repeated)


def group_names(groups: Any, rows: int) -> Array:
    """Return the names of the groups of rows, shape (n,): numbers as text without zeros at the end."""
    values = validation.column_or_1d(np.asarray(groups))
    if len(values) != rows:
        raise ValueError(f"{rows} rows, but {len(values)} groups")
    numbers = np.issubdtype(values.dtype, np.number)
    return np.array([f"{value:g}" if numbers else str(value) for value in values.tolist()], dtype=object)


class ScalingModelRegressor(RegressorMixin, BaseEstimator):
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

    Examples:
        >>> splc.learning.ScalingModelRegressor().fit(np.c_[x], y).predict([[32]]).round()
        array([65.])
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
        X, y = validation.validate_data(self, X, y, y_numeric=True, ensure_min_samples=2)
        X = X.astype(float)
        validation.check_non_negative(X, "ScalingModelRegressor")
        y = np.asarray(y, dtype=float)
        names = column_names(self)
        self.parameters_ = chosen_columns(X, y)
        if len(self.parameters_) < X.shape[1]:
            omitted = listed([name for at, name in enumerate(names) if at not in self.parameters_])
            message = f"a scaling model has at most {MAX_PARAMETERS} parameters: left out are {omitted}"
            warnings.warn(message, stacklevel=2)
        settings = {"method": self.method, **(self.settings or {}), "names": [names[at] for at in self.parameters_]}
        self.scaling_: ScalingModel = fit(X[:, self.parameters_], y, **settings)
        self.model_: InfluenceModel = self.scaling_.model
        self.feature_importances_ = total_effects(lambda rows: self.scaling_.predict(rows[:, self.parameters_]), X)
        return self

    @overload
    def predict(self, X: Any, return_interval: Literal[False] = False) -> Array: ...

    @overload
    def predict(self, X: Any, return_interval: Literal[True]) -> tuple[Array, Array, Array]: ...

    def predict(self, X: Any, return_interval: bool = False) -> Array | tuple[Array, Array, Array]:
        """Return predictions, shape (n,), for X of shape (n, features), and with `return_interval` their intervals."""
        validation.check_is_fitted(self)
        x = np.asarray(validation.validate_data(self, X, reset=False), dtype=float)[:, self.parameters_]
        predicted = self.scaling_.predict(x)
        return (predicted, *self.scaling_.interval(x)) if return_interval else predicted


def chosen_columns(X: Array, y: Array) -> Array:
    """Return the positions of the columns to use: all, or those most correlated with y in the order of their values."""
    varying = np.flatnonzero((X[0] != X).any(axis=0))
    if len(varying) <= MAX_PARAMETERS or (y == y[0]).all():
        return np.arange(X.shape[1]) if len(varying) <= MAX_PARAMETERS else varying[:MAX_PARAMETERS]
    from scipy.stats import rankdata

    correlations = np.corrcoef(rankdata(X[:, varying], axis=0), rankdata(y), rowvar=False)[-1, :-1]
    best = np.argsort([-comparable_size(abs(correlation)) for correlation in correlations.tolist()], kind="stable")
    return np.sort(varying[best[:MAX_PARAMETERS]])
