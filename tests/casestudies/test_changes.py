"""The evaluation of tests for change: rows, and the measured releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from casestudies.changes.simulated_changes import SimulatedChanges
from tests.support.paths import CASES

CELL = {"options": 8, "pairs": 40, "noise": 0.02, "draws": 8, "size": 0.2}


@pytest.mark.parametrize(
    ("kind", "options", "found"),
    [("none", 8, (0, 1)), ("influence", 8, (8, 8)), ("several", 20, (6, 8)), ("joint", 8, (1, 1))],
)
def test_rows(kind: str, options: int, found: tuple[int, int]) -> None:
    """Nothing is found where nothing changed, and most names are right; the same cell gives the same row."""
    cell = {**CELL, "kind": kind, "options": options, "draws": 1 if kind == "joint" else 8}
    [row] = SimulatedChanges().rows(cell)
    assert found[0] <= row["found"] <= found[1]
    assert row["right"] <= row["stated"]
    if kind != "none":
        assert row["right"] >= 0.7 * row["stated"] > 0
    assert SimulatedChanges().rows(cell) == [row]


def test_measured_releases() -> None:
    """Both tables of two releases have as many runs of each, and the second one has other configurations."""
    folder = CASES / "duckdb"
    tables = [
        Path(folder / name).read_text(encoding="utf-8").splitlines()[1:]
        for name in ("versions.csv", "confirmation.csv")
    ]
    configurations = [{line.rsplit(",", 2)[0] for line in lines} for lines in tables]
    assert [(len(lines), len(own)) for lines, own in zip(tables, configurations, strict=True)] == [(40, 20), (200, 100)]
    assert len(configurations[0] & configurations[1]) < 10
