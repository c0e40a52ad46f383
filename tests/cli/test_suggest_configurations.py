"""`splc suggest` for described systems."""

from __future__ import annotations

import csv
import io
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from splc.formats.system.splconqueror_xml import write_variability_model
from splc.system.variability import VariabilityModel
from tests.cli.conftest import Run
from tests.support.real_data import DATA

OPTIONS = ("a", "b", "c", "x")
SPACE = [(a, b, c, x) for a in (0, 1) for b in (0, 1) for c in (0, 1) for x in (1, 2, 4, 8)]


def time_of(a: int, b: int, c: int, x: int) -> float:
    """Return the run time of a configuration."""
    return 5 + 2 * x * (1 + a) + 3 * b + 0.5 * c


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project folder with a described system without measurements, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    system = VariabilityModel.of({"a": bool, "b": bool, "c": bool, "x": [1, 2, 4, 8]})
    write_variability_model(system, tmp_path / "system.xml")
    return tmp_path


def measure(folder: Path, rows: list[tuple[int, int, int, int]]) -> None:
    """Write measurements of time."""
    lines = [f"{','.join(map(str, row))},{time_of(*row)}" for row in rows]
    (folder / "measurements.csv").write_text("\n".join(["a,b,c,x,time", *lines]) + "\n", encoding="utf-8")


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
