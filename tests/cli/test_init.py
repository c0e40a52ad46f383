"""`splc init`, and commands that work on a table without a description."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from splc import read_measurements, read_variability_model
from tests.cli.conftest import Run
from tests.support.paths import SMG2000

TABLE = """mode_fast,mode_slow,cache,threads,time
1,0,0,1,10.5
1,0,0,2,6.25
1,0,1,1,11.5
1,0,1,2,7.125
0,1,0,1,20.5
0,1,0,2,12.25
0,1,1,1,21.75
0,1,1,2,13.5
"""
STEPWISE = ("--learner", "stepwise")


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a table in the current folder, which has no description."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "table.csv"
    file.write_text(TABLE, encoding="utf-8")
    return file


def test_text_round_trip(run: Run, table: Path) -> None:
    """A group of a column of text is written with its texts, and read from the same table."""
    table.write_text("preset,n,time\nvery fast,1,2.5\n-O2 <&>,2,3.5\n", encoding="utf-8")
    assert run("init", table.name, "--options", "preset,n", "-o", "system.xml").exit_code == 0
    system = read_variability_model(table.parent / "system.xml")
    found = read_measurements(table, system)
    assert system.alternative_groups == (("preset_O2", "preset_very_fast"),)
    assert found.configurations.value("preset_O2").tolist() == [0, 1]


@pytest.mark.parametrize(
    "command",
    [
        ("learn", "--property", "solve_seconds", "--sampling", "random:20", *STEPWISE),
        ("sample", "--sampling", "random:5"),
        ("describe", "--json"),
    ],
)
def test_same_as_with_the_description(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    """Commands print the same without a description as with the one of the table, and state what they assume."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(SMG2000 / "2d" / "measurements.csv", tmp_path)
    own = run(*command)
    assert own.exit_code == 0
    assert "note: measurements.csv: without a system description, its options are inferred" in own.stderr
    run("init", "--property", "solve_seconds", "-o", "system.xml")
    described = run(*command)
    assert "inferred" not in described.stderr
    if "--json" in command:
        first, second = json.loads(own.stdout), json.loads(described.stdout)
        assert first["measurements"] == second["measurements"]
    else:
        lines = [line for line in own.stdout.splitlines() if not line.startswith("time ")]
        assert lines == [line for line in described.stdout.splitlines() if not line.startswith("time ")]


def test_study(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A study of a folder without a description infers the system and states what it assumes."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(SMG2000 / "1d" / "measurements.csv", tmp_path)
    (tmp_path / "study.toml").write_text('samplings = ["measured:30"]\nproperty = "solve_seconds"\n', encoding="utf-8")
    result = run("study", "study.toml")
    assert result.exit_code == 0, result.stderr
    assert "its options are inferred" in result.stderr
    assert run("study", "study.toml").exit_code == 0
