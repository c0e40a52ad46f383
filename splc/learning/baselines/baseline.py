"""Baselines: predictors of scikit-learn without terms, learned from the same rows as a model with readable terms.

In: a problem. Binary options are 0 and 1, numeric options their values (`Encoding`); the target is ln y where all
values are positive, otherwise y (`TargetScale`). `METHODS` has the settings and the estimator of each baseline. Out: a
`BaselinePredictor`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from math import comb
from types import MappingProxyType
from typing import Any

import numpy as np

from splc.data.configurations import Configurations
from splc.io.numbers import power_of_two
from splc.io.settings import Setting, stated_values
from splc.learning.features import Feature, stable_order
from splc.learning.judging import judged
from splc.learning.learner import only_step
from splc.learning.problem import LearningProblem
from splc.learning.result import LearningResult
from splc.learning.threads import one_thread
from splc.models.influence import TableRows, rows_of
from splc.types import Array

# Products of two columns are left out beyond this number of cells, where the matrix would take more than 400 MB.
_MAX_CELLS = 50_000_000
_LARGE = 1e15
# exp of it is a finite, positive number.
_LARGEST = 700.0
# Rows that are predicted at a time: products of columns of all rows might need much memory.
_CHUNK = 4096


@dataclass(frozen=True)
class Sizes:
    """The size of a learning set."""

    rows: int  # the number of configurations
    columns: int  # the number of columns


# Returns the estimator for settings, the size of the learning set, and a seed.
Build = Callable[[Mapping[str, Any], Sizes, int], Any]


@dataclass(frozen=True)
class Method:
    """A baseline."""

    settings: Mapping[str, Setting]  # name → setting
    build: Build  # returns the estimator
    logs: bool  # whether ln x is a column too
    draws: bool  # whether the result depends on the seed


_METHODS: dict[str, Method] = {}
METHODS: Mapping[str, Method] = MappingProxyType(_METHODS)


def _method(*, logs: bool = False, draws: bool = False, **settings: Setting) -> Callable[[Build], Build]:
    """Add a baseline with the name of the function that builds its estimator to the table."""

    def added(build: Build) -> Build:
        _METHODS[build.__name__.removeprefix("_")] = Method(settings, build, logs, draws)
        return build

    return added


def _setting(default: float, minimum: float, meaning: str, reason: str) -> Setting:
    """Return a setting of numbers, with the reason of its default; an integer stands for whole numbers."""
    return Setting(meaning, kind=type(default), default=default, least=minimum, reason=reason)


def scikit(path: str, *arguments: Any, **parameters: Any) -> Any:
    """Return what a class or function of scikit-learn makes; its module is imported now."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"sklearn.{module}"), name)(*arguments, **parameters)


_LEAF = "fewest configurations in a leaf"
_ORDER = "the largest number of columns in a term"


@_method(
    draws=True,
    trees=_setting(
        100, 1, "number of trees", "scikit-learn's; more trees change the error by less than its spread over samples"
    ),
    leaf=_setting(1, 1, _LEAF, "scikit-learn's; with few measurements, larger leaves are worse"),
)
def _forest(settings: Mapping[str, Any], sizes: Sizes, seed: int) -> Any:
    leaf = settings["leaf"]
    return scikit(
        "ensemble.RandomForestRegressor", settings["trees"], min_samples_leaf=leaf, random_state=seed, n_jobs=1
    )


@_method(draws=True, leaf=_setting(1, 1, _LEAF, "as for `forest`"))
def _tree(settings: Mapping[str, Any], sizes: Sizes, seed: int) -> Any:
    return scikit("tree.DecisionTreeRegressor", min_samples_leaf=settings["leaf"], random_state=seed)


@_method(
    logs=True,
    draws=True,
    order=_setting(
        2, 1, _ORDER, "pairwise terms; 1, with a note, where the matrix would have more than 50 million cells"
    ),
    folds=_setting(5, 2, "folds that choose the penalty, at most as many as configurations", "scikit-learn's"),
)
def _lasso(settings: Mapping[str, Any], sizes: Sizes, seed: int) -> Any:
    folds = scikit("model_selection.KFold", min(settings["folds"], sizes.rows), shuffle=True, random_state=seed)
    # A step of the coordinate descent costs as much as a row of the Gram matrix, or a column of the learning set.
    gram = _products(order(settings, sizes), sizes) <= 2 * sizes.rows
    return _linear(
        scikit("linear_model.LassoCV", eps=1e-3, cv=folds, precompute=gram, n_jobs=1), order(settings, sizes)
    )


