"""Commands on tables with decimal commas."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from splc.formats.measurements.decimals import NOTE
from tests.cli.conftest import Run

Refused = Callable[..., str]

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


@pytest.mark.parametrize(
    "command",
    [
        ("init",),
        ("describe",),
        ("learn", "--property", "time", "--measurements"),
    ],
)
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


def test_predictions(run: Run, commas: Path) -> None:
    """Configurations with decimal commas are predicted as those with points."""
    assert run("learn", "--measurements", "commas.csv", "--property", "time").exit_code == 0
    commas.with_name("new.csv").write_text("px;fast\n1,25;1\n8;0\n", encoding="utf-8")
    commas.with_name("new_points.csv").write_text("px,fast\n1.25,1\n8,0\n", encoding="utf-8")
    found = run("predict", "learned.log", "new.csv", "--measurements", "commas.csv")
    expected = run("predict", "learned.log", "new_points.csv", "--measurements", "points.csv")
    assert f"note: new.csv: {NOTE}" in found.stderr
    assert found.stdout == expected.stdout
    assert [row["px"] for row in csv.DictReader(found.stdout.splitlines())] == ["1.25", "8"]


@pytest.mark.parametrize("command", [("init",), ("describe", "--measurements"), ("learn", "--measurements")])
def test_mixed(refused: Refused, commas: Path, command: tuple[str, ...]) -> None:
    """A table with both decimal delimiters is refused with the line."""
    commas.write_text(COMMAS.replace("8;1;10,000", "8;1;10.000"), encoding="utf-8")
    message = refused(*command, "commas.csv")
    assert "commas.csv:11: '10.000' has a decimal point, but '0,5' in line 2 has a decimal comma" in message
    assert "write all numbers alike" in message


@pytest.mark.parametrize("described", [False, True])
@pytest.mark.parametrize(
    "command",
    [
        ("init",),
        ("describe",),
        ("describe", "--measurements"),
        ("learn", "--measurements"),
        ("learn", "--by", "version", "--measurements"),
        ("learn", "--by", "version", "--invalid", "drop", "--measurements"),
        ("learn", "--where", "version=v1", "--measurements"),
        ("sample", "--sampling", "measured", "--measurements"),
    ],
    ids=" ".join,
)
def test_commas_between_the_fields(run: Run, commas: Path, command: tuple[str, ...], described: bool) -> None:
    """A table whose fields are separated by commas, too, is refused, whatever other columns it has."""
    rows = [f"v{at % 2},{at % 3},{time}" for at, (_, _, time) in enumerate(ROWS)]
    text = "\n".join(["version,n,time", *rows]) + "\n"
    commas.write_text(text.replace(".", ","), encoding="utf-8")
    if described:
        commas.with_name("points.csv").write_text(text, encoding="utf-8")
        assert run("init", "points.csv", "-o", "system.xml").exit_code == 0
    if described and command in {("init",), ("describe",)}:
        return
    # A described system is printed before its measurements are refused.
    done = run(*command, "commas.csv")
    message = done.stderr
    assert done.exit_code == 2
    assert "fields" in message
    assert "decimal commas?" in message or ("drop" in command and described)
