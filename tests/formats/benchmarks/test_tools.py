"""The output of each tool: right roles, and a model with one command. `data/README.md` says how the files were made."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from splc import read_measurements, read_variability_model
from splc.cli.app import app
from splc.formats.benchmarks.declaration import differing, options_of_commands, pairs_in, without_units
from splc.formats.inference import inference_of
from splc.formats.measurements.tables import read_table
from tests.formats.benchmarks.conftest import DATA, Run
from tests.support.golden_messages import check_calls, check_lines

FILES = sorted({file.name for file in DATA.iterdir()} - {"README.md", "programs", "sysbench", ".gitignore"})
# Files of a tool with another one.
TWINS = ("hyperfine.csv", "hyperfine-commands.json", "google-benchmark.csv", "perf-csv")


def roles_of(name: str) -> Iterator[str]:
    """Yield what is inferred from a file, and what is read with it."""
    found = inference_of(read_table(DATA / name))
    measured = read_measurements(DATA / name, found.system)
    runs = measured.repetitions(found.main or "")
    yield from (f"# {name}", f"main: {found.main}", *found.assumptions, *found.warnings, *found.notes)
    yield f"{len(measured)} configurations, {runs.shape[1]} repetitions, {(runs > 0).sum()} of {runs.size} above 0"


def test_roles() -> None:
    """Options, properties, contexts and repetitions of each file are those that its run had (`data/README.md`)."""
    check_lines("files-of-tools", [line for name in FILES for line in ("", *roles_of(name))])


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in TWINS else name for name in FILES]
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


@pytest.mark.parametrize(
    "name",
    [
        "hyperfine.json",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("criterion", "google-benchmark.json.gz")),
    ],
)
def test_other_commands(name: str, run: Run, place: Path) -> None:
    """Commands that read measurements read the same file."""
    file = str(DATA / name)
    assert run("learn", file).exit_code == 0
    configurations = len(read_measurements(DATA / name, inference_of(read_table(DATA / name)).system))
    assert json.loads(run("describe", file, "--json").stdout)["valid_configurations"] == configurations
    predicted = json.loads(run("predict", "learned.log", file, "--json").stdout)
    assert predicted["configurations"] == configurations
    assert predicted["error"] is not None
    for arguments in (
        ("init", file, "-o", "new.xml"),
        ("compare", "learned.log", "learned.json", "--measurements", file),
        ("explain", "learned.log", "--measurements", file),
        ("optimize", "learned.log", "--measurements", file),
        ("suggest", "--measurements", file, "--budget", "1"),
    ):
        result = run(*arguments)
        # Everything is measured, so that nothing is left to suggest.
        assert result.exit_code == (2 if arguments[0] == "suggest" else 0), result.output


def test_choices(run: Run, place: Path) -> None:
    """A property, a value of an option, standard input and a description are chosen as for tables."""
    file = str(DATA / "hyperfine.json")
    assert json.loads(run("learn", file, "--property", "user", "--json").stdout)["nfp"] == "user"
    result = run("learn", file, "--where", "tool=gzip")
    assert "tool" in next(line for line in result.stderr.splitlines() if line.startswith("    contexts"))
    piped = json.loads(run("learn", "-", "--json", stdin=(DATA / "hyperfine.json").read_bytes()).stdout)
    assert run("init", file, "-o", "system.xml").exit_code == 0
    described = json.loads(run("learn", file, "--json").stdout)
    inferred = json.loads(run("learn", file, "--system", file, "--json").stdout)
    assert described["nfp"] == inferred["nfp"] == piped["nfp"] == "time"
    assert described["model"] == inferred["model"]


@pytest.mark.parametrize("learner", ["pmnf", "default"])
def test_hash_is_that_of_the_file(learner: str, run: Run, place: Path) -> None:
    """The model states the hash of the file itself, not of the table that was made from it."""
    import hashlib

    file = DATA / "google-benchmark.csv"
    result = run("learn", str(file), *(("--learner", learner) if learner == "pmnf" else ()), "--json", "-o", "m.json")
    assert result.exit_code == 0, result.output
    assert hashlib.sha256(file.read_bytes()).hexdigest() in (place / "m.json").read_text(encoding="utf-8")


def benchmark(test: str, params: Mapping[str, Any], time: float) -> Any:
    """Return a benchmark with two rounds."""
    name = f"t.py::{test}[{'-'.join(map(str, params.values()))}]"
    return {"fullname": name, "params": params, "stats": {"data": [time, time * 1.01]}}


def report(*benchmarks: Any) -> str:
    """Return a report."""
    return json.dumps({"machine_info": {}, "benchmarks": benchmarks})


def test_different_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test is learned from with its own parameters: the first command says how, and what it says works."""
    monkeypatch.chdir(tmp_path)
    runs = [
        benchmark("sort", {"n": n, "algorithm": name}, n * factor)
        for n in (10, 20, 40, 80, 160)
        for name, factor in (("quick", 0.1), ("merge", 0.2), ("heap", 0.4))
    ]
    runs += [
        benchmark("zip", {"n": n, "codec": name}, n * f)
        for n in (10, 20, 40, 80, 160)
        for name, f in (("gz", 3), ("zs", 1))
    ]
    Path("r.json").write_text(report(*runs), encoding="utf-8")
    first = CliRunner().invoke(app, ["learn", "r.json"])
    assert first.exit_code == 2
    assert "choose one with --where test=t.py::sort" in first.stderr
    for test, option, other in (("sort", "algorithm", "codec"), ("zip", "codec", "algorithm")):
        done = CliRunner().invoke(app, ["learn", "r.json", "--where", f"test=t.py::{test}", "--json"])
        assert done.exit_code == 0, done.stderr
        assert f"{other} (it has no values in the selected rows)" in done.stderr
        terms = " ".join(each["term"] for each in json.loads(done.stdout)["model"]["terms"])
        assert option in terms
        assert other not in terms
    assert CliRunner().invoke(app, ["learn", "r.json", "--by", "test"]).exit_code == 0


