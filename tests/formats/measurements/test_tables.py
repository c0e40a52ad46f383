"""Wide and long tables, Excel, Parquet and JSON: the same measurements as in a plain table."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas
import pytest

from splc.errors import InputError
from splc.formats.column_choice import ColumnChoice
from splc.formats.inference import inference_of
from splc.formats.measurements.read import read_measurements
from splc.formats.measurements.tables import read_file_columns, read_table, read_union, unfolded
from splc.formats.table import TableSource, table_of
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
    assert isinstance(source, TableSource)
    assert source.notes == ("only the first sheet, 'runs', is read",)


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pyarrow, polars reads Parquet, to the same table."""
    plain().to_parquet(tmp_path / "a.parquet")
    expected = read_table(tmp_path / "a.parquet").text()
    monkeypatch.setattr("splc.formats.benchmarks.tools.find_spec", lambda name: name if name == "polars" else None)
    assert read_table(tmp_path / "a.parquet").text() == expected


@pytest.mark.parametrize("parts", [{"time": 1.0, "time_0": 0.4, "time_1": 0.6}, {"time_0": 0.1, "time_1": 0.9}])
def test_parts_are_no_repetitions(tmp_path: Path, parts: dict[str, float]) -> None:
    """The parts of a property beside it, or ones of different sizes, stay columns."""
    found = pandas.DataFrame(CONFIGURATIONS, columns=["threads", "cache"])
    for name, share in parts.items():
        found[name] = VALUES["time"][:, 0] * share
    file = tmp_path / "parts.csv"
    as_csv(found, file)
    source = read_table(file)
    assert not table_of(source).notes
    assert source.text().splitlines()[0] == ",".join(["threads", "cache", *parts])


FIRST = "cache,n,time\n" + "".join(f"{c},{n},{n * (2 - c) + 0.5}\n" for n in (1, 2, 3, 4, 5, 6) for c in (0, 1))
SECOND = "n;time;cache\n7;14,5;0\n7;7,5;1\n1;2,5;0\n"


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with two tables, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "first.csv").write_text(FIRST, encoding="utf-8")
    (tmp_path / "second.csv").write_text(SECOND, encoding="utf-8")
    return tmp_path


def refusal(*paths: str, ignore: str = "") -> str:
    """Return the message about tables that cannot be read as one."""
    with pytest.raises(InputError) as caught:
        read_union(paths, ColumnChoice(ignore=(ignore,) if ignore else ()))
    return str(caught.value)


def test_rows(tables: Path) -> None:
    """The rows of all are one table, whatever the order of columns, separators and decimal delimiters are."""
    union = read_union(["first.csv", "second.csv"], ColumnChoice())
    columns = read_file_columns(union).columns
    assert list(columns) == ["cache", "n", "time"]
    assert list(columns["time"][-3:]) == ["14.5", "7.5", "2.5"]
    assert union.notes[0] == "2 tables are read as one: first.csv (lines 2 to 13), second.csv (lines 14 to 16)"
    assert (union.place(13), union.place(15), union.place(40)) == (
        ("first.csv", 13),
        ("second.csv", 3),
        ("first.csv, second.csv", None),
    )


def test_other_columns(tables: Path) -> None:
    """A column that only some tables have stands where it does there; another spelling is reported with its line."""
    (tables / "other.csv").write_text("\ncash,n,time,host\n0,1,2,a\n", encoding="utf-8")
    message = refusal("first.csv", "other.csv")
    assert "other.csv:2: the table lacks the column 'cache'" in message
    assert "did you mean 'cash'?" in message
    assert "host" not in message
    (tables / "host.csv").write_text("cache,host,n,time\n0,a,9,2\n", encoding="utf-8")
    union = read_union(["first.csv", "host.csv"], ColumnChoice())
    columns = read_file_columns(union).columns
    assert list(columns) == ["cache", "host", "n", "time"]
    assert list(columns["host"]) == [""] * 12 + ["a"]
    assert union.notes[1] == "the column host is empty in the rows of first.csv: the table does not have it"
    assert len(read_union(["first.csv", "host.csv"], ColumnChoice(ignore=("host",))).notes) == 1


def test_wrong_rows(tables: Path) -> None:
    """Rows with a wrong number of fields are reported where they are."""
    (tables / "short.csv").write_text("cache,n,time\n0,1,2\n0,1\n", encoding="utf-8")
    assert "short.csv:3: 2 fields, but the header has 3" in refusal("first.csv", "short.csv")


def test_refused(tables: Path) -> None:
    """A file that is named twice, and XML beside other tables, are refused with the cure."""
    (tables / "link.csv").symlink_to(tables / "first.csv")
    assert "link.csv: this file is named twice" in refusal("first.csv", "link.csv")
    (tables / "m.xml").write_text("<results></results>", encoding="utf-8")
    assert "splc convert m.xml -o TABLE.csv" in refusal("first.csv", "m.xml")


@pytest.mark.parametrize("name", ["<b>x</b>", "run time", "it's", "$HOME;ls", "c++"])
def test_proposed_arguments(tables: Path, name: str) -> None:
    """Names in a proposed command are one word of a shell, whatever characters they have."""
    for number in (1, 2):
        (tables / f"{number}.csv").write_text(f"cache,n,{name} {number},time\n0,9,2.5,1\n", encoding="utf-8")
    proposed = refusal("1.csv", "2.csv").partition("--ignore ")[2]
    assert shlex.split(proposed.splitlines()[0])[0] == f"{name} 1"


def test_units_and_roles(tables: Path) -> None:
    """Outputs of benchmark tools keep their roles; different units of one property are refused."""
    record = {"name": "f/1", "run_name": "f/1", "run_type": "iteration", "iterations": 1, "cpu_time": 1.0}
    for file, size, unit in (("a.json", 1, "ns"), ("b.json", 2, "ns"), ("c.json", 3, "ms")):
        runs = [{**record, "name": f"f/{size}", "run_name": f"f/{size}", "real_time": 1.0 * size, "time_unit": unit}]
        (tables / file).write_text(json.dumps({"context": {}, "benchmarks": runs}), encoding="utf-8")
    union = read_union(["a.json", "b.json"], ColumnChoice())
    assert union.stated is not None
    assert union.main is not None
    assert len(read_file_columns(union).columns[union.main]) == 2
