"""Wide and long tables, Excel, Parquet and JSON: the same measurements as in a plain table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas
import pytest

from splc.formats.inference import inference_of
from splc.formats.measurements.read import read_measurements
from splc.formats.measurements.tables import read_table, unfolded
from splc.formats.table import Table, table_of
from splc.io.files import Source

RNG = np.random.default_rng(2)
CONFIGURATIONS = [(threads, cache) for threads in (1, 2, 4, 8) for cache in (0, 1)]
# Two properties, three repetitions each.
VALUES = {name: RNG.uniform(1, 2, (len(CONFIGURATIONS), 3)).round(4) for name in ("time", "energy")}


def plain() -> pandas.DataFrame:
    """Return a row for each configuration and repetition."""
    rows = [
        {"threads": threads, "cache": cache, **{name: values[at, turn] for name, values in VALUES.items()}}
        for at, (threads, cache) in enumerate(CONFIGURATIONS)
        for turn in range(3)
    ]
    return pandas.DataFrame(rows)


def wide(form: str = "{name}_{turn}", start: int = 1) -> pandas.DataFrame:
    """Return a row for each configuration, with a column for each repetition."""
    found = pandas.DataFrame(CONFIGURATIONS, columns=["threads", "cache"])
    for name, values in VALUES.items():
        for turn in range(3):
            found[form.format(name=name, turn=turn + start)] = values[:, turn]
    return found


def long() -> pandas.DataFrame:
    """Return a row for each configuration, repetition and property."""
    return plain().melt(["threads", "cache"], var_name="metric", value_name="value")


def as_csv(frame: pandas.DataFrame, file: Path) -> None:
    """Write a CSV table."""
    frame.to_csv(file, index=False)


WRITERS: dict[str, Callable[[pandas.DataFrame, Path], None]] = {
    "csv": as_csv,
    "xlsx": lambda frame, file: frame.to_excel(file, index=False),
    "parquet": lambda frame, file: frame.to_parquet(file),
    "json": lambda frame, file: frame.to_json(file, orient="records"),
}


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("frame", [plain(), wide(), long()], ids=["plain", "wide", "long"])
def test_shapes_and_formats(suffix: str, frame: pandas.DataFrame, tmp_path: Path) -> None:
    """Each shape in each format has the same options, properties and repetitions."""
    file = tmp_path / f"table.{suffix}"
    WRITERS[suffix](frame, file)
    found = inference_of(read_table(file))
    assert found.columns == ("cache", "threads")
    assert found.properties == ("time", "energy")
    measured = read_measurements(file, found.system)
    assert len(measured) == len(CONFIGURATIONS)
    found_at = list(zip(*(measured.configurations.value(key).tolist() for key in ("threads", "cache")), strict=True))
    for name, values in VALUES.items():
        expected = dict(zip(CONFIGURATIONS, np.sort(values), strict=True))
        given = np.sort(measured.repetitions(name))
        np.testing.assert_allclose(given, np.stack([expected[key] for key in found_at]), rtol=1e-12)


@pytest.mark.parametrize(
    ("form", "start"), [("{name}{turn}", 1), ("{name} (run {turn})", 0), ("{name}.{turn}", 0), ("{name}_rep{turn}", 1)]
)
def test_names_of_repetitions(form: str, start: int, tmp_path: Path) -> None:
    """Repetitions may be numbered from 0 or 1, and be called runs."""
    as_csv(wide(form, start), tmp_path / "wide.csv")
    assert inference_of(read_table(tmp_path / "wide.csv")).properties == ("time", "energy")


def test_runs_without_a_property() -> None:
    """Columns `run1`, `run2`, … are repetitions of a time; a missing one is no repetition."""
    text = "x,run1,run2\n1,1.5,2.5\n2,3.5,\n"
    found = unfolded(table_of(Source("f.csv", text.encode())))
    assert found.text() == "x,time\n1,1.5\n1,2.5\n2,3.5\n"
    assert found.notes == ("repetitions side by side: time (2 columns)",)


@pytest.mark.parametrize(
    "text",
    [
        "x_1,x_2,time\n1,2,3.5\n2,3,4.5\n",
        "time_1,time_3,x\n1.5,2.5,3\n",
        "x,time_1,time_2\n1,1,2\n2,3,4\n",
        "metric,time\na,1.5\n",
        "x,value\n1,1.5\n",
        "x,metric,value\n1,a\n",
        "",
    ],
)
def test_other_tables(text: str) -> None:
    """Numbered options, whole numbers, and tables without a column of values are as they were."""
    table = table_of(Source("f.csv", text.encode()))
    assert unfolded(table) is table


def test_index_of_several_sheets(tmp_path: Path) -> None:
    """The first sheet of a workbook is read, and a note says so."""
    with pandas.ExcelWriter(tmp_path / "a.xlsx") as book:
        plain().to_excel(book, sheet_name="runs", index=False)
        long().to_excel(book, sheet_name="other", index=False)
    source = read_table(tmp_path / "a.xlsx")
    assert isinstance(source, Table)
    assert source.notes == ("only the first sheet, 'runs', is read",)


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pyarrow, polars reads Parquet, to the same table."""
    plain().to_parquet(tmp_path / "a.parquet")
    expected = read_table(tmp_path / "a.parquet").text()
    monkeypatch.setattr("splc.formats.benchmarks.frames.find_spec", lambda name: name if name == "polars" else None)
    assert read_table(tmp_path / "a.parquet").text() == expected


@pytest.mark.parametrize(
    "parts",
    [
        {"time": 1.0, "time_0": 0.4, "time_1": 0.6},
        {"time_0": 0.1, "time_1": 0.9},
    ],
)
def test_parts_are_no_repetitions(tmp_path: Path, parts: dict[str, float]) -> None:
    """The parts of a property beside it, or ones of different sizes, stay columns."""
    found = pandas.DataFrame(CONFIGURATIONS, columns=["threads", "cache"])
    for name, share in parts.items():
        found[name] = VALUES["time"][:, 0] * share
    file = tmp_path / "parts.csv"
    as_csv(found, file)
    source = read_table(file)
    assert not source.notes
    assert source.text().splitlines()[0] == ",".join(["threads", "cache", *parts])
