"""Several tables of measurements, read as one."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from splc.errors import InputError
from splc.formats.columns import ColumnChoice
from splc.formats.measurements.tables import read_file_columns, read_union

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
