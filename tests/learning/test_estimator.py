"""Estimators by scikit-learn's conventions, tables as data frames, groups of rows, and values not learned from."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import splc
from splc.errors import ConfigurationError, LearningError, SpecError
from splc.learning import PerformanceInfluenceRegressor, ScalingModelRegressor

ESTIMATORS = [PerformanceInfluenceRegressor(), PerformanceInfluenceRegressor("splconqueror"), ScalingModelRegressor()]


@parametrize_with_checks(ESTIMATORS)
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
    assert {term.text(): w for term, w in learned.model_.terms} == pytest.approx({"1": 5, "x0": 2, "x1^2": 3})
    np.testing.assert_allclose(learned.predict(X[60:]), y[60:])
    assert learned.score(X[60:], y[60:]) == pytest.approx(1)
    with pytest.raises(LearningError, match="no prediction intervals"):
        learned.predict(X, return_interval=True)


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


def frame() -> tuple[pd.DataFrame, Any]:
    """A data frame with the root, a column of text, and an exact target."""
    rng = np.random.default_rng(0)
    texts = rng.permutation(np.repeat(["x", "y", "-O2"], 30))
    table = pd.DataFrame({"root": 1, "mode": texts, "n": rng.integers(1, 6, 90), "b": rng.integers(0, 2, 90)})
    return table, (5 + 3 * (table["mode"] == "x") * table["n"] + 2 * table["b"] + table["n"]).to_numpy()


@pytest.mark.parametrize("preset", ["default", "splconqueror"])
class TestTexts:
    def test_exact_model_is_found(self, preset: str) -> None:
        """A column of text is an alternative group, and the root is ignored."""
        X, y = frame()
        learned = PerformanceInfluenceRegressor(preset, {"abortError": 0} if preset != "default" else {}).fit(X, y)
        found = {term.text(): weight for term, weight in learned.model_.terms}
        assert found == pytest.approx({"1": 5, "b": 2, "n": 1, "mode_x * n": 3})
        np.testing.assert_allclose(learned.predict(X), y, rtol=1e-5)
        assert list(learned.feature_names_in_) == ["root", "mode", "n", "b"]
        assert learned.feature_importances_[0] == 0
        assert learned.feature_importances_.shape == (4,)

    def test_kinds_of_tables(self, preset: str) -> None:
        """Data frames with categories and truth values, and arrays of objects, are the same table."""
        X, y = frame()
        first = PerformanceInfluenceRegressor(preset).fit(X, y)
        other = X.assign(mode=X["mode"].astype("category"), b=X["b"].astype(bool), n=X["n"].astype(str))
        for table in (other, X.to_numpy()):
            learned = PerformanceInfluenceRegressor(preset).fit(table, y)
            np.testing.assert_allclose(learned.predict(table), first.predict(X), rtol=1e-6)
        columns = {name: values.tolist() for name, values in X.items()}
        np.testing.assert_allclose(first.predict(pl.DataFrame(columns)), first.predict(X))

    def test_only_texts(self, preset: str) -> None:
        """A table may have columns of text only, also constant ones."""
        X, _ = frame()
        X = pd.DataFrame({"root": "r", "mode": X["mode"], "mode_x": X["mode"] + X["b"].astype(str)})
        y = np.where(X["mode_x"] == "x1", 7.0, 4.0)
        np.testing.assert_allclose(PerformanceInfluenceRegressor(preset).fit(X, y).predict(X), y, rtol=1e-3)

    def test_wrong_tables(self, preset: str) -> None:
        """Missing texts are named; so are texts in columns of numbers."""
        X, y = frame()
        learned = PerformanceInfluenceRegressor(preset).fit(X, y)
        for wrong in (X.assign(mode=None), X.assign(n="many"), X.drop(columns="b")):
            with pytest.raises(ValueError, match=r"NaN|could not convert|feature names"):
                learned.predict(wrong)
        with pytest.raises(ValueError, match="NaN"):
            learned.fit(X.assign(mode=[None, *X["mode"][1:]]), y)

    def test_unknown_texts(self, preset: str) -> None:
        """Texts that were not learned from are named, and have a prediction."""
        X, y = frame()
        learned = PerformanceInfluenceRegressor(preset).fit(X, y)
        with pytest.warns(UserWarning, match="mode: 'w' is predicted as the mean of the known values"):
            predicted = learned.predict(X.assign(mode="w"))
        assert np.isfinite(predicted).all()


def test_settings_are_keywords() -> None:
    """The settings of the default learner are parameters that a grid search can change; unknown values are errors."""
    X, y = (each[:20] for each in data())
    values = {"scale": ["log", "raw"], "form": ["sum"]}
    logarithm = PerformanceInfluenceRegressor(settings={"form": "product"}).fit(X[:, 1:], X[:, 1] ** 1.5)
    assert logarithm.model_.link == "log"
    grid = GridSearchCV(PerformanceInfluenceRegressor(readable=True), values, cv=2, refit=False)
    assert grid.fit(X, y).best_params_["form"] == "sum"
    assert len(PerformanceInfluenceRegressor(terms=1).fit(X, y).model_.terms) <= 2
    given = PerformanceInfluenceRegressor(terms=1, settings={"terms": 3}).fit(X, y)
    assert given.result_ is not None
    assert given.result_.settings["terms"] == 3
    with pytest.raises(SpecError, match="setting form: 'line' is not one of"):
        PerformanceInfluenceRegressor(form="line").fit(X, y)  # type: ignore[arg-type]
    for wrong, message in (
        (PerformanceInfluenceRegressor("splconqueror", terms=1), "terms"),
        (PerformanceInfluenceRegressor("splconqueror", settings={"abortErr": 0}), "abortError"),
        (PerformanceInfluenceRegressor(settings={"abortError": 0}), "--preset splconqueror has it"),
    ):
        with pytest.raises(SpecError, match=message):
            wrong.fit(X, y)


@pytest.mark.parametrize("estimator", [PerformanceInfluenceRegressor(), ScalingModelRegressor()])
def test_data_frames(estimator: Any) -> None:
    """A data frame gives the columns their names; columns in another order are refused."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"px": rng.integers(1, 9, 60), "nx": rng.integers(1, 9, 60)})
    y = 3 + 2.0 * frame["px"] * frame["nx"]
    learned = estimator.fit(frame, y)
    assert list(learned.feature_names_in_) == ["px", "nx"]
    assert learned.model_.options == {"px", "nx"}
    np.testing.assert_allclose(learned.predict(frame), y, rtol=0.02)
    with pytest.raises(ValueError, match="feature names"):
        learned.predict(frame[["nx", "px"]])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_feature_importances(estimator: Any) -> None:
    """Importances are the shares of the columns in the variance of y, for additive functions."""
    X = np.array(list(product((1.0, 2.0, 3.0, 4.0), (1.0, 2.0, 3.0, 4.0), (1.0, 2.0))))
    variances = np.array([4 * 1.25, 1.25, 0.0])
    learned = estimator.fit(X, 5 + 2 * X[:, 0] + X[:, 1])
    np.testing.assert_allclose(learned.feature_importances_, variances / variances.sum(), atol=0.01)
    constant = clone(estimator).fit(X, np.full(len(X), 7.0))
    assert constant.feature_importances_.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("estimator", "repetitions"),
    [
        *((ScalingModelRegressor(), repetitions) for repetitions in (1, 2, 8)),
        (PerformanceInfluenceRegressor(), 2),
        pytest.param(PerformanceInfluenceRegressor(), 1, marks=pytest.mark.slow),
        pytest.param(PerformanceInfluenceRegressor(), 8, marks=pytest.mark.slow),
    ],
)
def test_intervals(estimator: Any, repetitions: int) -> None:
    """About nine of ten new values are in their intervals, which have values that were not seen, too."""
    x = np.repeat(np.arange(1.0, 41), repetitions)[:, np.newaxis]
    covered = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        learned = clone(estimator).fit(x, (10 + x[:, 0]) * rng.normal(1, 0.05, len(x)))
        predicted, low, high = learned.predict(x + 0.5, return_interval=True)
        np.testing.assert_array_equal(predicted, learned.predict(x + 0.5))
        assert (low < high).all()
        new = (10.5 + x[:, 0]) * rng.normal(1, 0.05, (20, len(x)))
        covered.append(np.mean((low <= new) & (new <= high)))
    assert 0.83 <= np.mean(covered) <= 0.985


