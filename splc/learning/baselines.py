"""Predictors of scikit-learn without readable terms, learned from the same rows as a model with terms.

In: a problem. Binary options are 0 and 1, numeric options their values (`Encoding`). Out: a `BaselinePredictor`.
`SETTINGS` has the baselines, with own settings; the target is ln y where all values are positive, otherwise y
(`TargetScale`). `ESTIMATORS` has the names and parameters that SPL Conqueror's `learn-python` takes; their targets are
learned in their own unit.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from splc.data.accuracy import mean_relative_error
from splc.data.configurations import Configurations
from splc.errors import LearningError, SpecError, unknown_name_hint
from splc.io.numbers import power_of_two
from splc.io.settings import Setting, stated_values
from splc.learning.features import Feature, stable_order
from splc.learning.learner import LearningProblem, judged, one_thread, only_step
from splc.learning.result import LearningResult
from splc.learning.stepwise.settings import one_line
from splc.models.influence import TableRows, rows_of
from splc.types import Array

# Products of two columns are left out beyond this number of cells, where the matrix would take more than 400 MB.
_MAX_CELLS = 50_000_000
_LARGE = 1e15
_LARGEST = 700.0  # exp of it is a finite, positive number
_CHUNK = 4096  # rows that are predicted at a time: products of columns of all rows might need much memory


_LEAF = "fewest configurations in a leaf"
_ORDER = "the largest number of columns in a term"
_PAIRS = "pairwise terms; 1, with a note, where the matrix would have more than 50 million cells"
_FOLDS = "folds that choose the penalty, at most as many as configurations"
_COST = "better than scikit-learn's 1 on x264, LLVM and Dune; 100 gives the same"
_LARGER = "scikit-learn's; with few measurements, larger leaves are worse"
_SPLITS = "scikit-learn's 20 allow no split of fewer than 40 configurations"
_TREES = "scikit-learn's; more trees change the error by less than its spread over samples"
_ITERATIONS = "scikit-learn's; 200 give the same errors on x264, LLVM and Dune"
_MOST = "scikit-learn's; at most as many as configurations"
_DISTANCE = "errors without a penalty, in standard deviations of the target"
# Baseline, setting and scikit-learn's name of it, default (an integer stands for whole numbers), least value, meaning,
# and the reason of the default.
_ROWS: tuple[tuple[str, str, str, float, float, str, str], ...] = (
    ("forest", "trees", "n_estimators", 100, 1, "number of trees", _TREES),
    ("forest", "leaf", "min_samples_leaf", 1, 1, _LEAF, _LARGER),
    ("tree", "leaf", "min_samples_leaf", 1, 1, _LEAF, "as for `forest`"),
    ("lasso", "order", "degree", 2, 1, _ORDER, _PAIRS),
    ("lasso", "folds", "cv", 5, 2, _FOLDS, "scikit-learn's"),
    ("ridge", "order", "degree", 2, 1, _ORDER, "as for `lasso`"),
    ("svr", "cost", "C", 10.0, 1e-9, "the penalty of errors (C)", _COST),
    ("svr", "epsilon", "epsilon", 0.01, 0.0, _DISTANCE, "measurements deviate by less than scikit-learn's 0.1"),
    ("knn", "neighbours", "n_neighbors", 5, 1, "number of neighbours, weighted by distance", _MOST),
    ("boosting", "iterations", "max_iter", 100, 1, "number of trees", _ITERATIONS),
    ("boosting", "rate", "learning_rate", 0.1, 1e-9, "the factor on each tree", "scikit-learn's"),
    ("boosting", "leaf", "min_samples_leaf", 2, 1, _LEAF, _SPLITS),
)
# Baseline → its settings by name.
SETTINGS: Mapping[str, Mapping[str, Setting]] = {
    baseline: {
        name: Setting(meaning, kind=type(default), default=default, least=least, reason=reason)
        for owner, name, _, default, least, meaning, reason in _ROWS
        if owner == baseline
    }
    for baseline in dict.fromkeys(row[0] for row in _ROWS)
}
# Those that have ln x as a further column, and those whose result depends on the seed.
LOGS, DRAWS = frozenset(("lasso", "ridge")), frozenset(("forest", "tree", "lasso"))
# Baseline without products of columns → class of scikit-learn, and further parameters.
_CLASSES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "forest": ("ensemble.RandomForestRegressor", {"n_jobs": 1}),
    "tree": ("tree.DecisionTreeRegressor", {}),
    "svr": ("svm.SVR", {}),
    "knn": ("neighbors.KNeighborsRegressor", {"weights": "distance", "n_jobs": 1}),
    "boosting": ("ensemble.HistGradientBoostingRegressor", {"early_stopping": False}),
}


def scikit(path: str, *arguments: Any, **parameters: Any) -> Any:
    """Return what a class or function of scikit-learn makes; its module is imported now."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"sklearn.{module}"), name)(*arguments, **parameters)


