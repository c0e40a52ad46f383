"""`splc tune --replay` of several properties: how much of the Pareto front of the table is found."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.schemas import schema_errors

ROWS = [*product((0, 1), (0, 1), (1, 2, 4, 8), (1, 3, 5, 7, 9))]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a table of two properties that contradict each other, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    lines = [f"{a},{b},{x},{y},{20 / x + y + 3 * a},{x * (10 - y) + b}" for a, b, x, y in ROWS]
    (tmp_path / "table.csv").write_text("\n".join(["a,b,x,y,time,size", *lines]) + "\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("properties", [("time,size",), ("time", "size")], ids=["list", "repeated"])
def test_the_share_of_the_front(run: Run, table: Path, properties: tuple[str, ...]) -> None:
    """The JSON has the share of each replay, and that of random runs, which the search surpasses."""
    options = [text for name in properties for text in ("--property", name)]
    replay = ("tune", "--replay", "table.csv", *options, "--budget", "12,24", "--seeds", "2")
    result = run(*replay, "--json")
    assert result.exit_code == 0, result.stderr
    assert schema_errors(result.stdout) == []
    found = json.loads(result.stdout)
    shares = {
        budget: [each["hypervolume_percent"] for each in found["replays"] if each["budget"] == budget]
        for budget in (12, 24)
    }
    assert max(shares[24]) <= 100 + 1e-9
    assert min(shares[24]) > found["random_hypervolume_percent"]["24"]
    assert found["replays"][0]["best"] is None
    assert found["optimum"] is None
    assert found["front"] > 3
    assert "hypervolume" in run(*replay).stdout


def test_directions(run: Run, table: Path) -> None:
    """Properties of which large values are wanted, and limits, count."""
    replay = ("tune", "--replay", "table.csv", "--property", "time,size", "--budget", "24", "--json")
    largest = json.loads(run(*replay, "--maximize-only", "size").stdout)
    assert largest["replays"][0]["hypervolume_percent"] > 90
    one = json.loads(run(*replay, "--limit", "size <= 20").stdout)
    assert (one["front"], one["replays"][0]["hypervolume_percent"]) == (None, None)
