"""Full models in files: they predict in any folder, and values that were not learned from."""

from __future__ import annotations

import csv
import itertools
import json
import shutil
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

import splc
from sampling import Space
from splc.errors import ConfigurationError
from splc.formats.measurements.read import read_measurements
from splc.formats.models.read import read_model, read_stored_model
from splc.formats.system.read import read_variability_model
from splc.learning import PerformanceInfluenceRegressor, learn
from splc.learning.projection.predictor import Ensemble
from tests.cli.conftest import MEASUREMENTS, SYSTEM, Run

TABLE = "cache,left,right,x\n0,1,0,1\n1,1,0,4\n0,0,1,2\n"


def rows(text: str) -> list[dict[str, float]]:
    """Return the rows of a table of numbers."""
    return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(text.splitlines())]


@pytest.fixture(scope="module")
def once(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project folder with a learned model and a table of configurations."""
    folder = tmp_path_factory.mktemp("learned")
    for name, text in (("system.xml", SYSTEM), ("measurements.csv", MEASUREMENTS), ("new.csv", TABLE)):
        (folder / name).write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run("learn", "--property", "time").exit_code == 0
    return folder


@pytest.fixture
def learned(once: Path, folder: Path) -> Path:
    """Return a copy of this folder, which is the current folder."""
    shutil.copytree(once, folder, dirs_exist_ok=True)
    return folder


def changed(file: Path, **values: Any) -> None:
    """Change the content of a JSON file; None removes a key."""
    content = {**json.loads(file.read_text(encoding="utf-8")), **values}
    file.write_text(json.dumps({key: value for key, value in content.items() if value is not None}), encoding="utf-8")


def test_the_full_model_predicts(learned: Path, run: Run) -> None:
    """Predictions are those of the result in Python; --printed predicts with the formula of the log."""
    system = read_variability_model("system.xml")
    stored = read_stored_model("learned.json", system)
    configurations = Space(system).enumerate()
    assert isinstance(stored.full, Ensemble)
    assert stored.predictor is stored.full
    assert stored.printed.predictor == stored.model == read_model("learned.log", system)
    assert not np.allclose(stored.full.predict(configurations), stored.model.predict(configurations), rtol=1e-3)
    full, printed = (rows(run("predict", "learned.log", "new.csv", *more).stdout) for more in ((), ("--printed",)))
    places = configurations.find(type(configurations).from_columns(system, dict(_columns(full))))
    for found, model in ((full, stored.full), (printed, stored.model)):
        expected = model.predict(configurations)[places]
        assert [row["predicted"] for row in found] == pytest.approx(expected, rel=1e-12)


def _columns(found: list[dict[str, float]]) -> list[tuple[str, list[float]]]:
    return [(name, [row[name] for row in found]) for name in ("cache", "left", "right", "x")]


def test_predictions_lie_in_their_intervals(learned: Path) -> None:
    """Of the full and of the printed model, the intervals contain the prediction at every valid configuration."""
    system = read_variability_model("system.xml")
    everything = Space(system).enumerate()
    stored = read_stored_model("learned.log", full=True)
    for each in (stored, stored.printed):
        assert each.intervals is not None
        low, high = each.intervals.interval(everything)
        predicted = each.predictor.predict(everything)
        assert ((low < predicted) & (predicted < high)).all()
    # Those of the printed model are multiples by one factor.
    low, high = stored.printed.intervals.interval(everything) if stored.printed.intervals else (predicted, predicted)
    assert high / predicted == pytest.approx(predicted / low)
    assert np.ptp(high / predicted) < 1e-12


def test_a_log_finds_its_json(learned: Path, run: Run) -> None:
    """A link to a log elsewhere has the full model that is beside the log."""
    expected = run("predict", "learned.log", "new.csv").stdout
    (learned / "moved").mkdir()
    for name in ("learned.log", "learned.json"):
        (learned / name).rename(learned / "moved" / name)
    (learned / "link.log").symlink_to("moved/learned.log")
    assert run("predict", "link.log", "new.csv").stdout == expected


def test_files_of_earlier_versions(learned: Path, run: Run) -> None:
    """A file without a description, and without intervals of the printed model, is read with the folder's system."""
    new = run("predict", "learned.json", "new.csv", "--interval").stdout
    changed(learned / "learned.json", description=None, printed=None, observed=None, log=None, forms=None)
    assert run("predict", "learned.json", "new.csv", "--interval").stdout == new
    assert run("predict", "learned.json", "new.csv", "--interval", "--printed").exit_code == 2
    changed(learned / "learned.json", intervals=None)
    printed = run("predict", "learned.json", "new.csv").stdout
    assert printed == run("predict", "learned.log", "new.csv", "--printed").stdout


def test_learning_in_python(folder: Path) -> None:
    """`predict` of the result is that of the full model, `model` the printed one, and errors are stated of both."""
    system = read_variability_model("system.xml")
    measurements = read_measurements("measurements.csv", system)
    result = learn(measurements, "time")
    assert isinstance(result.predictor, Ensemble)
    configurations = measurements.configurations
    assert result.predict(configurations).tolist() == result.predictor.predict(configurations).tolist()
    assert result.model is result.printed
    assert result.printed_errors is not None
    printed = result.of_printed
    assert (printed.predictor, printed.error_all) == (result.model, result.printed_errors.error_all)
    assert printed.of_printed is printed


def frame(pans: tuple[float, ...] = (1, 5, 9, 12)) -> pd.DataFrame:
    """Return measurements of numbers, truth values, words and texts, with known influences."""
    rows = [*itertools.product(pans, (False, True), ("off", "on"), ("lz4", "zlib", "zstd"))]
    table = pd.DataFrame(rows, columns=["pan", "cache", "jit", "codec"])
    codec = table["codec"].map({"lz4": 1, "zlib": 4, "zstd": 2})
    return table.assign(time=10 + 3 * table["pan"] + 5 * table["cache"] - 2 * (table["jit"] == "on") + codec)


@pytest.fixture(scope="module")
def learned_of_two() -> Any:
    """Return what was learned_of_two from two of four values of an option."""
    return splc.learn(frame((5, 9)), "time", options="codec")


def test_rows_of_one_value(learned_of_two: Any) -> None:
    """The prediction of a row does not depend on the other rows of its table."""
    table = frame((5, 9))
    alone = [learned_of_two.predict(table.iloc[[row]])[0] for row in range(len(table))]
    np.testing.assert_allclose(alone, learned_of_two.predict(table), rtol=1e-9)
    X, y = table.drop(columns="time"), table["time"]
    estimator = PerformanceInfluenceRegressor().fit(X, y)
    alone = [estimator.predict(X.iloc[[row]])[0] for row in range(len(table))]
    np.testing.assert_allclose(alone, estimator.predict(X), rtol=1e-9)


@pytest.mark.parametrize(
    ("pan", "most"), [(7, 0.05), (12, 0.2), (1, 0.8), (0, 1.0), (-3, 1.0)], ids=["between", "above", "below", "0", "-3"]
)
def test_predictions(learned_of_two: Any, pan: float, most: float) -> None:
    """Values between and beyond are predicted, those beyond with a warning and intervals that hold the truth."""
    table = frame((pan,))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        predicted, (low, high) = learned_of_two.predict(table), learned_of_two.intervals.interval(table)
    texts = {str(warning.message) for warning in caught}
    assert texts == (set() if pan == 7 else {f"predictions are extrapolated: pan = {pan}, beyond the known 5 to 9"})
    assert (np.abs(predicted / table["time"] - 1) < most).all() or pan <= 0
    assert ((low < table["time"]) & (table["time"] < high)).all() or pan <= 0
    known = learned_of_two.intervals.interval(frame((5,)))
    assert np.median((high - low) / predicted) > np.median((known[1] - known[0]) / learned_of_two.predict(frame((5,))))


def test_unknown_texts_and_numbers_of_binary_options(learned_of_two: Any) -> None:
    """An unknown text is between the known ones, with a wider interval; a column of zeros and ones may have others."""
    table = frame((5,))
    with pytest.warns(UserWarning, match="codec: 'gzip' is predicted as the mean of the known values"):
        predicted = learned_of_two.predict(table.assign(codec="gzip"))
    others = np.array([learned_of_two.predict(table.assign(codec=codec)) for codec in ("lz4", "zlib", "zstd")])
    assert ((others.min(axis=0) < predicted) & (predicted < others.max(axis=0))).all()
    with pytest.warns(UserWarning, match="cache = 2, beyond the known 0 to 1"):
        more = learned_of_two.predict(table.assign(cache=2))
    assert (more > learned_of_two.predict(table.assign(cache=1))).all()


def test_a_description_restricts(learned_of_two: Any) -> None:
    """Values that a description does not list are refused."""
    described = replace(learned_of_two.system, inferred=False)
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


def test_grid_search() -> None:
    """A grid search works where folds lack values."""
    table = frame((1, 5, 9))
    search = GridSearchCV(PerformanceInfluenceRegressor(), {"readable": [True]}, cv=KFold(3), error_score="raise")
    assert np.isfinite(search.fit(table.drop(columns=["time", "codec"]), table["time"]).best_score_)


def test_best_configurations(learned_of_two: Any) -> None:
    """Options can be fixed to further values."""
    assert splc.optimize(learned_of_two, fixed={"pan": 7}).configurations.value("pan").tolist() == [7]
    with pytest.warns(UserWarning, match="pan = 20, beyond the known 5 to 9"):
        assert splc.optimize(learned_of_two, fixed={"pan": 20}).configurations.value("pan").tolist() == [20]
