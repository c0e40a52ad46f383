"""Baselines and scaling models as learners: laws, small and odd learning sets, estimators as scripts write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.neighbors import KNeighborsRegressor

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import LearningError, SpecError
from splc.learning import LearningResult, learn, learner_of
from splc.learning.baselines import (
    ESTIMATORS,
    ScikitLearner,
    baseline,
    estimator_of,
    search,
    spelled,
)
from splc.learning.given_forms import PmnfLearner, is_scalable
from splc.learning.registry import BASELINES
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.learning.conftest import measured
from tests.support.examples import examples
from tests.support.golden_messages import check_calls, check_messages
from tests.support.objects import of, present

OPTIONS = (
    BinaryOption("base", optional=False),
    BinaryOption("a"),
    BinaryOption("b"),
    NumericOption("x", (1.0, 2.0, 4.0, 8.0)),
    NumericOption("y", (0.0, 5.0), deselected_flag=-1.0),
)
MODEL = VariabilityModel("mixed", OPTIONS)
GRID = [column.ravel() for column in np.meshgrid([0.0, 1], [0.0, 1], OPTIONS[3].values, [0.0, 5.0, np.nan])]
ALL = Configurations.from_columns(MODEL, {"base": np.ones(48), **dict(zip("abxy", GRID, strict=True))})
A, B, X, Y = GRID
COST = 2 + 3 * A + 2 * X * (1 + B) + np.where(np.isnan(Y), 7, Y)


def learned(name: str, rows: Array, values: Array = COST, **further: Any) -> LearningResult:
    """Learn from some rows of the grid."""
    return learn(Measurements(ALL, {"time": values}), "time", learner=name, learning_set=rows, **further)


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_explains_most_of_a_grid(name: str) -> None:
    """From three quarters of a grid every baseline predicts the rest better than its mean; it has no terms."""
    rows = np.random.default_rng(1).permutation(48)[:36]
    result = learned(name, rows)
    rest = np.setdiff1d(np.arange(48), rows)
    mean = 100 * np.mean(np.abs(COST[rows].mean() - COST[rest]) / COST[rest])
    assert present(result.error) < 0.6 * mean
    assert (result.readable, result.terms, result.learner) == (False, (), name)
    assert result.settings == learner_of(name).settings


@pytest.mark.parametrize("name", BASELINES)
def test_neither_rows_nor_options_have_an_order(name: str) -> None:
    """The predictions are those of any order of rows and options, and of the same seed."""
    rows = np.arange(0, 48, 2)
    predicted = learned(name, rows, seed=3).predictor.predict(ALL)
    # The order of a learning set is that of its positions, so the measurements are reversed.
    backward = VariabilityModel("mixed", OPTIONS[::-1])
    columns = {option.name: ALL.column(option.name)[::-1] for option in OPTIONS}
    measurements = Measurements(Configurations.from_columns(backward, columns), {"time": COST[::-1]})
    other = learn(measurements, "time", learner=name, learning_set=47 - rows, seed=3)
    assert np.array_equal(other.predictor.predict(measurements.configurations)[::-1], predicted)


@pytest.mark.parametrize("name", ["ridge", "svr", "knn", "boosting", "forest"])
def test_whether_a_baseline_draws(name: str) -> None:
    """A baseline gives the same predictions for every seed if it says that it draws nothing, and only then."""
    one, other = (learned(name, np.arange(0, 48, 2), seed=seed).predictor.predict(ALL) for seed in (0, 1))
    assert np.array_equal(one, other) is not learner_of(name).draws


@pytest.mark.parametrize("name", BASELINES)
@given(
    rows=st.lists(st.integers(0, 47), min_size=1, max_size=6, unique=True),
    scale=st.sampled_from([1e-300, 1e-12, 1.0, 1e12, 1e300]),
    kind=st.sampled_from(["positive", "zero", "negative", "constant"]),
)
@examples(14)
def test_small_and_odd_learning_sets(name: str, rows: list[int], scale: float, kind: str) -> None:
    """One to six rows of any kind and size of values give finite predictions, and no warning (warnings are errors)."""
    zero, constant = np.where(A == 1, 0.0, COST), np.full(48, 3.0)
    values = {"positive": COST, "zero": zero, "negative": COST - 15, "constant": constant}[kind]
    few_trees = {"settings": {"trees": 10}} if name == "forest" else {}
    result = learned(name, np.array(rows), values * scale, **few_trees)
    predicted = result.predictor.predict(ALL)
    assert np.isfinite(predicted).all()
    if kind in ("positive", "constant"):
        assert (predicted > 0).all()
    if len({values[row] for row in rows}) == 1:
        assert predicted == pytest.approx(np.full(48, values[rows[0]] * scale), rel=1e-9)


@pytest.mark.parametrize("name", ["tree", "forest", "boosting", "svr", "knn"])
def test_the_unit_of_the_property_does_not_matter(name: str) -> None:
    """Multiplying a positive property by a constant multiplies all predictions by it."""
    rows = np.arange(0, 48, 2)
    one, other = (learned(name, rows, COST * unit).predictor.predict(ALL) for unit in (1.0, 1024.0))
    assert other == pytest.approx(1024 * one, rel=1e-6)


def test_numeric_options_that_are_absent_have_a_column_of_their_own() -> None:
    """A property that depends only on the presence of an optional numeric option is learned exactly by a tree."""
    values = np.where(np.isnan(Y), 9.0, 4.0)
    assert learned("tree", np.arange(0, 48, 5), values).error == pytest.approx(0, abs=1e-9)


def test_observed_variables_are_columns() -> None:
    """A baseline learns from observed variables, and needs them for a prediction."""
    from splc.data.configurations import Observed

    system = VariabilityModel("mixed", OPTIONS, observed=("counter",))
    counter = np.random.default_rng(0).uniform(1, 9, 48)
    observed = Observed({"counter": counter}, np.ones(48, dtype=bool))
    measurements = Measurements(Configurations(system, ALL.indices, observed), {"time": 10 * counter})
    rows = np.arange(0, 48, 2)
    plain = learn(measurements, "time", learner="ridge", learning_set=rows)
    result = learn(measurements, "time", learner="ridge", learning_set=rows, observed=("counter",))
    assert present(result.error) < 15 < present(plain.error)


def test_a_path_that_does_not_converge() -> None:
    """The lasso's path may not converge on noise-free values of collinear columns; that is no warning."""
    system = VariabilityModel(
        "wild", tuple(NumericOption(f"x{i}", tuple(map(float, range(100, 140)))) for i in range(6))
    )
    drawn = np.random.default_rng(1).integers(0, 40, (60, 6)).astype(np.uint8)
    columns = drawn.T + 100.0
    values = np.exp(np.sin(columns).sum(axis=0) + columns[0] * columns[1] / 400)
    result = learn(Measurements(Configurations(system, drawn), {"time": values}), "time", learner="lasso")
    assert np.isfinite(result.predictor.predict(Configurations(system, drawn))).all()


