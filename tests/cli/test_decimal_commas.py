"""Commands on tables with decimal commas."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from splc.formats.table import NOTE
from tests.cli.conftest import Run

ROWS = [(px, fast, f"{(1 + px) * (2 - fast) + px / 8:.3f}") for px in (0.5, 1.25, 2, 4, 8) for fast in (0, 1)]
POINTS = "px,fast,time\n" + "".join(f"{px:g},{fast},{time}\n" for px, fast, time in ROWS)
COMMAS = POINTS.replace(",", ";").replace(".", ",")


@pytest.fixture
def commas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a table with decimal commas in the current folder, beside the same with points."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "points.csv").write_text(POINTS, encoding="utf-8")
    file = tmp_path / "commas.csv"
    file.write_text(COMMAS, encoding="utf-8")
    return file


LEARN = ("learn", "--learner", "stepwise", "--property", "time", "--measurements")


@pytest.mark.parametrize("command", [("init",), ("describe",), LEARN])
@pytest.mark.parametrize("separator", [";", "\t"])
def test_tables(run: Run, commas: Path, command: tuple[str, ...], separator: str) -> None:
    """The result is that of the table with points, and one note says how the numbers were read."""
    commas.write_text(COMMAS.replace(";", separator), encoding="utf-8")
    found, expected = (run(*command, file, "--json") for file in ("commas.csv", "points.csv"))
    assert found.exit_code == 0
    assert found.stderr.count(f"note: commas.csv: {NOTE}") == 1
    assert NOTE not in expected.stderr
    same = [json.loads(each.stdout.replace("points", "commas")) for each in (found, expected)]
    for each in same:
        for key in ("seconds", "notes", "files"):
            each.pop(key, None)
    assert same[0] == same[1]
