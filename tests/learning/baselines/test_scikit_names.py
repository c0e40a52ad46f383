"""Names of scikit-learn's estimators as SPL Conqueror's scripts write them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.neighbors import KNeighborsRegressor

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import LearningError, SpecError
from splc.learning import learn
from splc.learning.baselines.scikit_names import ESTIMATORS, ScikitLearner, estimator_of, search, spelled
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import check_messages


@pytest.mark.parametrize("name", ESTIMATORS)
def test_names_in_any_case(name: str) -> None:
    """Names are known in any case."""
    assert spelled(name.upper()) == spelled(name.lower()) == name


def test_other_names_are_refused() -> None:
    """A name without an estimator is an error with a hint."""
    check_messages("scikit-names", spelled)


@pytest.mark.parametrize(("parameter", "hint"), [("epsilonn", "did you mean 'epsilon'"), ("zzz", "known are: ")])
def test_unknown_parameters(parameter: str, hint: str) -> None:
    """An unknown parameter is an error that names the nearest one, or all that are not nested."""
    with pytest.raises(SpecError, match=f"SVR has no parameter '{parameter}'\n.*{hint}"):
        estimator_of("SVR", {parameter: "1"})
    with pytest.raises(SpecError) as caught:
        estimator_of("BaggingSVR", {"zzz": "1"})
    assert "known are: C, bootstrap, bootstrap_features, cache_size, coef0, degree" in str(caught.value)
    assert "__" not in str(caught.value)


def test_draws_have_a_seed() -> None:
    """Estimators that draw have the seed that is given, or 0."""
    assert estimator_of("RandomForestRegressor", {}).random_state == 0
    assert estimator_of("RandomForestRegressor", {}, 7).random_state == 7
    assert estimator_of("RandomForestRegressor", {"random_state": "3"}, 7).random_state == 3


def test_search_by_definition() -> None:
    """Errors of settings are those of scikit-learn's predictions on shuffled folds, the smallest first."""
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(21, 3))
    target = 5 + columns[:, 0] + rng.normal(0, 0.1, 21)
    found = search("KNeighborsRegressor", {"n_neighbors": ("2", "5", "30")}, columns, target, 4, 7)
    folds = KFold(4, shuffle=True, random_state=7)
    expected = {}
    for neighbours in (2, 5):
        predicted = cross_val_predict(KNeighborsRegressor(neighbours), columns, target, cv=folds)
        expected[str(neighbours)] = 100 * float(np.mean(abs(predicted - target) / target))
    best = sorted(expected, key=expected.__getitem__)
    assert [values["n_neighbors"] for values, _ in found] == [*best, "30"]
    assert [error for _, error in found] == [*(pytest.approx(expected[each]) for each in best), None]


def test_search_of_one_configuration() -> None:
    """One configuration has no folds."""
    with pytest.raises(LearningError, match="one configuration cannot be divided into folds"):
        search("KNeighborsRegressor", {"n_neighbors": ("1",)}, np.ones((1, 1)), np.ones(1), 4, 0)
    assert len(search("KNeighborsRegressor", {"n_neighbors": ("1",)}, np.eye(2), np.ones(2), 4, 0)) == 1


def test_targets_are_learned_in_their_own_unit() -> None:
    """Predictions are those of scikit-learn's estimator for the values as they are, not for their logarithms."""
    system = VariabilityModel("line", (NumericOption("x", tuple(map(float, range(1, 9)))),))
    configurations = Configurations(system, np.arange(8)[:, None])
    x = configurations.value("x")
    values = np.exp(x)
    found = learn(Measurements(configurations, {"t": values}), learner=ScikitLearner("KNeighborsRegressor", {}))
    plain = KNeighborsRegressor().fit(x[:, None], values)
    np.testing.assert_allclose(found.predictor.predict(configurations), plain.predict(x[:, None]), rtol=1e-12)