def test_scaling_models() -> None:
    """A scaling model over columns is found, with settings of `splc.scaling.fit`."""
    x = np.array([[2.0**k] for k in range(1, 8)])
    found = ScalingModelRegressor("classic", {"terms": 1}).fit(x, 3 + 2 * x[:, 0] ** 1.5)
    assert found.scaling_.method == "classic"
    assert {term.text() for term, _ in found.model_.terms} == {"1", "x0^(3/2)"}
    np.testing.assert_allclose(found.predict([[256]]), 3 + 2 * 256**1.5)
    with pytest.raises(ValueError, match="Negative values"):
        ScalingModelRegressor().fit(-x, x[:, 0])


def test_columns_of_a_scaling_model() -> None:
    """Of more than five columns, those are used that y depends on most, and a warning names the others."""
    rng = np.random.default_rng(3)
    X = rng.integers(1, 9, (60, 7)).astype(float)
    with pytest.warns(UserWarning, match="at most 5 parameters: left out are x") as found:
        learned = ScalingModelRegressor().fit(X, 10 + X[:, 6] * X[:, 2])
    assert {2, 6} <= set(learned.parameters_.tolist())
    assert len(learned.parameters_) == 5
    assert Path(found[0].filename) == Path(__file__)
    np.testing.assert_allclose(learned.predict(X), 10 + X[:, 6] * X[:, 2], rtol=0.01)
    assert learned.feature_importances_[[2, 6]].sum() == pytest.approx(1, abs=0.02)