def test_products_of_many_columns_are_left_out() -> None:
    """If all products of columns need too much memory, only the columns are used, and a note says so."""
    options = tuple(BinaryOption(f"o{number}") for number in range(1600))
    system = VariabilityModel("wide", options)
    drawn = np.random.default_rng(0).integers(0, 2, (48, 1600)).astype(np.uint8)
    measurements = Measurements(Configurations(system, drawn), {"time": 5.0 + 3 * drawn[:, 0]})
    result = learn(measurements, "time", learner="ridge", learning_set=np.arange(45))
    assert "ridge: 1,600 columns have too many products, which are left out" in result.notes


@pytest.mark.real_data
@pytest.mark.parametrize(("name", "error"), [("forest", 5.8), ("lasso", 2.3), ("tree", 6.9)])
def test_x264(name: str, error: float) -> None:
    """The errors on x264 from 32 rows are about those that the reference reports for such methods."""
    x264 = measured("x264")
    found = []
    for draw in (1, 2, 3):
        rows = np.random.RandomState(30 + draw).permutation(len(x264))[:32]
        result = learn(x264, "Performance", learner=name, learning_set=rows)
        found.append(present(result.error))
    assert np.mean(found) == pytest.approx(error, rel=0.25)


@pytest.mark.parametrize("name", ["lasso", "ridge"])
def test_linear_baselines_have_logarithms(name: str) -> None:
    """Linear baselines have logarithms of numeric options as columns: without them the error is above 50 % here."""
    system = VariabilityModel("wide", (NumericOption("x", tuple(2.0**k for k in range(24))),))
    every = Configurations(system, np.arange(24)[:, None])
    values = 3 + np.log2(every.column("x"))
    result = learn(Measurements(every, {"t": values}), "t", learner=name, learning_set=np.arange(0, 24, 2))
    assert present(result.error) < 25


