"""Tables in memory: dicts of columns, and data frames of pandas and polars."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
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
from splc.data.configurations import describe_configuration
from splc.data.table import table_columns, whole_numbers
from splc.errors import SplcError
from splc.formats.measurements.csv import write_measurements_csv
from splc.learning import learn
from splc.system.options import BinaryOption, NumericOption
from tests.support.golden_messages import Lines, check_calls
from tests.support.paths import ROOT
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
        again = read_measurements(table, system)
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
    file, table = read_measurements(folder / "measurements.csv", system), read_measurements(frame, system)
    assert table.configurations == file.configurations
    assert table.properties == file.properties
    for name in file.properties:
        np.testing.assert_array_equal(table.values[name], file.values[name])
    write_measurements_csv(table, tmp_path / "again.csv")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "again.csv"), table.to_frame(), check_dtype=False)


def test_without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pandas, `to_frame` says what to do, and columns still work."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    measured = read_measurements(ROWS, SYSTEM)
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
    found = read_measurements(table, system, ignore="note", contexts="run")
    assert (found.contexts, found.properties[-1]) == ({"run": "3"}, "time")
    model = parse_model("alpha * mode_a + 1", system, parameters={"alpha": 1.0}, symbols="alpha")
    fitted = calibrate(model, found.configurations, np.array([3.0, 1.0]), "alpha")
    assert fitted["alpha"].value == pytest.approx(2)


@given(st.lists(st.integers(-3, 3).map(float) | st.sampled_from([0.5, 2.0**52, 2.0**53, -(2.0**53), 2.0**70, 1e300])))
def test_whole_numbers(values: list[float]) -> None:
    """Numbers become integers if all are whole and exact, with the same values."""
    found = whole_numbers(np.array(values, dtype=float))
    assert found.tolist() == values
    assert (found.dtype == np.int64) == all(value.is_integer() and abs(value) < 2**53 for value in values)


def test_a_long_text_widens_no_other() -> None:
    """A column of texts takes no more memory per row where one of them is long."""
    values = table_columns({"name": ["a"] * 999 + ["b" * 40_000]})["name"]
    assert values.nbytes <= 8 * 1000
    assert values[-1] == "b" * 40_000


def read(table: Any, system: VariabilityModel = SYSTEM, **settings: Any) -> Lines:
    """Return what is read of a table, or the message; a dict of columns gives the same as a data frame."""
    columns = table.values() if isinstance(table, dict) else ()
    shapes = {np.shape(each) if isinstance(each, list) else None for each in columns}
    kinds = FRAMES if len(shapes) == 1 and shapes != {None} else [lambda same: same]
    [text] = {_read(kind(table), system, settings) for kind in kinds}
    return Lines(text)


def _read(table: Any, system: VariabilityModel, settings: Mapping[str, Any]) -> str:
    try:
        found = read_measurements(table, system, **settings)
    except SplcError as error:
        return str(error)
    rows = [f"{describe_configuration(found.configurations, row)}: " for row in range(len(found))]
    for name, values in found.values.items():
        rows = [f"{row} {name} {own.tolist()}" for row, own in zip(rows, values, strict=True)]
    facts = {"rows": found.report.rows, "missing": dict(found.report.missing), "notes": found.report.notes}
    return "\n".join([found.summary(), *rows, ", ".join(f"{name}: {fact}" for name, fact in facts.items() if fact)])


def configurations(table: Any, system: VariabilityModel = SYSTEM) -> list[list[int]]:
    """Return the indices of the configurations of a table."""
    found: list[list[int]] = Configurations.from_frame(system, table).indices.tolist()
    return found


def rows_of(columns: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    """Return a table as a list of dicts."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def optional_group() -> VariabilityModel:
    """Return a system with a group that need not be selected."""
    children = [
        BinaryOption(f"codec_{at}", "codec", False, excluded=((f"codec_{other}",),)) for at, other in ("ab", "ba")
    ]
    return VariabilityModel("s", (BinaryOption("codec"), *children))


def switches() -> VariabilityModel:
    """Return a system with a numeric option that may be deselected, and one with the name of another switch."""
    x = NumericOption("x", (1.0, 3.0), deselected_flag=-1.0)
    return VariabilityModel("s", (NumericOption("Enabledy", (1.0, 2.0)), x))


def learned(table: Any, *nfp: str) -> None:
    """Learn a model of a property of a table."""
    learn(read_measurements(table, SYSTEM), *nfp)


def test_calls() -> None:
    """What is read of tables of any kind; tables that cannot be read, and those that a model cannot predict."""
    made = (read, configurations, rows_of, optional_group, switches, learned, VariabilityModel.of)
    predict = parse_model("px + 2 * codec_zstd", SYSTEM).predict
    check_calls("tables-in-memory", *made, predict, parse_model, replace, ROWS=ROWS, SYSTEM=SYSTEM, pl=pl, pd=pd, np=np)
