"""Tables in memory: dicts of columns, and data frames of pandas and polars."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc import (
    Configurations,
    Measurements,
    VariabilityModel,
    infer_system,
    parse_model,
    read_measurements,
    read_variability_model,
)
from splc.calibration import calibrate
from splc.data.table import table_columns, whole_numbers
from splc.errors import ConfigurationError, ExpressionError, MeasurementError
from splc.formats.measurements.csv import write_measurements_csv
from splc.learning import learn
from splc.system.options import BinaryOption, NumericOption
from tests.support.golden_messages import check_calls, check_messages
from tests.support.paths import ROOT
from tests.support.real_data import real
from tests.support.strategies import all_assignments, models

SYSTEM = VariabilityModel.of({"px": [1, 2, 4], "fast": bool, "codec": ["zstd", "lz4"]})
ROWS = {
    "fast": [True, False, True, True],
    "px": [1, 2, 4, 1],
    "codec": ["zstd", "lz4", "lz4", "zstd"],
    "time": [1.0, 2.5, None, 3.0],
    "size": [10, 20, 30, 40],
}
FRAMES: list[Callable[[Mapping[str, Any]], Any]] = [dict, pd.DataFrame, pl.DataFrame]


@pytest.mark.parametrize("frame", FRAMES)
def test_measurements(frame: Callable[[Mapping[str, Any]], Any]) -> None:
    """Options, texts of groups and properties are read from each kind of table; equal rows are repetitions."""
    found = Measurements.from_frame(SYSTEM, frame(ROWS))
    assert found.properties == ("time", "size")
    np.testing.assert_array_equal(found.values["time"], [[1, 3], [2.5, np.nan], [np.nan, np.nan]])
    np.testing.assert_array_equal(found["size"], [25, 20, 30])
    assert found.configurations.assignment(1) == {"fast": 0, "codec": 1, "codec_zstd": 0, "codec_lz4": 1, "px": 2}
    assert found.report.missing == {"time": 1}
    assert found.report.rows == 4


@given(system=models(), seed=st.integers(0, 2**32 - 1))
def test_round_trip(system: VariabilityModel, seed: int) -> None:
    """Columns and data frames of measurements read back as the same measurements."""
    rng = np.random.default_rng(seed)
    known = all_assignments(system)[:20]
    values = rng.normal(size=(len(known), 3))
    values[:, 1:][rng.random((len(known), 2)) < 0.3] = np.nan
    values = np.take_along_axis(values, np.argsort(np.isnan(values), axis=1, kind="stable"), axis=1)
    measured = Measurements(known, {"the time": values, "the size": values[:, :1]}, contexts={"version": "0.9"})
    for table in (measured.to_columns(), measured.to_frame(), pl.DataFrame(measured.to_columns())):
        again = Measurements.from_frame(system, table)
        assert again.configurations == known
        assert again.contexts == {"version": "0.9"}
        width = again.values["the time"].shape[1]
        np.testing.assert_array_equal(again.values["the time"], values[:, :width])
        assert np.isnan(values[:, width:]).all()
        assert Configurations.from_frame(system, table).unique() == known


def test_the_columns_are_those_of_the_file(tmp_path: Path) -> None:
    """A data frame of a CSV table gives the measurements that are read from the file, and gives its columns."""
    folder = ROOT / "casestudies" / "smg2000" / "2d"
    system = read_variability_model(folder / "system.xml")
    frame = pd.read_csv(folder / "measurements.csv")
    file, table = read_measurements(folder / "measurements.csv", system), Measurements.from_frame(system, frame)
    assert table.configurations == file.configurations
    assert table.properties == file.properties
    for name in file.properties:
        np.testing.assert_array_equal(table.values[name], file.values[name])
    write_measurements_csv(table, tmp_path / "again.csv")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "again.csv"), table.to_frame(), check_dtype=False)


@pytest.mark.real_data
def test_real_measurements() -> None:
    """A data frame of 86,058 real rows gives the measurements that are read from the file."""
    folder = real("exastencils")
    system = read_variability_model(folder / "FeatureModel.xml")
    file = read_measurements(folder / "SS-X.csv.gz", system)
    table = Measurements.from_frame(system, pd.read_csv(folder / "SS-X.csv.gz"))
    assert table.configurations == file.configurations
    for name in file.properties:
        np.testing.assert_array_equal(table.values[name], file.values[name])


@pytest.mark.parametrize("frame", FRAMES)
def test_contexts(frame: Callable[[Mapping[str, Any]], Any]) -> None:
    """Columns of text are contexts: several values are refused, `where` selects one, `ignore` leaves a column out."""
    table = frame({**ROWS, "version": ["0.9", "0.9", "0.10", "0.10"], "revision": [1, 1, 2, 3]})
    with pytest.raises(MeasurementError, match=r"the context 'version' has 2 values: '0.9', '0.10'"):
        Measurements.from_frame(SYSTEM, table)
    selected = Measurements.from_frame(SYSTEM, table, where={"version": "0.9"})
    assert selected.contexts == {"version": "0.9"}
    assert (len(selected), selected.properties) == (2, ("time", "size", "revision"))
    assert len(Measurements.from_frame(SYSTEM, table, ignore=["version"])) == 3
    numbers = Measurements.from_frame(SYSTEM, table, ignore=["version"], where={"revision": 2})
    assert numbers.contexts == {"revision": "2"}
    assert numbers.configurations.assignment(0)["px"] == 4
    with pytest.raises(MeasurementError, match="the context 'revision' has 3 values: '1', '2', '3'"):
        Measurements.from_frame(SYSTEM, table, ignore=["version"], contexts=["revision"])


def test_wrong_choices() -> None:
    """Columns and values that the table does not have are refused."""
    table = {**ROWS, "version": ["1", "2", "2", "2"]}
    check_messages("column-choices", lambda text: Measurements.from_columns(SYSTEM, table, **json.loads(text)))


def test_words_and_rows() -> None:
    """Words of a binary option, numbers in texts, and a list of dicts are the same table."""
    first = Configurations.from_frame(SYSTEM, ROWS)
    words = {"fast": ["on", "Off", "yes", "1"], "px": ["1", "2.0", " 4", "1"], "codec": ROWS["codec"]}
    assert Configurations.from_frame(SYSTEM, words) == first
    rows = [dict(zip(words, row, strict=True)) for row in zip(*words.values(), strict=True)]
    assert Configurations.from_frame(SYSTEM, rows) == first


def test_wrong_values() -> None:
    """Values that an option does not have, and columns of other shapes, are refused."""
    check_messages("columns", lambda text: Measurements.from_columns(SYSTEM, {**ROWS, **json.loads(text)}))


def test_missing_and_unknown_columns() -> None:
    """A missing option is refused, and so is an unknown column where all columns must be options."""
    columns = {name: ROWS[name] for name in ("fast", "codec")}
    with pytest.raises(ConfigurationError, match="no values for the option 'px'"):
        Configurations.from_columns(SYSTEM, columns)
    with pytest.raises(ConfigurationError, match="unknown option 'pz'"):
        Configurations.from_columns(SYSTEM, {**columns, "pz": [1, 1, 1, 1]})
    for wrong in (3, [1, 2], pl.LazyFrame(ROWS)):
        with pytest.raises(MeasurementError, match=r"is not a table"):
            Measurements.from_frame(SYSTEM, wrong)
    twice = pd.DataFrame([[1, 2]], columns=["px", "px"])
    with pytest.raises(MeasurementError, match="duplicate column 'px'"):
        Configurations.from_frame(SYSTEM, twice)


@pytest.mark.parametrize(
    "values",
    [
        pd.array([1, None, 2, 1], dtype="Int64"),
        pd.Series([1.0, None, 2.0, 1.0]),
        [1, pd.NA, 2, 1],
        pd.array([1.0, None, 2.0, 1.0], dtype=object),
        pl.Series([1, None, 2, 1]),
        [1, None, 2, 1],
        [1, float("nan"), 2, 1],
    ],
)
def test_missing_numbers(values: Any) -> None:
    """None, NaN and pandas' NA are missing values."""
    found = Measurements.from_columns(SYSTEM, {**ROWS, "time": values})
    np.testing.assert_array_equal(found.values["time"], [[1, 1], [np.nan, np.nan], [2, np.nan]])