@pytest.mark.parametrize("name", BASELINES)
def test_settings_reach_scikit_learn(name: str) -> None:
    """Each setting of a baseline, as a value or a text, changes the estimator that is built."""
    usual = learner_of(name).settings

    def built(settings: Mapping[str, Any]) -> str:
        parameters = baseline(name, settings, (1000, 3), 0).get_params()
        return repr(sorted(parameters.items(), key=lambda each: each[0]))

    for setting, default in usual.items():
        changed = learner_of(name, None, {setting: str(default + 2)}).settings
        assert changed == {**usual, setting: default + 2}
        assert built(changed) != built(usual), setting


@pytest.mark.parametrize("name", BASELINES)
def test_huge_values_of_options(name: str) -> None:
    """The unit of a numeric option does not matter, however large its values are."""
    predicted = []
    for unit in (1.0, 2.0**1000):
        values = tuple(unit * value for value in (1.0, 2.0, 4.0, 8.0))
        system = VariabilityModel("huge", (BinaryOption("a"), NumericOption("x", values)))
        grid = Configurations(system, np.array([(a, x) for a in (0, 1) for x in range(4)]))
        found = learn(Measurements(grid, {"time": np.arange(2.0, 10.0)}), "time", learner=name)
        predicted.append(found.predictor.predict(grid))
    assert predicted[1] == pytest.approx(predicted[0], rel=1e-6)


def test_names() -> None:
    """Names are known in any case; a name without an estimator is an error with a hint."""
    assert [*map(spelled, map(str.upper, ESTIMATORS))] == [*map(spelled, map(str.lower, ESTIMATORS))] == [*ESTIMATORS]
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


def test_search_by_definition() -> None:
    """Errors of settings are those of scikit-learn's predictions on shuffled folds, the smallest first."""
    one = {"n_neighbors": ("1",)}
    with pytest.raises(LearningError, match="one configuration cannot be divided into folds"):
        search("KNeighborsRegressor", one, np.ones((1, 1)), np.ones(1), 4, 0)
    assert len(search("KNeighborsRegressor", one, np.eye(2), np.ones(2), 4, 0)) == 1
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


def test_targets_are_learned_in_their_own_unit() -> None:
    """Predictions are those of scikit-learn's estimator for the values as they are, not for their logarithms."""
    system = VariabilityModel("line", (NumericOption("x", tuple(map(float, range(1, 9)))),))
    configurations = Configurations(system, np.arange(8)[:, None])
    x = configurations.value("x")
    values = np.exp(x)
    found = learn(Measurements(configurations, {"t": values}), learner=ScikitLearner("KNeighborsRegressor", {}))
    plain = KNeighborsRegressor().fit(x[:, None], values)
    np.testing.assert_allclose(found.predictor.predict(configurations), plain.predict(x[:, None]), rtol=1e-12)