def test_least_squares_take_over_where_values_are_not_positive_and_leave_given_settings_alone() -> None:
    """With negative values in y the loss is least squares, and limits that were given stay."""
    X, y = data()
    limited = PerformanceInfluenceRegressor("splconqueror", settings={"numberOfRounds": 1, "abortError": 1e9})
    assert limited.fit(X, y - y.mean()).termination_ == "numberOfRounds"
    free = PerformanceInfluenceRegressor("splconqueror").fit(X, y - y.mean())
    assert free.score(X, y - y.mean()) == pytest.approx(1)


def grouped() -> tuple[Any, Any, Any]:
    """Rows of three versions, whose values differ by factors and by the influence of one column."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (60, 5)).astype(float)
    groups = np.repeat(["v1", "v2", "v3"], 20)
    at = np.repeat([0, 1, 2], 20)
    y = np.exp(1 + 0.3 * at + X @ [0.8, -0.5, 0.3, 0.2, 0.1] + 0.2 * at * X[:, 0]) * rng.normal(1, 0.01, 60)
    return X, y, groups


def test_groups_are_learned_together() -> None:
    """Each group has a model, better than that of its own few rows; further ones are predicted with wide intervals."""
    X, y, groups = grouped()
    few = np.r_[0:20, 20:27, 40:47]
    rest = np.setdiff1d(np.arange(60), few)
    learned = PerformanceInfluenceRegressor().fit(X[few], y[few], groups=groups[few])
    assert [*learned.results_] == ["v1", "v2", "v3"]
    predicted, low, high = learned.predict(X[rest], return_interval=True, groups=groups[rest])
    errors = np.abs(predicted / y[rest] - 1)
    own = few[groups[few] == "v2"]
    alone = PerformanceInfluenceRegressor().fit(X[own], y[own])
    theirs = groups[rest] == "v2"
    assert errors[theirs].mean() < 0.5 * np.abs(alone.predict(X[rest][theirs]) / y[rest][theirs] - 1).mean()
    assert np.all((low < predicted) & (predicted < high))
    order = np.random.default_rng(0).permutation(len(rest))
    np.testing.assert_allclose(learned.predict(X[rest][order], groups=groups[rest][order]), predicted[order])
    further, low, high = learned.predict(X[rest], return_interval=True, groups=np.full(len(rest), "v4"))
    assert np.all(np.isfinite(further))
    assert np.median(high / low) > 1.5
    assert learned.feature_importances_.sum() == pytest.approx(1)
    assert learned.feature_importances_.argmax() == 0
    # Rows that no group has, with values that were not in a column.
    assert np.isfinite(learned.predict([[0.5, 1, 0, 1, 1]], groups=["v2"])).all()


def test_groups_in_fit_and_predict() -> None:
    """Groups are stated in both or in neither, as many as rows, and are for the default learner."""
    X, y, groups = grouped()
    two = np.r_[:9, 20:29]
    learned = PerformanceInfluenceRegressor().fit(X[two], y[two], groups=groups[two])
    with pytest.raises(SpecError):
        learned.predict(X)
    with pytest.raises(ValueError, match="groups"):
        PerformanceInfluenceRegressor().fit(X, y, groups=groups[:3])
    with pytest.raises(SpecError):
        PerformanceInfluenceRegressor("splconqueror").fit(X, y, groups=groups)
    single = PerformanceInfluenceRegressor().fit(X[:20], y[:20], groups=groups[:20])
    alone = PerformanceInfluenceRegressor().fit(X[:20], y[:20])
    with pytest.raises(SpecError):
        alone.predict(X, groups=groups)
    np.testing.assert_allclose(single.predict(X[20:], groups=np.full(40, "v1")), alone.predict(X[20:]))


def table_of_pans(pans: tuple[float, ...] = (1, 5, 9, 12)) -> pd.DataFrame:
    """Return measurements of numbers, truth values, words and texts, with known influences."""
    rows = [*itertools.product(pans, (False, True), ("off", "on"), ("lz4", "zlib", "zstd"))]
    table = pd.DataFrame(rows, columns=["pan", "cache", "jit", "codec"])
    codec = table["codec"].map({"lz4": 1, "zlib": 4, "zstd": 2})
    return table.assign(time=10 + 3 * table["pan"] + 5 * table["cache"] - 2 * (table["jit"] == "on") + codec)


@pytest.fixture(scope="module")
def learned() -> Any:
    """Return what was learned from two of four values of an option."""
    return splc.learn(table_of_pans((5, 9)), "time", options="codec")


def test_rows_of_one_value(learned: Any) -> None:
    """The prediction of a row does not depend on the other rows of its table."""
    table = table_of_pans((5, 9))
    alone = [learned.predict(table.iloc[[row]])[0] for row in range(len(table))]
    np.testing.assert_allclose(alone, learned.predict(table), rtol=1e-9)
    X, y = table.drop(columns="time"), table["time"]
    estimator = PerformanceInfluenceRegressor().fit(X, y)
    alone = [estimator.predict(X.iloc[[row]])[0] for row in range(len(table))]
    np.testing.assert_allclose(alone, estimator.predict(X), rtol=1e-9)


@pytest.mark.parametrize(
    ("pan", "most"), [(7, 0.05), (12, 0.2), (1, 0.8), (0, 1.0), (-3, 1.0)], ids=["between", "above", "below", "0", "-3"]
)
def test_predictions(learned: Any, pan: float, most: float) -> None:
    """Values between and beyond are predicted, those beyond with a warning and intervals that hold the truth."""
    table = table_of_pans((pan,))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        predicted, (low, high) = learned.predict(table), learned.intervals.interval(table)
    texts = {str(warning.message) for warning in caught}
    assert texts == (set() if pan == 7 else {f"predictions are extrapolated: pan = {pan}, beyond the known 5 to 9"})
    assert (np.abs(predicted / table["time"] - 1) < most).all() or pan <= 0
    assert ((low < table["time"]) & (table["time"] < high)).all() or pan <= 0
    known = learned.intervals.interval(table_of_pans((5,)))
    assert np.median((high - low) / predicted) > np.median((known[1] - known[0]) / learned.predict(table_of_pans((5,))))


def test_unknown_texts_and_numbers_of_binary_options(learned: Any) -> None:
    """An unknown text is between the known ones, with a wider interval; a column of zeros and ones may have others."""
    table = table_of_pans((5,))
    with pytest.warns(UserWarning, match="codec: 'gzip' is predicted as the mean of the known values"):
        predicted = learned.predict(table.assign(codec="gzip"))
    others = np.array([learned.predict(table.assign(codec=codec)) for codec in ("lz4", "zlib", "zstd")])
    assert ((others.min(axis=0) < predicted) & (predicted < others.max(axis=0))).all()
    with pytest.warns(UserWarning, match="cache = 2, beyond the known 0 to 1"):
        more = learned.predict(table.assign(cache=2))
    assert (more > learned.predict(table.assign(cache=1))).all()


def test_a_description_restricts(learned: Any) -> None:
    """Values that a description does not list are refused."""
    described = replace(learned.system, inferred=False)
    for wrong, message in (({"pan": 7}, "pan cannot be 7"), ({"codec": "gzip"}, "codec cannot be 'gzip'")):
        with pytest.raises(ConfigurationError, match=message):
            splc.learn(table_of_pans((5, 9)), "time", system=described).predict(table_of_pans((5,)).assign(**wrong))


@pytest.mark.parametrize("preset", ["default", "splconqueror"])
@pytest.mark.parametrize("order", ["pan", "codec", "jit"])
def test_cross_validation(preset: str, order: str) -> None:
    """Folds may have values that the others lack: numbers, texts, words and truth values."""
    table = table_of_pans().sort_values(order, kind="stable")
    estimator = PerformanceInfluenceRegressor(preset)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* is predicted as the mean of the known values")
        scores = cross_val_score(estimator, table.drop(columns="time"), table["time"], cv=KFold(2), error_score="raise")
    assert np.isfinite(scores).all()


def test_best_configurations(learned: Any) -> None:
    """Options can be fixed to further values."""
    assert splc.optimize(learned, fixed={"pan": 7}).configurations.value("pan").tolist() == [7]
    with pytest.warns(UserWarning, match="pan = 20, beyond the known 5 to 9"):
        assert splc.optimize(learned, fixed={"pan": 20}).configurations.value("pan").tolist() == [20]