def test_dates_are_texts() -> None:
    """A column of dates is a context."""
    table = pd.DataFrame({**ROWS, "day": np.array(["2020-01-02"] * 4, "datetime64[ns]")})
    (day,) = Measurements.from_frame(SYSTEM, table).contexts.values()
    assert day.startswith("2020-01-02")


def test_without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pandas, `to_frame` says what to do, and columns still work."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    measured = Measurements.from_columns(SYSTEM, ROWS)
    assert list(measured.to_columns()) == ["fast", "codec", "codec_zstd", "codec_lz4", "px", "time", "size"]
    with pytest.raises(ImportError, match=r"to_frame\(\) needs pandas"):
        measured.to_frame()


@pytest.mark.parametrize("frame", FRAMES)
def test_predictions_of_tables(frame: Callable[[Mapping[str, Any]], Any]) -> None:
    """Models predict the rows of a table from the columns that they use; other columns may be missing or texts."""
    model = parse_model("2 + 3 * px + 5 * fast", SYSTEM)
    np.testing.assert_array_equal(model.predict(frame(ROWS)), [10, 8, 19, 10])
    np.testing.assert_array_equal(model.predict(frame({"px": [3], "fast": [0], "comment": ["a"]})), [11])
    assert model.contributions(frame(ROWS)).shape == (4, 3)
    known = Configurations.from_frame(SYSTEM, ROWS)
    derived = parse_model("cells = px^2 + 1\n4 * cells + root + fast / cells", SYSTEM)
    np.testing.assert_array_equal(derived.predict(frame(ROWS)), derived.predict(known))


