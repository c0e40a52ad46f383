"""The learners as a scikit-learn estimator."""

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
from splc.models.influence import EvaluationError


@parametrize_with_checks([PerformanceInfluenceRegressor(), PerformanceInfluenceRegressor("splconqueror")])
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
    learned = PerformanceInfluenceRegressor("splconqueror", settings={"abortError": 0}).fit(X[:60], y[:60])
    found = {term.text(): w for term, w in learned.model_.terms}
    assert found == {"1": pytest.approx(5), "x0": pytest.approx(2), "x1^2": pytest.approx(3)}
    np.testing.assert_allclose(learned.predict(X[60:]), y[60:])
    assert learned.score(X[60:], y[60:]) == pytest.approx(1)


def test_default_learner_predicts_rows_that_were_not_seen() -> None:
    """The model of the default learner is a sum over the columns' names, with the influences of the exact one."""
    X, y = data()
    learned = PerformanceInfluenceRegressor().fit(X[:60], y[:60])
    assert learned.termination_ == "projected"
    assert learned.rounds_ == ()
    assert learned.model_.link == "identity"
    assert learned.model_.options == {"x0", "x1"}
    np.testing.assert_allclose(learned.predict(X[60:]), y[60:], rtol=0.01)
    # Values that were not in a column.
    np.testing.assert_allclose(learned.predict([[1, 4.5]]), [5 + 2 + 3 * 4.5**2], rtol=0.05)


def test_equal_rows_are_repetitions() -> None:
    """The default learner takes equal rows as repetitions: their order does not matter, and their mean is predicted."""
    X, y = data()
    noisy = y * np.random.default_rng(2).normal(1, 0.1, len(y))
    order = np.random.default_rng(3).permutation(len(y))
    one, two = (PerformanceInfluenceRegressor().fit(X[rows], noisy[rows]) for rows in (slice(None), order))
    assert len(np.unique(X, axis=0)) < len(X)
    assert one.model_.terms == two.model_.terms
    np.testing.assert_allclose(one.predict(X), y, rtol=0.1)


def test_settings_of_the_default_learner() -> None:
    """Settings of the default learner can be searched, and a value without a logarithm is an error."""
    X, y = data()
    few = PerformanceInfluenceRegressor(settings={"terms": 2})
    assert len(few.fit(X, y).model_.terms) <= 2
    grid = GridSearchCV(few, {"settings": [{"terms": 1}, {"terms": 4}]}, cv=2).fit(X, y)
    assert grid.best_params_ == {"settings": {"terms": 4}}
    x = np.arange(1.0, 25)[:, np.newaxis]
    logarithm = PerformanceInfluenceRegressor(settings={"form": "product"}).fit(x, x[:, 0] ** 1.5)
    assert logarithm.model_.link == "log"
    np.testing.assert_allclose(logarithm.predict([[4.5]]), 4.5**1.5, rtol=1e-3)
    with pytest.raises(EvaluationError, match="x0 = -1"):
        logarithm.predict([[-1]])


def test_it_works_inside_scikit_learn() -> None:
    """Clone, cross-validation and a grid search over settings work."""
    X, y = data()
    estimator = PerformanceInfluenceRegressor("splconqueror", settings={"abortError": 0})
    assert clone(estimator).settings == {"abortError": 0}
    assert cross_val_score(estimator, X, y, cv=3).min() > 0.999
    grid = GridSearchCV(estimator, {"settings": [{"numberOfRounds": 1}, {"abortError": 0}]}, cv=3).fit(X, y)
    assert grid.best_params_ == {"settings": {"abortError": 0}}


def test_bag_is_reproducible() -> None:
    """The same random_state gives the same bag."""
    X, y = data()
    y = y + np.random.default_rng(1).uniform(0, 5, len(y))
    one, two = (
        PerformanceInfluenceRegressor("splconqueror", settings={"bagging": True}, random_state=3).fit(X, y)
        for _ in range(2)
    )
    assert one.model_ == two.model_


def test_unknown_setting_is_refused() -> None:
    """A wrong setting is an error with the nearest name."""
    X, y = data()
    with pytest.raises(SpecError, match="abortError"):
        PerformanceInfluenceRegressor("splconqueror", settings={"abortErr": 0}).fit(X, y)
    with pytest.raises(SpecError, match="--preset splconqueror has it"):
        PerformanceInfluenceRegressor(settings={"abortError": 0}).fit(X, y)


def test_least_squares_take_over_where_values_are_not_positive_and_leave_given_settings_alone() -> None:
    """With negative values in y the loss is least squares, and limits that were given stay."""
    X, y = data()
    limited = PerformanceInfluenceRegressor("splconqueror", settings={"numberOfRounds": 1, "abortError": 1e9}).fit(
        X, y - y.mean()
    )
    assert limited.termination_ == "numberOfRounds"
    free = PerformanceInfluenceRegressor("splconqueror").fit(X, y - y.mean())
    assert free.score(X, y - y.mean()) == pytest.approx(1)
