"""The interval of a best prediction, which was chosen because of its value, on systems with a known truth."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from splc.report import document
from tests.cli.conftest import Run

OPTIONS = [f"o{number}" for number in range(6)]
SAID = "the best of many predictions is often too good"


def write(folder: Path, *, reached: bool, sign: float) -> None:
    """Write rows in which every option makes a value smaller; `reached`: the best configurations are among them."""
    rng = np.random.default_rng(5)
    rows = (rng.random((20, len(OPTIONS))) < 0.4).astype(int)
    if reached:
        rows[:2] = 1
        rows[1, 0] = 0
    values = 50 + sign * 2 * rows.sum(axis=1) * rng.normal(1, 0.01, len(rows))
    lines = [",".join([*map(str, row), f"{value:.6g}"]) for row, value in zip(rows, values, strict=True)]
    (folder / "measurements.csv").write_text("\n".join([",".join([*OPTIONS, "time"]), *lines]) + "\n", encoding="utf-8")


@pytest.mark.parametrize(("reached", "maximize"), [(False, False), (False, True), (True, False)])
def test_unreached_intervals(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, *, reached: bool, maximize: bool
) -> None:
    """`optimize` and the report say so if no measured value reaches the interval of the best prediction."""
    monkeypatch.chdir(tmp_path)
    # Pictures of matplotlib take a second.
    monkeypatch.setattr(document, "has_matplotlib", lambda: False)
    write(tmp_path, reached=reached, sign=1 if maximize else -1)
    assert run("learn", "--no-constraints").exit_code == 0
    direction = ["--maximize"] if maximize else []
    found = run("optimize", "learned.json", "--json", *direction)
    assert (SAID in found.stderr) is not reached, found.stderr
    several = run("optimize", "learned.json", "learned.log", *direction)
    assert (SAID in several.stderr) is not reached, several.stderr
    best = json.loads(found.stdout)
    values = np.loadtxt("measurements.csv", delimiter=",", skiprows=1)[:, -1]
    ends = best["interval"]
    assert ends["low"] < best["predicted"] < ends["high"]
    assert bool((values >= ends["low"]).any() if maximize else (values <= ends["high"]).any()) is reached
    assert run("report", "learned.json", "-o", "report.md", *direction).exit_code == 0
    assert (SAID in Path("report.md").read_text(encoding="utf-8")) is not reached