def baseline(name: str, settings: Mapping[str, Any], sizes: tuple[int, int], seed: int) -> Any:
    """Return the estimator of a baseline for settings, numbers of rows and columns of the learning set, and a seed."""
    scaled, scaler = partial(scikit, "pipeline.make_pipeline"), partial(scikit, "preprocessing.StandardScaler")
    if name in _CLASSES:
        path, fixed = _CLASSES[name]
        parameters = {parameter: settings[setting] for owner, setting, parameter, *_ in _ROWS if owner == name}
        if "n_neighbors" in parameters:
            parameters["n_neighbors"] = min(parameters["n_neighbors"], sizes[0])
        if name in ("svr", "knn"):
            return scaled(scaler(), scikit(path, **parameters, **fixed))
        return scikit(path, **parameters, **fixed, random_state=seed)
    largest = order(settings, sizes)
    linear = scikit("linear_model.RidgeCV", np.logspace(-4, 4, 17))
    if name == "lasso":
        folds = scikit("model_selection.KFold", min(settings["folds"], sizes[0]), shuffle=True, random_state=seed)
        # A step of the coordinate descent costs as much as a row of the Gram matrix, or a column of the learning set.
        gram = _products(largest, sizes) <= 2 * sizes[0]
        linear = scikit("linear_model.LassoCV", eps=1e-3, cv=folds, precompute=gram, n_jobs=1)
    products = scikit("preprocessing.PolynomialFeatures", largest, interaction_only=True, include_bias=False)
    return scaled(scaler(), products, scaler(), linear)


def order(settings: Mapping[str, Any], sizes: tuple[int, int]) -> int:
    """Return the number of columns in the largest products: that of the settings, 1 where these would be too many."""
    largest = int(settings["order"])
    return largest if sizes[0] * _products(largest, sizes) <= _MAX_CELLS else 1


def _products(largest: int, sizes: tuple[int, int]) -> int:
    """Return the number of products of at most `largest` columns."""
    return sum(math.comb(sizes[1], number) for number in range(1, largest + 1))


@dataclass(frozen=True)
class Encoding:
    """The columns of configurations: binary options as 0 and 1, numeric options as their values.

    Values whose squares single precision cannot hold are divided by a power of 2. What configurations may lack is 0
    there, and has one more column that is 1 where it is present.
    """

    features: tuple[Feature, ...]  # the options and observed variables, whose order does not matter
    logs: bool = False  # whether those that are always positive have ln x as a further column

    def columns(self, configurations: Configurations | TableRows) -> Array:
        """Return the columns, shape (n, columns)."""
        columns = []
        for feature in sorted(self.features, key=lambda feature: feature.name):
            values = configurations.column(feature.name)
            present, largest = ~np.isnan(values), max(abs(feature.minimum), abs(feature.maximum))
            divisor = power_of_two(np.array(largest)) if largest > _LARGE else 1.0
            columns.append(np.where(present, values, 0.0) / divisor)
            if feature.partial:
                columns.append(present.astype(float))
            if self.logs and feature.numeric and feature.minimum > 0:
                columns.append(np.log(np.where(present, values, 1.0)))
        return np.column_stack(columns) if columns else np.zeros((len(configurations), 1))


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


@contextmanager
def _quietly(*, every: bool = False) -> Iterator[None]:
    """Use one thread, and leave out warnings: those about convergence, or every one."""
    from sklearn.exceptions import ConvergenceWarning

    with one_thread(), warnings.catch_warnings():
        # A lasso path that has not converged is judged by its held-out rows as well.
        warnings.simplefilter("ignore", Warning if every else ConvergenceWarning)
        yield


