"""`splc tune --replay` of several properties: how much of the Pareto front of the table is found."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from tests.cli.conftest import Run

ROWS = [*product((0, 1), (0, 1), (1, 2, 4, 8), (1, 3, 5, 7, 9))]
REPLAY = ("tune", "--replay", "table.csv", "--property", "time,size", "--budget")


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a table of two properties that contradict each other, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    lines = [f"{a},{b},{x},{y},{20 / x + y + 3 * a},{x * (10 - y) + b}" for a, b, x, y in ROWS]
    (tmp_path / "table.csv").write_text("\n".join(["a,b,x,y,time,size", *lines]) + "\n", encoding="utf-8")
    return tmp_path


def test_the_share_of_the_front(run: Run, table: Path) -> None:
    """The JSON has the share of each replay, and that of random runs, which the search surpasses."""
    result = run(*REPLAY, "6,16", "--seeds", "2", "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    shares = [each["hypervolume_percent"] for each in found["replays"] if each["budget"] == 16]
    assert len(shares) == 2
    assert found["random_hypervolume_percent"]["16"] < min(shares) <= max(shares) <= 100 + 1e-9
    assert found["replays"][0]["best"] is None
    assert found["optimum"] is None
    assert found["front"] > 3


def test_repeated_properties(run: Run, table: Path) -> None:
    """Properties may be a list or repeated; the text has the share, too."""
    repeated = (*REPLAY[:4], "time", "--property", "size", "--budget", "5")
    assert run(*repeated, "--json").stdout == run(*REPLAY, "5", "--json").stdout
    assert "hypervolume" in run(*repeated).stdout


def test_directions(run: Run, table: Path) -> None:
    """Properties of which large values are wanted, and limits, count."""
    largest = json.loads(run(*REPLAY, "9", "--json", "--maximize-only", "size").stdout)
    assert largest["replays"][0]["hypervolume_percent"] > 90
    one = json.loads(run(*REPLAY, "9", "--json", "--limit", "size <= 20").stdout)
    assert (one["front"], one["replays"][0]["hypervolume_percent"]) == (None, None)
