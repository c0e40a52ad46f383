"""The table of baselines: settings with their defaults, columns, and scikit-learn's estimators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import comb
from types import MappingProxyType
from typing import Any

import numpy as np

from splc.io.settings import Setting

# Products of two columns are left out beyond this number of cells, where the matrix would take more than 400 MB.
_MAX_CELLS = 50_000_000


@dataclass(frozen=True)
class Sizes:
    """The size of a learning set."""

    rows: int  # the number of configurations
    columns: int  # the number of columns


@dataclass(frozen=True)
class Method:
    """A baseline."""

    settings: Mapping[str, Setting]  # name → setting
    build: Callable[[Mapping[str, Any], Sizes, int], Any]  # returns the estimator for settings, sizes and a seed
    logs: bool = False  # whether ln x is a column too
    draws: bool = False  # whether the result depends on the seed


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


def _setting(meaning: str, default: float, minimum: float, reason: str) -> Setting:
    """Return a setting of numbers, with the reason of its default; an integer stands for whole numbers."""
    return Setting(meaning, kind=type(default), default=default, least=minimum, reason=reason)


METHODS: Mapping[str, Method] = MappingProxyType(
    {
        "forest": Method(
            {
                "trees": _setting(
                    "number of trees",
                    100,
                    1,
                    "scikit-learn's; more trees change the error by less than its spread over samples",
                ),
                "leaf": _setting(
                    "fewest configurations in a leaf",
                    1,
                    1,
                    "scikit-learn's; with few measurements, larger leaves are worse",
                ),
            },
            _forest,
            draws=True,
        ),
        "tree": Method(
            {"leaf": _setting("fewest configurations in a leaf", 1, 1, "as for `forest`")}, _tree, draws=True
        ),
        "lasso": Method(
            {
                "order": _setting(
                    "the largest number of columns in a term",
                    2,
                    1,
                    "pairwise terms; 1, with a note, where the matrix would have more than 50 million cells",
                ),
                "folds": _setting(
                    "folds that choose the penalty, at most as many as configurations", 5, 2, "scikit-learn's"
                ),
            },
            _lasso,
            logs=True,
            draws=True,
        ),
        "ridge": Method(
            {"order": _setting("the largest number of columns in a term", 2, 1, "as for `lasso`")}, _ridge, logs=True
        ),
        "svr": Method(
            {
                "cost": _setting(
                    "the penalty of errors (C)",
                    10.0,
                    1e-9,
                    "better than scikit-learn's 1 on x264, LLVM and Dune; 100 gives the same",
                ),
                "epsilon": _setting(
                    "errors without a penalty, in standard deviations of the target",
                    0.01,
                    0.0,
                    "measurements deviate by less than scikit-learn's 0.1",
                ),
            },
            _svr,
        ),
        "knn": Method(
            {
                "neighbours": _setting(
                    "number of neighbours, weighted by distance",
                    5,
                    1,
                    "scikit-learn's; at most as many as configurations",
                )
            },
            _knn,
        ),
        "boosting": Method(
            {
                "iterations": _setting(
                    "number of trees", 100, 1, "scikit-learn's; 200 give the same errors on x264, LLVM and Dune"
                ),
                "rate": _setting("the factor on each tree", 0.1, 1e-9, "scikit-learn's"),
                "leaf": _setting(
                    "fewest configurations in a leaf",
                    2,
                    1,
                    "scikit-learn's 20 allow no split of fewer than 40 configurations",
                ),
            },
            _boosting,
        ),
    }
)