@dataclass(frozen=True, eq=False)
class BaselinePredictor:
    """A fitted estimator."""

    encoding: Encoding  # the columns that it knows
    estimator: Any  # scikit-learn's estimator, on the scale of the target
    scale: TargetScale  # the scale

    def predict(self, configurations: Configurations | Any) -> Array:
        """Return the predictions, shape (n,), of configurations or of a table with a column per option."""
        columns = self.encoding.columns(rows_of(configurations))
        with _quietly():
            starts = range(0, len(columns), _CHUNK)
            parts = [self.estimator.predict(columns[start : start + _CHUNK]) for start in starts]
        return self.scale.values(np.concatenate(parts)) if parts else np.zeros(0)


def _encoded(problem: LearningProblem, logs: bool) -> tuple[Encoding, Array, Array]:
    """Return the encoding of a learning set, its columns and values, in an order that does not depend on its own."""
    table = problem.features(numeric_disabled=False)
    rows, encoding = stable_order(table), Encoding(table.features, logs)
    return encoding, encoding.columns(problem.configurations[rows]), table.target[rows]


@dataclass(frozen=True)
class BaselineLearner:
    """A predictor of scikit-learn with its settings. Learning does not depend on the order of rows or options."""

    name: str  # its name in `SETTINGS`
    changes: Mapping[str, Any] = field(default_factory=dict, hash=False)  # settings that differ, as values or texts
    settings: Mapping[str, Any] = field(init=False, hash=False)
    preset: str = field(default="default", init=False)
    suffix: str = field(default="", init=False)  # a predictor without terms is not written to a file

    def __post_init__(self) -> None:
        known = SETTINGS[self.name]
        defaults = {name: setting.default for name, setting in known.items()}
        object.__setattr__(self, "settings", defaults | stated_values(known, self.changes, self.name))

    @property
    def draws(self) -> bool:
        """True if the result depends on the seed."""
        return self.name in DRAWS

    def learn(self, problem: LearningProblem) -> LearningResult:
        """Fit the estimator to the learning set."""
        encoding, columns, values = _encoded(problem, self.name in LOGS)
        scale, sizes = TargetScale.of(values), (len(columns), columns.shape[1])
        target, estimator = scale.scaled(values), scikit("dummy.DummyRegressor")
        if np.ptp(target) > 0 and np.ptp(columns, axis=0).any():
            estimator = baseline(self.name, self.settings, sizes, problem.seed)
        with _quietly():
            _, seconds = only_step(f"predictor {self.name}", partial(estimator.fit, columns, target), problem.on_step)
        notes = []
        if "order" in self.settings and order(self.settings, sizes) < self.settings["order"]:
            notes.append(f"{self.name}: {sizes[1]:,} columns have too many products, which are left out")
        predictor = BaselinePredictor(encoding, estimator, scale)
        return judged(problem, self, predictor, termination="fitted", seconds=seconds, notes=notes)


_PLAIN = TargetScale(log=False, unit=1.0, mean=0.0, deviation=1.0)  # in its own unit, as SPL Conqueror learns it
# Name → class of scikit-learn, and that of the estimator that it repeats.
ESTIMATORS: Mapping[str, tuple[str, ...]] = {
    "SVR": ("svm.SVR",),
    "DecisionTreeRegression": ("tree.DecisionTreeRegressor",),
    "RandomForestRegressor": ("ensemble.RandomForestRegressor",),
    "BaggingSVR": ("ensemble.BaggingRegressor", "svm.SVR"),
    "KNeighborsRegressor": ("neighbors.KNeighborsRegressor",),
    "KERNELRIDGE": ("kernel_ridge.KernelRidge",),
}
# The default grid of `learn-python-opt`.
GRIDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "SVR": {"C": ("1", "10", "100", "1000"), "epsilon": ("0.01", "0.1", "1")},
    "DecisionTreeRegression": {"max_depth": ("None", "4", "8", "16"), "min_samples_leaf": ("1", "2", "4")},
    "RandomForestRegressor": {"n_estimators": ("50", "100"), "min_samples_leaf": ("1", "2", "4")},
    "BaggingSVR": {"C": ("1", "100", "1000"), "n_estimators": ("10", "20")},
    "KNeighborsRegressor": {"n_neighbors": ("1", "3", "5", "9"), "weights": ("uniform", "distance")},
    "KERNELRIDGE": {"alpha": ("0.01", "0.1", "1", "10"), "kernel": ("linear", "rbf")},
}


