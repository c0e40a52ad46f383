"""`splc predict`."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from splc.formats.models.read import read_stored_model
from tests.cli.conftest import MEASUREMENTS, Run
from tests.support.paths import SMG2000

MODEL = "10 * cache + x\n"


@pytest.mark.parametrize("name", ["m.xml", "m.xml.gz", "m.csv.gz"])
def test_measurements_of_every_format(run: Run, folder: Path, name: str) -> None:
    """Measurements may be XML or CSV, compressed or not."""
    (folder / "model.txt").write_text(MODEL, encoding="utf-8")
    run("convert", "measurements.csv", "-o", name)
    content = json.loads(run("predict", "model.txt", name, "--property", "time", "--json").stdout)
    assert content["configurations"] == 9
    assert content["error"] is not None


def test_rows_without_a_header(run: Run, folder: Path) -> None:
    """SPL Conqueror's rows without a header are measurements too."""
    system = (folder / "system.xml").read_text(encoding="utf-8")
    start, end = system.index("<numericOptions>"), system.index("</numericOptions>")
    (folder / "system.xml").write_text(system[:start] + "<numericOptions>" + system[end:], encoding="utf-8")
    (folder / "model.txt").write_text("10 * cache + 1", encoding="utf-8")
    (folder / "m.csv").write_text("cache;left;22\nright;1\n", encoding="utf-8")
    content = json.loads(run("predict", "model.txt", "m.csv", "--json").stdout)
    assert (content["configurations"], content["error"]) == (2, 25.0)


def test_compressed_streams(run: Run, folder: Path) -> None:
    """Standard input may be compressed, and so is a file by its name."""
    (folder / "model.txt").write_text(MODEL, encoding="utf-8")
    stream = gzip.compress(MEASUREMENTS.encode())
    assert run("predict", "model.txt", "-", "-o", "p.csv.gz", "--property", "time", stdin=stream).stdout == ""
    assert gzip.decompress((folder / "p.csv.gz").read_bytes()).startswith(b"cache,left,right,x,time,predicted\n")


def test_a_learned_log_predicts_what_was_learned(run: Run, folder: Path) -> None:
    """The error of a learned log on the measurements is the one that learning told: of the full model, or the log's."""
    learned = json.loads(run("learn", "--sampling", "random:6", "--property", "time", "--json").stdout)
    arguments = ("predict", "learned.log", "measurements.csv", "--property", "time", "--json")
    full, printed = (json.loads(run(*arguments, *further).stdout) for further in ((), ("--printed",)))
    assert full["error"] == pytest.approx(learned["error_all"], rel=1e-12)
    assert printed["error"] == pytest.approx(learned["printed"]["error_all"], rel=1e-12)


def test_each_learning_of_a_log_has_its_property(folder: Path) -> None:
    """In a log of several learnings the property is that of the learning whose model is read."""
    learning = "command: nfp {}\nLearning progress:\n1;2 * x;1;1;1;1;0;1;2 * x;1;1;\n"
    text = learning.format("time") + learning.format("main memory") + "command: nfp energy\n"
    (folder / "a.log").write_text(text, encoding="utf-8")
    assert read_stored_model("a.log").nfp == "main memory"


def test_intervals(run: Run, folder: Path) -> None:
    """The table has the columns low and high, which hold most measured runs; the note says how many."""
    run("learn", "--property", "time", "--learner", "projection", "-o", "m.json")
    result = run("predict", "m.json", "measurements.csv", "--interval")
    rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(result.stdout.splitlines())]
    assert list(rows[0])[-4:] == ["time", "predicted", "low", "high"]
    assert all(row["low"] < row["predicted"] < row["high"] for row in rows)
    options = list(rows[0])[:-4]
    ends = {tuple(row[name] for name in options): (row["low"], row["high"]) for row in rows}
    inside = []
    for each in csv.DictReader(MEASUREMENTS.splitlines()):
        low, high = ends[tuple(float(each[name]) for name in options)]
        inside.append(low <= float(each["time"]) <= high)
    share = np.mean(inside)
    assert f"{share * 100:.3g} % of the measured values lie in the 90 % prediction intervals" in result.stderr
    found = json.loads(run("predict", "m.json", "measurements.csv", "--interval", "--json").stdout)["intervals"]
    assert (found["level"], found["covered"]) == (0.9, pytest.approx(share))
    assert found["low"] == [row["low"] for row in rows]
    # Intervals are wider beyond the listed values.
    (folder / "far.csv").write_text("cache,left,right,x\n0,1,0,8\n1,1,0,3\n0,1,0,4\n", encoding="utf-8")
    table = run("predict", "m.json", "far.csv", "--extrapolate").stdout
    widths = [float(row["high"]) - float(row["low"]) for row in csv.DictReader(table.splitlines())]
    assert widths[0] > widths[2] > 0


def test_extrapolation_of_a_case_study(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model of small grids predicts the computing times of larger ones, with a larger error."""
    monkeypatch.chdir(SMG2000 / "2d")
    text = Path("system.xml").read_text(encoding="utf-8")
    small, model = str(tmp_path / "small.xml"), str(tmp_path / "model.json")
    Path(small).write_text(text.replace("<maxValue>400<", "<maxValue>225<"), encoding="utf-8")
    arguments = ("--system", small, "--property", "solve_compute_seconds")
    learned = json.loads(run("learn", *arguments, "--invalid", "drop", "-o", model, "--json").stdout)
    found = json.loads(run("predict", model, "measurements.csv", *arguments, "--extrapolate", "--json").stdout)
    assert found["configurations"] == 240
    assert sum(found["extrapolated"]) == 112
    assert learned["learning_error"] < found["error"] < 20
    assert found["intervals"]["covered"] > 0.8
