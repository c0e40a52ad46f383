"""The output of each tool: right roles, and a model with one command. `data/README.md` says how the files were made."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from splc.formats.measurements.inference import infer_system
from splc.formats.measurements.read import read_measurements
from splc.formats.measurements.shapes import read_table
from tests.formats.benchmarks.conftest import DATA, Run


@dataclass(frozen=True)
class Expected:
    """The right roles of the columns of a file."""

    options: dict[str, int]  # option → number of its values
    main: str  # the property to use
    others: set[str]  # the other properties
    contexts: set[str]
    repetitions: int  # the number of runs of each configuration
    configurations: int | None = None  # their number, if that is not the product of the numbers of values


EVENTS = {"context-switches", "cpu-migrations", "page-faults"}
ZIP = {"tool": 2, "level": 4, "input": 2}
STATISTICS = {"median", "min", "max", "stddev", "user", "system"}
FILES = {
    "hyperfine.json": Expected(ZIP, "time", {"user", "system"}, set(), 5),
    "hyperfine.csv": Expected(ZIP, "mean", STATISTICS, set(), 1),
    "hyperfine-commands.json": Expected({"word2": 4, "c": 2}, "time", {"user", "system"}, set(), 5),
    "pytest-benchmark.json.gz": Expected({"strategy": 2, "level": 4, "size": 3}, "time", set(), {"test"}, 5),
    "google-benchmark.json.gz": Expected({"n": 4, "parts": 3}, "real_time", {"cpu_time"}, {"benchmark"}, 3),
    "google-benchmark.csv": Expected({"arg1": 4, "arg2": 3}, "real_time", {"cpu_time"}, {"benchmark"}, 1),
    "jmh.json": Expected({"collection": 2, "load": 2, "size": 3}, "time", set(), {"benchmark"}, 10),
    "criterion": Expected({"function": 2, "value": 6}, "time", set(), {"group"}, 10),
    "perf-csv": Expected({"level": 4, "input": 2}, "task-clock", EVENTS, set(), 1),
    "perf-json": Expected({"level": 4, "input": 2}, "task-clock", EVENTS, set(), 1),
    "fio.json.gz": Expected({"rw": 3, "bs": 3, "fsync": 2}, "bw", {"iops", "lat"}, set(), 1),
    "optuna.csv": Expected({"level": 5, "parts": 3, "order": 2}, "value", set(), set(), 4, 24),
    "hydra": Expected({"level": 3, "size": 2, "wbits": 2}, "time", {"bytes"}, set(), 1),
}
# Files of a tool with another one.
TWINS = ("hyperfine.csv", "hyperfine-commands.json", "google-benchmark.csv", "perf-csv")


def test_every_file_is_expected() -> None:
    """No file of data lacks a test."""
    others = {"README.md", "programs", "sysbench", ".gitignore"}
    assert {file.name for file in DATA.iterdir()} - others == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_roles(name: str) -> None:
    """Options, properties, contexts and repetitions of each file are those that its run had."""
    expected = FILES[name]
    found = infer_system(read_table(DATA / name))
    assert set(found.columns) == set(expected.options)
    assert found.main == expected.main
    assert set(found.properties) == {expected.main, *expected.others}
    assert set(found.contexts) == expected.contexts
    assert not found.ignored
    system = found.system
    sizes = {option.name: option.size for option in system.numeric_options}
    sizes |= {name: sum(each.parent == name for each in system.binary_options) for name in system.names} | sizes
    assert {option: sizes[option] for option in expected.options} == expected.options
    measured = read_measurements(DATA / name, system)
    assert set(measured.properties) == set(found.properties)
    product = 1
    for size in expected.options.values():
        product *= size
    assert len(measured) == (expected.configurations or product)
    assert measured.repetitions(expected.main).shape[1] == expected.repetitions
    assert (measured[expected.main] > 0).all()


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in TWINS else name for name in FILES]
)
def test_model_with_one_command(name: str, run: Run, place: Path) -> None:
    """`splc learn FILE` learns a model of the property to use, without further options."""
    result = run("learn", str(DATA / name), "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    expected = FILES[name]
    assert found["nfp"] == expected.main
    assert found["model"]["terms"]
    known = {*expected.options, *(f"{option}_" for option in expected.options)}
    used = {word for term in found["model"]["terms"] for word in known if word in term["term"]}
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
    configurations = len(read_measurements(DATA / name, infer_system(read_table(DATA / name)).system))
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