def spelled(name: str) -> str:
    """Return the name of an estimator in the table."""
    folded, known = name.casefold(), {estimator.casefold(): estimator for estimator in ESTIMATORS}
    if folded in known:
        return known[folded]
    reason, hint = "is unknown", unknown_name_hint(name, list(ESTIMATORS))
    if folded == "lineardecisiontreeregression":
        reason, hint = "is not supported", "trees of linear models need another package; choose DecisionTreeRegression"
    raise SpecError(f"the learner {name!r} {reason}", hint=hint)


def estimator_of(name: str, values: Mapping[str, str], seed: int = 0) -> Any:
    """Return an estimator with scikit-learn's parameters."""
    kind, *repeated = ESTIMATORS[spelled(name)]
    estimator = scikit(kind, *map(scikit, repeated))
    names = sorted(estimator.get_params(), key=len, reverse=True)
    paths = {name.rpartition("__")[2]: name for name in names} | {name: name for name in names}
    for parameter in values:
        if parameter not in paths:
            hint = unknown_name_hint(parameter, sorted(key for key in paths if "__" not in key))
            raise SpecError(f"{name} has no parameter {parameter!r}", hint=hint)
    estimator.set_params(**{paths[parameter]: _value(text) for parameter, text in values.items()})
    if "random_state" in paths and "random_state" not in values:
        estimator.set_params(random_state=seed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # A fit of almost nothing checks the values.
            estimator.fit([[0.0], [1.0], [2.0], [3.0]], [1.0, 2.0, 3.0, 4.0])
    except (ValueError, TypeError) as error:
        raise SpecError(f"{name}: {one_line(str(error))}") from None
    return estimator


def _value(text: str) -> Any:
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
        encoding, columns, values = _encoded(problem, logs=False)
        estimator = estimator_of(self.name, self.settings, problem.seed)
        with _quietly(every=True):
            try:
                # Some estimators, such as those of neighbours, refuse too few rows only when they predict.
                estimator.fit(columns, values).predict(columns[:1])
            except ValueError as error:
                raise LearningError(f"{self.name}: {one_line(str(error))}") from None
        predictor, seconds = BaselinePredictor(encoding, estimator, _PLAIN), time.monotonic() - started
        return judged(problem, self, predictor, termination="fitted", seconds=seconds)


def search(
    name: str, grid: Mapping[str, tuple[str, ...]], columns: Array, target: Array, folds: int, seed: int
) -> list[tuple[dict[str, str], float | None]]:
    """Return all settings of a grid with their mean relative errors on held-out folds, the best first.

    Values of 0 do not count. The error is None where an estimator cannot be fitted, such as 9 neighbours in fewer rows.
    """
    from sklearn.model_selection import KFold, ParameterGrid, cross_val_predict

    if len(target) < 2:
        message = f"{name}: one configuration cannot be divided into folds"
        raise LearningError(message, hint="sample more configurations")
    split = list(KFold(min(folds, len(target)), shuffle=True, random_state=seed).split(columns))
    results: list[tuple[dict[str, str], float | None]] = []
    reason = "all values of the property are 0"
    with _quietly(every=True):
        for values in ParameterGrid({key: list(grid_values) for key, grid_values in grid.items()}):
            try:
                predicted = cross_val_predict(estimator_of(name, values, seed), columns, target, cv=split)
                results.append((dict(values), mean_relative_error(predicted, target)))
            except ValueError as error:
                reason = one_line(str(error))
                results.append((dict(values), None))
    if all(error is None for _, error in results):
        raise LearningError(f"{name}: {reason}", hint="sample more configurations, or try other values")
    return sorted(results, key=lambda pair: math.inf if pair[1] is None else pair[1])