@pytest.mark.parametrize("learner", ["projection", "knn"])
def test_results_predict_tables(learner: str) -> None:
    """The predictors and intervals of results accept tables, too."""
    known = all_assignments(SYSTEM)
    measured = Measurements(known, {"time": 1 + known.value("px") + known.value("fast") + known.value("codec_lz4")})
    result = learn(measured, "time", learner=learner)
    table = known.to_columns()
    np.testing.assert_array_equal(result.predictor.predict(table), result.predictor.predict(known))
    if result.intervals is not None:
        np.testing.assert_array_equal(result.intervals.interval(table), result.intervals.interval(known))


def test_one_name_is_a_text() -> None:
    """Arguments that take names take a single one as a text."""
    table = {"mode": ["a", "b"], "bits": [1, 2], "note": ["x", "y"], "time": [1.0, 2.0], "run": [3, 3]}
    system = infer_system(table, options="mode", ignore="note", contexts="run")
    assert system == infer_system(table, options=["mode"], ignore=["note"], contexts=["run"])
    found = Measurements.from_frame(system, table, ignore="note", contexts="run")
    assert (found.contexts, found.properties[-1]) == ({"run": "3"}, "time")
    model = parse_model("alpha * mode_a + 1", system, parameters={"alpha": 1.0}, symbols="alpha")
    fitted = calibrate(model, found.configurations, np.array([3.0, 1.0]), "alpha")
    assert fitted["alpha"].value == pytest.approx(2)


def test_one_name_is_a_text_for_files(tmp_path: Path) -> None:
    """Readers of files take a single name as a text, too."""
    (tmp_path / "a.csv").write_text("px,fast,codec,run,note,time\n1,1,lz4,7,a,2\n2,0,zstd,7,b,3\n")
    found = read_measurements(tmp_path / "a.csv", SYSTEM, contexts="run", ignore="note")
    assert (found.contexts, found.properties) == ({"run": "7"}, ("time",))


@pytest.mark.parametrize("rows", [pd.DataFrame(ROWS)[:0], pd.DataFrame(), {}])
def test_no_rows(rows: Any) -> None:
    """A table without rows is refused as such."""
    with pytest.raises(ConfigurationError, match=r"^the table has no rows$"):
        Measurements.from_frame(SYSTEM, rows)


def test_a_property_of_texts() -> None:
    """A column of texts is a context; the report says so, and who asks for it as a property learns why."""
    table = {**ROWS, "time": ["fast"] * 4}
    found = Measurements.from_frame(SYSTEM, table)
    assert found.report.notes == ("'time' is a context: its values are not numbers",)
    assert Measurements.from_frame(SYSTEM, table, where={"size": 10}).report.notes == found.report.notes
    with pytest.raises(MeasurementError, match="'time' is a context: its values are not numbers, but 'fast'"):
        learn(found, "time")
    with pytest.raises(MeasurementError, match="'size' is a context, as it was named one"):
        Measurements.from_frame(SYSTEM, table, where={"size": 10}).column("size")
    with pytest.raises(MeasurementError, match="a property has numbers only"):
        Measurements.from_frame(SYSTEM, {**ROWS, "time": ["1 s", "2 s", "3 s", "4 s"]})


def test_messages_name_arguments_of_python() -> None:
    """Messages that Python functions and commands share name the argument, too."""
    measured = Measurements.from_frame(SYSTEM, ROWS)
    with pytest.raises(MeasurementError, match="choose one with --property"):
        learn(measured)
    with pytest.raises(ExpressionError, match="in Python the argument parameters"):
        parse_model("2 * threads", SYSTEM, parameters={"alpha": 1.0})


@given(st.lists(st.integers(-3, 3).map(float) | st.sampled_from([0.5, 2.0**52, 2.0**53, -(2.0**53), 2.0**70, 1e300])))
def test_whole_numbers(values: list[float]) -> None:
    """Numbers become integers if all are whole and exact, with the same values."""
    found = whole_numbers(np.array(values, dtype=float))
    assert found.tolist() == values
    assert (found.dtype == np.int64) == all(value.is_integer() and abs(value) < 2**53 for value in values)


