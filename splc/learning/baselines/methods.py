"""The table of baselines: settings with their defaults, columns, and scikit-learn's estimators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import comb
from types import MappingProxyType
from typing import Any

import numpy as np

# Beyond this number of cells, products of two columns are left out: the matrix would take more than 400 MB.
_MAX_CELLS = 50_000_000


@dataclass(frozen=True)
class Sizes:
    """The size of a learning set.

    Attributes:
        rows: the number of configurations.
        columns: the number of columns.
    """

    rows: int
    columns: int


@dataclass(frozen=True)
class Method:
    """A baseline.

    Attributes:
        settings: name → default and least value.
        build: returns the estimator for settings, sizes and a seed.
        logs: whether ln x is a column too.
        draws: whether the result depends on the seed.
    """

    settings: Mapping[str, tuple[float, float]]
    build: Callable[[Mapping[str, Any], Sizes, int], Any]
    logs: bool = False
    draws: bool = False


def _forest(settings: Mapping[str, Any], sizes: Sizes, seed: int) -> Any:
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(settings["trees"], min_samples_leaf=settings["leaf"], random_state=seed, n_jobs=1)


def _tree(settings: Mapping[str, Any], sizes: Sizes, seed: int) -> Any:
    from sklearn.tree import DecisionTreeRegressor

    return DecisionTreeRegressor(min_samples_leaf=settings["leaf"], random_state=seed)


def _lasso(settings: Mapping[str, Any], sizes: Sizes, seed: int) -> Any:
    from sklearn.linear_model import LassoCV
    from sklearn.model_selection import KFold

    folds = KFold(min(settings["folds"], sizes.rows), shuffle=True, random_state=seed)
    # A step of the coordinate descent costs as much as a row of the Gram matrix, or a column of the learning set.
    gram = _products(order(settings, sizes), sizes) <= 2 * sizes.rows
    return _linear(LassoCV(eps=1e-3, cv=folds, precompute=gram, n_jobs=1), settings, sizes)


def _ridge(settings: Mapping[str, Any], sizes: Sizes, seed: int) -> Any:
    from sklearn.linear_model import RidgeCV

    return _linear(RidgeCV(np.logspace(-4, 4, 17)), settings, sizes)


def _linear(estimator: Any, settings: Mapping[str, Any], sizes: Sizes) -> Any:
    """Return a linear estimator on standardised products of standardised columns."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    columns = PolynomialFeatures(order(settings, sizes), interaction_only=True, include_bias=False)
    return make_pipeline(StandardScaler(), columns, StandardScaler(), estimator)


def order(settings: Mapping[str, Any], sizes: Sizes) -> int:
    """Return the number of columns in the largest products: that of the settings, 1 where these would be too many."""
    largest = int(settings["order"])
    return largest if sizes.rows * _products(largest, sizes) <= _MAX_CELLS else 1


def _products(largest: int, sizes: Sizes) -> int:
    """Return the number of products of at most `largest` columns."""
    return sum(comb(sizes.columns, number) for number in range(1, largest + 1))


def _svr(settings: Mapping[str, Any], sizes: Sizes, seed: int) -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    return make_pipeline(StandardScaler(), SVR(C=settings["cost"], epsilon=settings["epsilon"]))


def _knn(settings: Mapping[str, Any], sizes: Sizes, seed: int) -> Any:
    from sklearn.neighbors import KNeighborsRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    neighbours = min(settings["neighbours"], sizes.rows)
    return make_pipeline(StandardScaler(), KNeighborsRegressor(neighbours, weights="distance", n_jobs=1))


def _boosting(settings: Mapping[str, Any], sizes: Sizes, seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(
        learning_rate=settings["rate"],
        max_iter=settings["iterations"],
        min_samples_leaf=settings["leaf"],
        early_stopping=False,
        random_state=seed,
    )


# docs/learning.md gives the reasons of the defaults. Integers are settings that must be whole numbers.
METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "forest": Method({"trees": (100, 1), "leaf": (1, 1)}, _forest, draws=True),
        "tree": Method({"leaf": (1, 1)}, _tree, draws=True),
        "lasso": Method({"order": (2, 1), "folds": (5, 2)}, _lasso, logs=True, draws=True),
        "ridge": Method({"order": (2, 1)}, _ridge, logs=True),
        "svr": Method({"cost": (10.0, 1e-9), "epsilon": (0.01, 0.0)}, _svr),
        "knn": Method({"neighbours": (5, 1)}, _knn),
        "boosting": Method({"iterations": (100, 1), "rate": (0.1, 1e-9), "leaf": (2, 1)}, _boosting),
    }
)
