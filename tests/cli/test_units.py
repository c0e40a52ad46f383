"""Units of properties from `splc.toml`, names and benchmark tools to models, tables, pictures and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.paths import ROOT

HYPERFINE = ROOT / "tests" / "formats" / "benchmarks" / "data" / "hyperfine.json"


def stated(folder: Path, unit: str) -> None:
    """State the unit of the time in the project file."""
    text = f'property = "time"\n[properties.time]\nunit = {unit}\n'
    (folder / "splc.toml").write_text(text, encoding="utf-8")


def test_a_stated_unit(folder: Path, run: Run) -> None:
    """The unit of `splc.toml` is in every output, and in the file of the model, which needs no `splc.toml`."""
    stated(folder, '"kWh"')
    assert "time      kWh" in run("describe").stdout
    found = json.loads(run("describe", "--json").stdout)["measurements"]["properties"]
    assert [each["unit"] for each in found] == ["kWh", None]
    assert "model of time (kWh)" in run("learn", "--plot", "learned.svg").stdout
    assert "(kWh)" in (folder / "learned.svg").read_text(encoding="utf-8")
    assert json.loads(run("learn", "--json").stdout)["unit"] == "kWh"
    assert json.loads((folder / "learned.json").read_text(encoding="utf-8"))["unit"] == "kWh"
    assert json.loads(run("compare", "learned.log", "learned.json", "--json").stdout)["unit"] == "kWh"
    (folder / "splc.toml").unlink()
    for command in ("explain", "optimize"):
        assert json.loads(run(command, "learned.log", "--json").stdout)["unit"] == "kWh"
        assert " kWh" in run(command, "learned.log").stdout
    assert json.loads(run("predict", "learned.log", "measurements.csv", "--json").stdout)["unit"] == "kWh"


def test_a_unit_in_a_name(folder: Path, run: Run) -> None:
    """A name that ends in a unit states it, unless `splc.toml` states another; times are readable."""
    text = (folder / "measurements.csv").read_text(encoding="utf-8").replace("time", "time_ms")
    (folder / "measurements.csv").write_text(text, encoding="utf-8")
    (folder / "splc.toml").write_text('property = "time_ms"\n', encoding="utf-8")
    assert json.loads(run("learn", "--json").stdout)["unit"] == "ms"
    assert " ms" in run("optimize", "learned.log").stdout
    (folder / "learned.json").unlink()
    assert json.loads(run("explain", "learned.log", "--json").stdout)["unit"] == "ms"
    (folder / "splc.toml").write_text('property = "time_ms"\n[properties.time_ms]\nunit = "h"\n', encoding="utf-8")
    assert json.loads(run("learn", "--json").stdout)["unit"] == "h"


def test_the_unit_of_a_benchmark_tool(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The times of a benchmark tool are in seconds."""
    monkeypatch.chdir(tmp_path)
    assert json.loads(run("learn", str(HYPERFINE), "--json").stdout)["unit"] == "s"
