"""Incomplete and wrong output of tools: exit code 2 and one clear message."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.formats.benchmarks.conftest import DATA

JSON = ("hyperfine.json", "pytest-benchmark.json.gz", "google-benchmark.json.gz", "jmh.json", "fio.json.gz")
Refused = Callable[..., str]


def content(name: str) -> bytes:
    """Return the content of a file, decompressed."""
    data = (DATA / name).read_bytes()
    return gzip.decompress(data) if name.endswith(".gz") else data


@pytest.mark.parametrize("name", JSON)
@pytest.mark.parametrize("share", [0.6, 0.99])
def test_truncated(name: str, share: float, refused: Refused, place: Path) -> None:
    """A file that was cut off is refused, with the place where it ends."""
    data = content(name)
    (place / "cut.json").write_bytes(data[: int(share * len(data))])
    message = refused("learn", "cut.json")
    assert message.startswith("cut.json:")
    assert ": not JSON: " in message
    assert "is the file complete?" in message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("PAR1 and more", "f.json: the Parquet file cannot be read"),
        ("PK\x03\x04 xl/workbook.xml", "f.json: the workbook cannot be read"),
    ],
)
def test_refused(text: str, message: str, refused: Refused, place: Path) -> None:
    """Each file is refused, with its name and what is wrong."""
    (place / "f.json").write_text(text, encoding="utf-8")
    given = refused("learn", "f.json")
    assert given.startswith(message)
    # The cause, the text or a hint: no second error.
    assert all(line.startswith("    ") for line in given.splitlines()[1:])


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
    monkeypatch.setattr("splc.formats.benchmarks.frames.find_spec", lambda name: None)
    (place / file).write_bytes(b"PK\x03\x04 xl/workbook.xml" if file.endswith("xlsx") else b"PAR1")
    message = refused("learn", file)
    assert f"needs {package}\n" in message
    assert f"pip install 'splc[{'excel' if file.endswith('xlsx') else 'parquet'}]'" in message
