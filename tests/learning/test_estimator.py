"""The learner as a scikit-learn estimator."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from splc.errors import SpecError
from splc.learning import PerformanceInfluenceRegressor


@parametrize_with_checks([PerformanceInfluenceRegressor()])
def test_estimator_keeps_the_conventions(estimator: Any, check: Any) -> None:
    """Every check that scikit-learn has for regressors passes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def data() -> tuple[Any, Any]:
    """A table with a binary and a numeric column, and an exact target."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 2, 80), rng.integers(1, 9, 80)]).astype(float)
    return X, 5 + 2 * X[:, 0] + 3 * X[:, 1] ** 2


def test_exact_model_is_found() -> None:
    """The learned model is over the columns' names and predicts rows that were not seen."""
    X, y = data()
    learned = PerformanceInfluenceRegressor(settings={"abortError": 0}).fit(X[:60], y[:60])
    found = {term.text(): w for term, w in learned.model_.terms}
    assert found == {"1": pytest.approx(5), "x0": pytest.approx(2), "x1^2": pytest.approx(3)}
    np.testing.assert_allclose(learned.predict(X[60:]), y[60:])
    assert learned.score(X[60:], y[60:]) == pytest.approx(1)


def test_it_works_inside_scikit_learn() -> None:
    """Clone, cross-validation and a grid search over settings work."""
    X, y = data()
    estimator = PerformanceInfluenceRegressor(settings={"abortError": 0})
    assert clone(estimator).settings == {"abortError": 0}
    assert cross_val_score(estimator, X, y, cv=3).min() > 0.999
    grid = GridSearchCV(estimator, {"settings": [{"numberOfRounds": 1}, {"abortError": 0}]}, cv=3).fit(X, y)
    assert grid.best_params_ == {"settings": {"abortError": 0}}


def test_bag_is_reproducible() -> None:
    """The same random_state gives the same bag."""
    X, y = data()
    y = y + np.random.default_rng(1).uniform(0, 5, len(y))
    one, two = (PerformanceInfluenceRegressor(settings={"bagging": True}, random_state=3).fit(X, y) for _ in range(2))
    assert one.model_ == two.model_


def test_unknown_setting_is_refused() -> None:
    """A wrong setting is an error with the nearest name."""
    X, y = data()
    with pytest.raises(SpecError, match="abortError"):
        PerformanceInfluenceRegressor(settings={"abortErr": 0}).fit(X, y)


def test_least_squares_take_over_where_values_are_not_positive_and_leave_given_settings_alone() -> None:
    """With negative values in y the loss is least squares, and limits that were given stay."""
    X, y = data()
    limited = PerformanceInfluenceRegressor(settings={"numberOfRounds": 1, "abortError": 1e9}).fit(X, y - y.mean())
    assert limited.termination_ == "numberOfRounds"
    free = PerformanceInfluenceRegressor().fit(X, y - y.mean())
    assert free.score(X, y - y.mean()) == pytest.approx(1)
