"""The ablation of special cases: switches, and a row of each package."""

from __future__ import annotations

import pytest

from casestudies.ablation.ablation import AblationEvaluation
from casestudies.ablation.cells import CELLS
from casestudies.ablation.switches import SWITCHES, switched_off
from splc.learning.projection import constants

FIRST = {package: next(iter(switches)) for package, switches in SWITCHES.items()}


@pytest.mark.parametrize("package", SWITCHES)
def test_switches(package: str) -> None:
    """All names that a switch replaces exist, and have their own values afterwards."""
    before = vars(constants).copy()
    for changes in SWITCHES[package].values():
        with switched_off(changes):
            assert changes
        assert vars(constants) == before


@pytest.mark.parametrize("package", SWITCHES)
def test_row_of_a_cell(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row has the means of the figures of a cell, without those that it lacks."""
    runs = [{"error": 1.0, "terms": None}, {"error": 3.0, "terms": None}]
    monkeypatch.setitem(CELLS, package, lambda: [("a", lambda: runs)])
    [row] = AblationEvaluation(package=package).rows({"switch": FIRST[package]})
    assert {**row, "cpu": 0} == {"switch": FIRST[package], "cell": "a", "error": 2.0, "cpu": 0}
