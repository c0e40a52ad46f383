"""`splc suggest` for described systems."""

from __future__ import annotations

import csv
import io
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run
from tests.support.real_data import DATA

OPTIONS = ("a", "b", "c", "x")
SYSTEM = (
    '<vm name="made"><binaryOptions>'
    + "".join(
        f"<configurationOption><name>{name}</name><optional>True</optional></configurationOption>" for name in "abc"
    )
    + "</binaryOptions><numericOptions><configurationOption><name>x</name><values>1;2;4;8</values>"
    "</configurationOption></numericOptions></vm>"
)
SPACE = [(a, b, c, x) for a in (0, 1) for b in (0, 1) for c in (0, 1) for x in (1, 2, 4, 8)]


def time_of(a: int, b: int, c: int, x: int) -> float:
    """Return the run time of a configuration."""
    return 5 + 2 * x * (1 + a) + 3 * b + 0.5 * c


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project folder with a described system without measurements, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "system.xml").write_text(SYSTEM, encoding="utf-8")
    return tmp_path


def measure(folder: Path, rows: list[tuple[int, int, int, int]]) -> None:
    """Write measurements of time and cost."""
    lines = [f"{a},{b},{c},{x},{time_of(a, b, c, x)},{10 if x < 8 else 1000}" for a, b, c, x in rows]
    (folder / "measurements.csv").write_text("\n".join(["a,b,c,x,time,fee", *lines]) + "\n", encoding="utf-8")


def configurations(text: str) -> list[tuple[int, ...]]:
    """Return the configurations of a CSV table."""
    return [tuple(int(row[name]) for name in OPTIONS) for row in csv.DictReader(io.StringIO(text))]


def test_first_design_then_suggestions_then_the_best(run: Run, made: Path) -> None:
    """A first design needs no values; further suggestions are not measured yet; the best configuration is found."""
    first = run("suggest", "--budget", "12")
    assert first.exit_code == 0
    rows = configurations(first.stdout)
    assert len(set(rows)) == 12
    assert first.stdout.splitlines()[0] == "a,b,c,x,variance_reduction_percent"
    assert "a first design" in first.stderr
    measure(made, [(a, b, c, x) for a, b, c, x in rows])
    more = run("suggest", "--property", "time", "--budget", "4", "-o", "next.csv")
    assert more.exit_code == 0
    assert more.stdout == ""
    text = (made / "next.csv").read_text(encoding="utf-8")
    assert text.splitlines()[0] == "a,b,c,x,variance_reduction_percent,predicted,low,high"
    assert not set(configurations(text)) & set(rows)
    assert "a model of 12 measured configurations" in more.stderr
    measure(made, [row for row in SPACE if time_of(*row) > 7][::2])
    best = json.loads(run("suggest", "--property", "time", "--goal", "optimum", "--budget", "3", "--json").stdout)
    assert best["schema"] == "splc.suggest/1"
    assert (best["goal"], best["configurations"], best["nfp"]) == ("optimum", 3, "time")
    assert {"a": 0, "b": 0, "c": 0, "x": 1} in [each["configuration"] for each in best["next"]]
    greatest = json.loads(
        run("suggest", "--property", "time", "--goal", "optimum", "--budget", "3", "--maximize", "--json").stdout
    )
    assert min(each["predicted"] for each in greatest["next"]) > max(each["predicted"] for each in best["next"])


def test_costs_count(run: Run, made: Path) -> None:
    """Configurations that cost a hundred times as much are not suggested; predicted values can be the cost."""
    measure(made, [row for place, row in enumerate(SPACE) if place % 5 in {0, 2}])
    arguments = ("suggest", "--property", "time", "--budget", "6", "--json")
    without = json.loads(run(*arguments).stdout)["next"]
    assert any(each["configuration"]["x"] == 8 for each in without)
    found = json.loads(run(*arguments, "--cost", "fee").stdout)["next"]
    assert all(each["configuration"]["x"] < 8 for each in found)
    assert all(each["cost"] == pytest.approx(10, rel=0.1) for each in found)
    own = json.loads(run(*arguments, "--cost", "model").stdout)["next"]
    assert [each["cost"] for each in own] == pytest.approx([each["predicted"] for each in own])
    assert np.mean([each["cost"] for each in own]) < np.mean([each["predicted"] for each in without])


def test_study_learns_from_suggested_rows(run: Run, made: Path) -> None:
    """`suggest:N` is a sampling of learn and study, seeded, but not of sample."""
    measure(made, SPACE)
    learned = json.loads(
        run("learn", "--property", "time", "--sampling", "suggest:14", "--json", "-o", "model.log").stdout
    )
    assert learned["learning_configurations"] == 14
    (made / "study.toml").write_text(
        'nfp = "time"\nsamplings = ["suggest:14", "random:14"]\nseeds = [1, 2]\n', encoding="utf-8"
    )
    assert run("study", "study.toml", "--no-pictures").exit_code == 0
    runs = (made / "results" / "runs.csv").read_text(encoding="utf-8")
    assert [row["sampling"] for row in csv.DictReader(io.StringIO(runs))].count("suggest:14") == 2
    refused = run("sample", "--sampling", "suggest:3")
    assert refused.exit_code == 2
    assert "suggestions depend on measured values" in refused.stderr
    many = run("learn", "--property", "time", "--sampling", "suggest:33")
    assert many.exit_code == 2
    assert "only 32 configurations have a value of time" in many.stderr


def test_one_value_of_a_context(run: Run, made: Path) -> None:
    """Rows of several versions are refused; --where selects those of one."""
    lines = ["a,b,c,x,version,time"]
    for version, factor in (("old", 1), ("new", 7)):
        lines += [f"{','.join(map(str, row))},{version},{time_of(*row) * factor}" for row in SPACE[::2]]
    (made / "measurements.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    refused = run("suggest", "--budget", "3")
    assert refused.exit_code == 2
    assert "version" in refused.stderr
    old, new = (
        json.loads(run("suggest", "--budget", "3", "--where", f"version={version}", "--json").stdout)
        for version in ("old", "new")
    )
    assert old["measured"] == new["measured"] == 16
    assert new["next"][0]["predicted"] > 3 * old["next"][0]["predicted"]


@pytest.mark.parametrize("seed", range(4))
def test_the_order_is_explained(run: Run, made: Path, seed: int) -> None:
    """The reductions need not fall from row to row; where one rises, the summary says why."""
    rows = np.random.default_rng(seed).permutation(len(SPACE))[:12]
    measure(made, [SPACE[row] for row in rows])
    result = run("suggest", "--property", "time", "--budget", "8")
    gains = [float(row["variance_reduction_percent"]) for row in csv.DictReader(io.StringIO(result.stdout))]
    assert len(gains) == 8
    rises = any(later > earlier for earlier, later in pairwise(gains))
    assert ("can be larger" in result.stderr) == rises


@pytest.mark.real_data
def test_hypotheses_without_variance(run: Run) -> None:
    """Points at which a hypothesis has no variance are candidates without warnings."""
    file = str(DATA / "extrap_formats" / "jsonlines" / "incomplete_matrix_2p.jsonl")
    result = run("scale", file, "--suggest", "--target", "x=100,y=10", "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["next"][0]["gain"] > 0
