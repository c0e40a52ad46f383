"""Incomplete and wrong output of tools: exit code 2 and one clear message."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.formats.measurements.tables import read_table
from splc.io.files import Source
from tests.formats.benchmarks.conftest import DATA
from tests.support.examples import examples
from tests.support.reader_golden import READER_FILES, read_cases
from tests.support.refusal import check_read_or_refused

Refused = Callable[..., str]


@examples(60)
@given(data=st.data())
def test_cut_files(data: st.DataObject) -> None:
    """A file that is cut off is read as far as it is whole, or refused."""
    content = data.draw(st.sampled_from([case.data for case in read_cases(READER_FILES / "tools.txt") if case.data]))
    end = data.draw(st.integers(0, len(content)))
    check_read_or_refused(lambda: (read_table(Source("file", content[:end])),))


def test_folders(refused: Refused, place: Path) -> None:
    """Folders without runs, and with files that do not fit, are refused."""
    (place / "empty").mkdir()
    assert refused("learn", "empty").startswith("empty: this folder is not a table of measurements")
    shutil.copytree(DATA / "perf-csv", place / "perf")
    (place / "perf" / "level=2,input=x.csv").write_text("", encoding="utf-8")
    assert refused("learn", "perf").startswith("perf/level=2,input=x.csv: the file is empty")
    shutil.copytree(DATA / "criterion", place / "criterion")
    sample = next((place / "criterion").rglob("sample.json"))
    sample.write_text('{"iters": [1', encoding="utf-8")
    assert refused("learn", "criterion").startswith(f"{sample.relative_to(place)}:1:")


def test_hydra(refused: Refused, place: Path) -> None:
    """Jobs without results, with several files of results, and with overrides that are none are refused."""
    job = place / "jobs" / "0"
    (job / ".hydra").mkdir(parents=True)
    overrides = job / ".hydra" / "overrides.yaml"
    overrides.write_text("- +level=1\n", encoding="utf-8")
    assert refused("learn", "jobs").startswith("jobs: no job has a file of results")
    for name in ("a.json", "b.json"):
        (job / name).write_text('{"time": 1}', encoding="utf-8")
    assert refused("learn", "jobs").startswith("jobs/0: several files of results: a.json, b.json")
    (job / "b.json").unlink()
    overrides.write_text("level: 1\n", encoding="utf-8")
    assert refused("learn", "jobs").startswith("jobs/0/.hydra/overrides.yaml:1: not an override")


def test_table_twice(refused: Refused, place: Path) -> None:
    """The table is named once."""
    assert "given twice" in refused("learn", str(DATA / "jmh.json"), "--measurements", str(DATA / "jmh.json"))


@pytest.mark.parametrize(("file", "package"), [("f.xlsx", "openpyxl"), ("f.parquet", "pyarrow, polars or pandas")])
def test_missing_package(
    file: str, package: str, refused: Refused, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the package that reads a format, the message names the extra to install."""
    monkeypatch.setattr("splc.formats.benchmarks.tools.find_spec", lambda name: None)
    (place / file).write_bytes(b"PK\x03\x04 xl/workbook.xml" if file.endswith("xlsx") else b"PAR1")
    message = refused("learn", file)
    assert f"needs {package}\n" in message
    assert f"pip install 'splc[{'excel' if file.endswith('xlsx') else 'parquet'}]'" in message
