"""The output of each tool: right roles, and a model with one command. `data/README.md` says how the files were made."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from splc import read_measurements
from splc.errors import InputError
from splc.formats.benchmarks.declaration import pairs_in
from splc.formats.benchmarks.reports import differing, options_of_commands, without_units
from splc.formats.benchmarks.tools import FORMATS
from splc.formats.inference import inference_of
from splc.formats.measurements.tables import read_table
from splc.formats.table import TableSource, read_columns
from tests.cli.conftest import Run
from tests.support.golden_messages import check_calls, check_lines

DATA = Path(__file__).parent / "data"
FILES = sorted({file.name for file in DATA.iterdir()} - {"README.md", "programs", "sysbench", ".gitignore"})
WHERE = {"asv": {"commit": "2026-12-01 03:18 3e53c909"}}
# Files of a tool with another one.
TWINS = ("asv.json", "hyperfine.csv", "hyperfine-commands.json", "google-benchmark.csv", "perf-csv")


def roles_of(name: str) -> Iterator[str]:
    """Yield what is inferred from a file, and what is read with it."""
    source = read_table(DATA / name)
    found = inference_of(source)
    measured = read_measurements(DATA / name, found.system, where=WHERE.get(name))
    runs = measured.repetitions(found.main or "")
    own = [f"{each} is {title}" for each, title in source.own_names.items()] if isinstance(source, TableSource) else []
    yield from (f"# {name}", f"main: {found.main}", *own, *found.assumptions, *found.warnings, *found.notes)
    yield f"{len(measured)} configurations, {runs.shape[1]} repetitions, {(runs > 0).sum()} of {runs.size} above 0"


def test_roles() -> None:
    """Options, properties, contexts and repetitions of each file are those that its run had (`data/README.md`)."""
    check_lines("files-of-tools", [line for name in FILES for line in ("", *roles_of(name))])


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in TWINS else name for name in FILES if name != "asv"]
)
def test_model_with_one_command(name: str, run: Run, place: Path) -> None:
    """`splc learn FILE` learns a model of the property to use, without further options."""
    result = run("learn", str(DATA / name), "--json")
    assert result.exit_code == 0, result.stderr
    found, inferred = json.loads(result.stdout), inference_of(read_table(DATA / name))
    assert found["nfp"] == inferred.main
    used = {option for term in found["model"]["terms"] for option in inferred.columns if option in term["term"]}
    assert used, "no option influences the property"
    assert (place / "learned.json").exists()


@pytest.mark.parametrize("learner", ["pmnf", "default"])
def test_hash_is_that_of_the_file(learner: str, run: Run, place: Path) -> None:
    """The model states the hash of the file itself, not of the table that was made from it."""
    import hashlib

    file = DATA / "google-benchmark.csv"
    result = run("learn", str(file), *(("--learner", learner) if learner == "pmnf" else ()), "--json", "-o", "m.json")
    assert result.exit_code == 0, result.output
    assert hashlib.sha256(file.read_bytes()).hexdigest() in (place / "m.json").read_text(encoding="utf-8")


def test_a_file_of_each_configuration(place: Path) -> None:
    """Files of any tool whose names state options are read together, also as `.`; an empty path is no folder."""
    for level in (1, 5, 9):
        content = {"results": [{"command": "gzip", "times": [level + 0.1, level + 0.2]}]}
        (place / f"level={level},mode=a.json").write_text(json.dumps(content))
    system = inference_of(read_table(".")).system
    measured = read_measurements(".", system)
    assert (system.name, measured.repetitions("time").tolist()) == ("system", [[1.1, 1.2], [5.1, 5.2], [9.1, 9.2]])
    assert inference_of(read_table("."), nfp="mean").first == "time"
    (place / "level=9,mode=b.json").write_text("{}")
    for wrong in ("", "."):
        with pytest.raises(InputError):
            read_table(wrong)


def test_failed_runs_in_a_folder(place: Path) -> None:
    """Runs that failed are rows of the table of a folder, too."""
    for level in (1, 2):
        results = [
            {"parameters": {"pad": 0}, "time": 1.5},
            {"parameters": {"pad": level}, "time": 2.5 if level == 1 else 1e30},
        ]
        content = {"best_parameters": "", "kernel_family": "k", "results": results}
        (place / f"level={level}.json").write_text(json.dumps(content))
    table = read_columns(read_table("."))
    assert [*table.columns["pad"], *table.columns["time"]] == ["0", "1", "0", "2", "1.5", "2.5", "1.5", ""]


@pytest.mark.parametrize(("file", "package"), [("f.xlsx", "openpyxl"), ("f.parquet", "pyarrow, polars or pandas")])
def test_missing_package(
    file: str, package: str, refused: Callable[..., str], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the package that reads a format, the message names the extra to install."""
    monkeypatch.setattr("splc.formats.benchmarks.tools.find_spec", lambda name: None)
    (place / file).write_bytes(b"PK\x03\x04 xl/workbook.xml" if file.endswith("xlsx") else b"PAR1")
    message = refused("learn", file)
    assert f"needs {package}\n" in message
    assert f"pip install 'splc[{'excel' if file.endswith('xlsx') else 'parquet'}]'" in message


def test_calls() -> None:
    """Options are found in words of commands and in names as the golden file has it."""
    check_calls("words-of-commands", options_of_commands, pairs_in, without_units, differing)


PIECES = ("#", "#a,", "# a", "1.5 ", 'a: "', '{"a": [', "<a ", "- a=1 ", "\t|+-", "a\n\n")


@pytest.mark.parametrize("piece", PIECES)
def test_patterns_end_soon(piece: str) -> None:
    """No pattern of a format takes long on long lines of one piece, as headers whose names begin with `#` are."""
    for data in ((piece * 3000).encode(), f"{piece * 3000}\nx".encode()):
        assert [each.tool for each in FORMATS if each.matches(data) and not data.startswith((b"{", b"<"))] == []