@pytest.mark.parametrize("count", [6, 7])
def test_many_values(count: int) -> None:
    """At most 6 values of a context, and members of a group, are listed."""
    texts = [f"v{at}" for at in range(count)]
    system = VariabilityModel.of({"x": list(range(count)), "mode": texts})
    table = {"x": list(range(count)), "mode": texts, "time": [1.0] * count}
    some = ", ".join(map(repr, texts[:6])) + ("" if count == 6 else ", … (7 in all)")
    with pytest.raises(MeasurementError) as caught:
        Measurements.from_columns(system, {**table, "version": texts})
    assert caught.value.problems[0].message == f"the context 'version' has {count} values: {some}"
    with pytest.raises(ConfigurationError) as wrong:
        Measurements.from_columns(system, {**table, "mode": ["v0"] * (count - 1) + ["v9"]})
    plain = some.replace("'", "")
    assert str(wrong.value) == f"row {count - 1}: mode cannot be 'v9'; its values are {plain}"


def test_selection_by_numbers() -> None:
    """A value of `where` selects equal numbers of any type."""
    for column in ([1, 2, 1, 2], [1.0, 2.0, 1.0, 2.0], ["1", "2", "1", "2"], ["1 ", " 2", "1", "2"]):
        for value in (2, 2.0, np.int64(2), np.float64(2.0), "2"):
            found = Measurements.from_columns(SYSTEM, {**ROWS, "run": column}, where={"run": value})
            assert found["size"].tolist() == [20, 40]
    half = Measurements.from_columns(SYSTEM, {**ROWS, "run": [0.5, 0.25, 0.1, 0.5]}, where={"run": 0.1})
    assert half["size"].tolist() == [30]


def test_missing_texts() -> None:
    """Missing cells of a context are empty, and a context of an optional group's column is not."""
    for missing in (None, float("nan"), pd.NA, pd.NaT):
        table = {**ROWS, "version": np.array(["a", missing, missing, "a"], dtype=object)}
        with pytest.raises(MeasurementError, match="the context 'version' has 2 values: 'a', ''"):
            Measurements.from_columns(SYSTEM, table)
    system = VariabilityModel(
        "s",
        (
            BinaryOption("codec"),
            BinaryOption("codec_a", parent="codec", optional=False, excluded=(("codec_b",),)),
            BinaryOption("codec_b", parent="codec", optional=False),
        ),
    )
    found = Configurations.from_columns(system, {"codec": np.array(["a", None, "b"], dtype=object)})
    assert found.indices.tolist() == [[1, 1, 0], [0, 0, 0], [1, 0, 1]]


def test_summary_of_measurements() -> None:
    """The summary has the number of configurations, the properties and the contexts."""
    found = Measurements.from_columns(SYSTEM, {**ROWS, "version": ["2"] * 4}, where={"version": 2})
    assert found.summary() == "measurements of 3 configurations of system: properties time, size, version = 2"
    one = Measurements(found.configurations, {"time": np.ones(3)})
    assert one.summary() == "measurements of 3 configurations of system: property time"


def test_a_long_text_widens_no_other() -> None:
    """A column of texts takes no more memory per row where one of them is long."""
    values = table_columns({"name": ["a"] * 999 + ["b" * 40_000]})["name"]
    assert values.nbytes <= 8 * 1000
    assert values[-1] == "b" * 40_000


def test_columns_of_switches_are_no_options() -> None:
    """Columns of the root and of switches are left out: they may be there twice, and are not suggested for options."""
    system = VariabilityModel(
        "s", (NumericOption("Enabledy", (1.0, 2.0)), NumericOption("x", (1.0, 3.0), deselected_flag=-1.0))
    )
    ones = [1, 1]
    table = {"root": ones, "Root": ones, "Enabledx": ones, "Disabledx": ones, "Enabledy": [1, 2]}
    found = Configurations.from_frame(system, {**table, "x": [3, -1]})
    assert found.indices.tolist() == [[0, 1], [1, 2]]
    with pytest.raises(ConfigurationError, match="no values for the option 'Enabledy'") as caught:
        Configurations.from_frame(system, {"Enabledx": ones, "x": [3, -1]})
    assert "Enabledx" not in str(caught.value)


def test_calls() -> None:
    """Tables that cannot be read, and those that a model cannot predict without the system, are refused."""

    def read(table: Any, **settings: Any) -> Measurements:
        return Measurements.from_columns(SYSTEM, table, **settings)

    predict = parse_model("px + 2 * codec_zstd", SYSTEM).predict
    check_calls("tables-in-memory", read, predict, ROWS=ROWS, pl=pl, pd=pd, np=np)
