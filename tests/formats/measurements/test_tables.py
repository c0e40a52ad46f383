"""Wide and long tables, Excel, Parquet and JSON: the same measurements as in a plain table."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas
import pytest

from splc.errors import InputError, Problem
from splc.formats.column_choice import ColumnChoice
from splc.formats.inference import inference_of
from splc.formats.measurements.read import read_measurements
from splc.formats.measurements.tables import read_table, read_union, unfolded, union_of
from splc.formats.table import TableSource, read_columns, split_table, table_of
from splc.io.files import Source
from tests.support.golden_messages import Lines, check_calls, shown

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


def test_index_of_several_sheets(tmp_path: Path) -> None:
    """The first sheet of a workbook is read, and a note says so."""
    with pandas.ExcelWriter(tmp_path / "a.xlsx") as book:
        plain().to_excel(book, sheet_name="runs", index=False)
        long().to_excel(book, sheet_name="other", index=False)
    source = read_table(tmp_path / "a.xlsx")
    assert isinstance(source, TableSource)
    assert source.notes == ("only the first sheet, 'runs', is read",)


def test_merged_cells(tmp_path: Path) -> None:
    """Merged cells below the header have the value of the first one; titles, and a header with its units, are one."""
    book = import_module("openpyxl").Workbook()
    sheet = book.worksheets[0]
    text = "Campaign/solver,n,time,energy/,,[ms],[kJ]/cg,1,1.5,3.5/,2,2.5,4.5/mg,1,2.5,5.5/,2,n.d.,"
    for line in text.split("/"):
        sheet.append([cell or None for cell in line.split(",")])
    for area in ("A1:D1", "A2:A3", "B2:B3", "A4:A5", "A6:A7", "C7:D7"):
        sheet.merge_cells(area)
    book.save(tmp_path / "a.xlsx")
    table = read_columns(read_table(tmp_path / "a.xlsx"))
    assert table.units == {"time": "ms", "energy": "kJ"}
    assert [*table.columns["solver"], *table.columns["energy"]] == ["cg", "cg", "mg", "mg", "3.5", "4.5", "5.5", "n.d."]


def test_parquet_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pyarrow, polars reads Parquet, to the same table."""
    plain().to_parquet(tmp_path / "a.parquet")
    expected = read_table(tmp_path / "a.parquet").text()
    monkeypatch.setattr("splc.formats.benchmarks.tools.find_spec", lambda name: name if name == "polars" else None)
    assert read_table(tmp_path / "a.parquet").text() == expected


FIRST = "cache,n,time\n0,1,2.5\n1,1,1.5\n0,2,4.5\n"
SECOND = "n;time;cache\n7;14,5;0\n7;7,5;1\n1;2,5;0\n"


def union(*texts: str, ignore: str = "") -> Lines:
    """Return the union of tables as text, after its notes, its main property, and the units and roles of columns."""
    sources = [read_table(Source(f"{number}.csv", text.encode())) for number, text in enumerate(texts, 1)]
    found = union_of(sources, ColumnChoice(ignore=(ignore,) if ignore else ()))
    facts = [f"main: {found.main}, {dict(found.units)}", shown(found.stated)] if found.stated else []
    return Lines("\n".join([*found.notes, *facts, found.text()]))


def place(line: int, *texts: str) -> None:
    """Raise an error about a line of the union of tables."""
    sources = [Source(f"{number}.csv", text.encode()) for number, text in enumerate(texts, 1)]
    found = union_of(sources, ColumnChoice())
    with found.placing():
        raise InputError(Problem("wrong", found.name, line))


def unfold(text: str) -> Lines:
    """Return a table with a row for each run, after its notes; others as they are."""
    table = table_of(Source("f.csv", text.encode()))
    found = unfolded(table)
    return Lines("as it was" if found is table else "\n".join([*found.notes, found.text()]))


def split(text: str, encoding: str = "utf-8") -> Lines:
    """Return the rows of a table with their lines in the file, after its notes."""
    table = read_table(Source("f.csv", text.encode(encoding)))
    assert isinstance(table, TableSource)
    found = split_table(table)
    rows = (f"{line}: {','.join(row)}" for line, row in zip(found.lines, found.rows, strict=True))
    return Lines("\n".join([*found.notes, *rows]))


def google(size: int, unit: str) -> str:
    """Return a report of Google Benchmark with one run."""
    run = {"name": f"f/{size}", "run_name": f"f/{size}", "run_type": "iteration", "iterations": 1, "cpu_time": 1.0}
    return json.dumps({"context": {}, "benchmarks": [{**run, "real_time": 1.0 * size, "time_unit": unit}]})


def test_calls() -> None:
    """Unions and other shapes of tables are those of the golden file."""
    check_calls("shapes-of-tables", union, place, unfold, split, google, FIRST=FIRST, SECOND=SECOND)


def test_files_that_are_named_twice(tmp_path: Path) -> None:
    """A file that is named twice is refused with the cure, also if one name is a link."""
    (tmp_path / "first.csv").write_text(FIRST, encoding="utf-8")
    (tmp_path / "link.csv").symlink_to(tmp_path / "first.csv")
    with pytest.raises(InputError, match=r"link\.csv: this file is named twice"):
        read_union([str(tmp_path / "first.csv"), str(tmp_path / "link.csv")], ColumnChoice())


@pytest.mark.parametrize("name", ["<b>x</b>", "run time", "it's", "$HOME;ls", "c++"])
def test_proposed_arguments(name: str) -> None:
    """Names in a proposed command are one word of a shell, whatever characters they have."""
    with pytest.raises(InputError) as caught:
        union(*(f"cache,n,{name} {number},time\n0,9,2.5,1\n" for number in (1, 2)))
    proposed = str(caught.value).partition("--ignore ")[2]
    assert shlex.split(proposed.splitlines()[0])[0] == f"{name} 1"