@_method(logs=True, order=_setting(2, 1, _ORDER, "as for `lasso`"))
def _ridge(settings: Mapping[str, Any], sizes: Sizes, seed: int) -> Any:
    return _linear(scikit("linear_model.RidgeCV", np.logspace(-4, 4, 17)), order(settings, sizes))


@_method(
    cost=_setting(
        10.0,
        1e-9,
        "the penalty of errors (C)",
        "better than scikit-learn's 1 on x264, LLVM and Dune; 100 gives the same",
    ),
    epsilon=_setting(
        0.01,
        0.0,
        "errors without a penalty, in standard deviations of the target",
        "measurements deviate by less than scikit-learn's 0.1",
    ),
)
def _svr(settings: Mapping[str, Any], sizes: Sizes, seed: int) -> Any:
    return _standardised(scikit("svm.SVR", C=settings["cost"], epsilon=settings["epsilon"]))


@_method(
    neighbours=_setting(
        5, 1, "number of neighbours, weighted by distance", "scikit-learn's; at most as many as configurations"
    )
)
def _knn(settings: Mapping[str, Any], sizes: Sizes, seed: int) -> Any:
    neighbours = min(settings["neighbours"], sizes.rows)
    return _standardised(scikit("neighbors.KNeighborsRegressor", neighbours, weights="distance", n_jobs=1))


@_method(
    iterations=_setting(100, 1, "number of trees", "scikit-learn's; 200 give the same errors on x264, LLVM and Dune"),
    rate=_setting(0.1, 1e-9, "the factor on each tree", "scikit-learn's"),
    leaf=_setting(2, 1, _LEAF, "scikit-learn's 20 allow no split of fewer than 40 configurations"),
)
def _boosting(settings: Mapping[str, Any], sizes: Sizes, seed: int) -> Any:
    return scikit(
        "ensemble.HistGradientBoostingRegressor",
        learning_rate=settings["rate"],
        max_iter=settings["iterations"],
        min_samples_leaf=settings["leaf"],
        early_stopping=False,
        random_state=seed,
    )


def _standardised(*steps: Any) -> Any:
    """Return a pipeline that standardises columns first."""
    return scikit("pipeline.make_pipeline", scikit("preprocessing.StandardScaler"), *steps)


def _linear(estimator: Any, largest: int) -> Any:
    """Return a linear estimator on standardised products, of at most so many, of standardised columns."""
    products = scikit("preprocessing.PolynomialFeatures", largest, interaction_only=True, include_bias=False)
    return _standardised(products, scikit("preprocessing.StandardScaler"), estimator)


def order(settings: Mapping[str, Any], sizes: Sizes) -> int:
    """Return the number of columns in the largest products: that of the settings, 1 where these would be too many."""
    largest = int(settings["order"])
    return largest if sizes.rows * _products(largest, sizes) <= _MAX_CELLS else 1


def _products(largest: int, sizes: Sizes) -> int:
    """Return the number of products of at most `largest` columns."""
    return sum(comb(sizes.columns, number) for number in range(1, largest + 1))


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
            starts = range(0, len(columns), _CHUNK)
            parts = [self.estimator.predict(columns[start : start + _CHUNK]) for start in starts]
        return self.scale.values(np.concatenate(parts)) if parts else np.zeros(0)


@dataclass(frozen=True)
class BaselineLearner:
    """A predictor of scikit-learn with its settings. Learning does not depend on the order of rows or options."""

    name: str  # its name in `METHODS`
    changes: Mapping[str, Any] = field(default_factory=dict, hash=False)  # settings that differ, as values or texts
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
        table = problem.features(numeric_disabled=False)
        rows = stable_order(table)
        encoding = Encoding.of(table.features, self.method.logs)
        columns = encoding.columns(problem.configurations[rows])
        values = table.target[rows]
        scale = TargetScale.of(values)
        target = scale.scaled(values)
        sizes = Sizes(*columns.shape)
        varying = bool(np.ptp(target) > 0 and np.ptp(columns, axis=0).any())
        estimator = self.method.build(self.settings, sizes, problem.seed) if varying else scikit("dummy.DummyRegressor")
        with _without_warnings():
            _, seconds = only_step(f"predictor {self.name}", partial(estimator.fit, columns, target), problem.on_step)
        notes = []
        if "order" in self.settings and order(self.settings, sizes) < self.settings["order"]:
            notes.append(f"{self.name}: {sizes.columns:,} columns have too many products, which are left out")
        predictor = BaselinePredictor(encoding, estimator, scale)
        return judged(problem, self, predictor, termination="fitted", seconds=seconds, notes=notes)


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Use one thread, and leave out warnings about convergence."""
    from sklearn.exceptions import ConvergenceWarning

    with one_thread(), warnings.catch_warnings():
        # A lasso path that has not converged is judged by its held-out rows as well.
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
