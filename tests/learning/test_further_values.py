"""Predictions of values that were not learned from: numbers, texts, words and truth values of tables."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, cross_val_score

import splc
from splc.errors import ConfigurationError
from splc.learning import PerformanceInfluenceRegressor


def frame(pans: tuple[float, ...] = (1, 5, 9, 12)) -> pd.DataFrame:
    """Return measurements of numbers, truth values, words and texts, with known influences."""
    rows = [*itertools.product(pans, (False, True), ("off", "on"), ("lz4", "zlib", "zstd"))]
    table = pd.DataFrame(rows, columns=["pan", "cache", "jit", "codec"])
    codec = table["codec"].map({"lz4": 1, "zlib": 4, "zstd": 2})
    return table.assign(time=10 + 3 * table["pan"] + 5 * table["cache"] - 2 * (table["jit"] == "on") + codec)


@pytest.fixture(scope="module")
def learned() -> Any:
    """Return what was learned from two of four values of an option."""
    return splc.learn(frame((5, 9)), "time", options="codec")


def test_rows_of_one_value(learned: Any) -> None:
    """The prediction of a row does not depend on the other rows of its table."""
    table = frame((5, 9))
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
    table = frame((pan,))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        predicted, (low, high) = learned.predict(table), learned.intervals.interval(table)
    texts = {str(warning.message) for warning in caught}
    assert texts == (set() if pan == 7 else {f"predictions are extrapolated: pan = {pan}, beyond the known 5 to 9"})
    assert (np.abs(predicted / table["time"] - 1) < most).all() or pan <= 0
    assert ((low < table["time"]) & (table["time"] < high)).all() or pan <= 0
    known = learned.intervals.interval(frame((5,)))
    assert np.median((high - low) / predicted) > np.median((known[1] - known[0]) / learned.predict(frame((5,))))


def test_unknown_texts_and_numbers_of_binary_options(learned: Any) -> None:
    """An unknown text is between the known ones, with a wider interval; a column of zeros and ones may have others."""
    table = frame((5,))
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
            splc.learn(frame((5, 9)), "time", system=described).predict(frame((5,)).assign(**wrong))


@pytest.mark.parametrize("preset", ["default", "splconqueror"])
@pytest.mark.parametrize("order", ["pan", "codec", "jit"])
def test_cross_validation(preset: str, order: str) -> None:
    """Folds may have values that the others lack: numbers, texts, words and truth values."""
    table = frame().sort_values(order, kind="stable")
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