SYSTEM = """<vm name="memory"><binaryOptions>
<configurationOption><name>write</name><optional>True</optional></configurationOption></binaryOptions><numericOptions>
<configurationOption><name>threads</name><values>1;2</values></configurationOption>
<configurationOption><name>block</name><values>1;4;16</values></configurationOption>
</numericOptions></vm>
"""
# Made after the example in wrk's README.
WRK = """Running 30s test @ http://127.0.0.1:8080/index.html
  12 threads and 400 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   635.91us    0.89ms  12.92ms   93.69%
    Req/Sec    56.20k     8.07k   62.00k    86.54%
  22464657 requests in 30.00s, 17.76GB read
Requests/sec: 748868.53
Transfer/sec:    606.33MB
"""


def test_sysbench(run: Run, place: Path) -> None:
    """The rate that sysbench prints becomes a property, and a model is learned from it."""
    (place / "system.xml").write_text(SYSTEM, encoding="utf-8")
    files = f"{DATA}/sysbench/{{threads}}-{{block}}K-{{write?write|read}}.txt"
    pattern = r"rate=regex:\(([0-9.]+) MiB/sec\)"
    arguments = ("--sampling", "all+ff", "--command", f"cat {files}", "--property", pattern, "-o", "memory.csv")
    result = run("measure", *arguments)
    assert result.exit_code == 0, result.output
    measured = read_measurements(place / "memory.csv", read_variability_model(place / "system.xml"))
    assert len(measured) == 12
    first = (DATA / "sysbench" / "1-1K-read.txt").read_text(encoding="utf-8")
    assert f"({measured['rate'][0]:.2f} MiB/sec)" in first
    assert run("learn", "memory.csv").exit_code == 0


def test_wrk(run: Run, place: Path) -> None:
    """The rate of requests that wrk prints becomes a property."""
    (place / "system.xml").write_text(SYSTEM, encoding="utf-8")
    (place / "wrk.txt").write_text(WRK, encoding="utf-8")
    arguments = ("--sampling", "all+ff", "--command", "cat wrk.txt", "-o", "wrk.csv")
    result = run("measure", *arguments, "--property", "rate=regex:Requests/sec: +([0-9.]+)")
    assert result.exit_code == 0, result.output
    assert set(read_measurements(place / "wrk.csv", read_variability_model(place / "system.xml"))["rate"]) == {
        748868.53
    }


Refused = Callable[..., str]


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


def test_calls() -> None:
    """Options are found in words of commands and in names as the golden file has it."""
    check_calls("words-of-commands", options_of_commands, pairs_in, without_units, differing)