NUMBERS = {name: [1, 2, 3] for name in "pqrstu"}
VARIED = {name: np.array([1, 2, 3]) for name in NUMBERS}
OPTIONAL = NumericOption("p", (1.0, 2.0), deselected_flag=0.0)


def scalable(options: dict[str, Any], columns: dict[str, Any]) -> bool:
    """Return whether configurations of options differ as scaling models need it."""
    return is_scalable(Configurations.from_columns(VariabilityModel.of(options), columns))


def test_scalable_systems() -> None:
    """One to five numeric options vary, which are always selected, and nothing else does."""
    check_calls("scalable-systems", scalable, NUMBERS=NUMBERS, VARIED=VARIED, OPTIONAL=OPTIONAL, bool=bool)


def test_what_pmnf_learns_from() -> None:
    """The result has the scaling model with its intervals; options that are not numeric are refused by name."""
    system = VariabilityModel.of({"p": [1, 2, 4, 8, 16], "n": [10, 20], "b": bool})
    p = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    columns = {"p": p, "n": np.full(5, 20.0), "b": np.zeros(5)}
    found = learn(Measurements(Configurations.from_columns(system, columns), {"t": 7 + 3 * p}), "t", learner="pmnf")
    assert found.scaling is not None
    assert found.scaling.predict(32.0) == pytest.approx(103)
    assert found.model.predict(Configurations.from_columns(system, columns)) == pytest.approx(7 + 3 * p)
    assert any("n is 20 in all configurations" in note for note in found.notes)
    # The order of the rows does not matter.
    for order in ([4, 3, 2, 1, 0], [2, 0, 1, 4, 3]):
        rows = Configurations.from_columns(system, {name: column[order] for name, column in columns.items()})
        again = learn(Measurements(rows, {"t": 7 + 3 * p[order]}), "t", learner="pmnf")
        assert again.model.predict(rows) == pytest.approx(7 + 3 * p[order])
    columns["b"] = np.array([0.0, 1, 0, 1, 0])
    with pytest.raises(LearningError, match=r"b(.|\n)*differ in numeric options only, or choose stepwise"):
        learn(Measurements(Configurations.from_columns(system, columns), {"t": 7 + 3 * p}), "t", learner="pmnf")


def test_pmnf_refuses_observed_variables() -> None:
    """A scaling model is about options: observed variables are refused before anything is fitted."""
    configurations = Configurations.from_columns(VariabilityModel.of({"p": [1, 2, 4]}), {"p": [1, 2, 4]})
    problem: Any = of(observed=("load",), rows=np.arange(3), configurations=configurations)
    with pytest.raises(SpecError, match="pmnf does not learn from observed variables"):
        PmnfLearner({}).learn(problem)


def test_all_points_count_alike_unless_stated() -> None:
    """Models of systems predict between the measured points: the default method has `local=False`, others none."""
    assert PmnfLearner({}).settings["local"] is False
    assert PmnfLearner({"local": True}).settings["local"] is True
    assert "local" not in PmnfLearner({"method": "basic"}).stated


@pytest.mark.parametrize(("switched", "note"), [(3, "3 of 5 configurations not learned from have"), (0, None)])
def test_other_binary_options_are_noted(switched: int, note: str | None) -> None:
    """A note states how many configurations that were not learned from have other binary options."""
    system = VariabilityModel.of({"p": [1, 2, 4, 8, 16, 32, 64, 128, 256, 512], "b": bool})
    p = 2.0 ** np.arange(10)
    b = (np.arange(10) >= 5) & (np.arange(10) < 5 + switched)
    measured = Measurements(Configurations.from_columns(system, {"p": p, "b": b.astype(float)}), {"t": 7 + 3 * p})
    notes = learn(measured, "t", learning_set=np.arange(5), learner="pmnf").notes
    found = [each for each in notes if "other binary options" in each]
    assert len(found) == (note is not None)
    assert all(each.startswith(str(note)) for each in found)
