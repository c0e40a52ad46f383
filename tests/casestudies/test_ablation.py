"""The ablation of special cases: switches, the worth of what they switch off, and a row of each package."""

from __future__ import annotations

import pytest

from casestudies.ablation.ablation import NOTHING, AblationEvaluation, Change, changes_table
from casestudies.ablation.cells import CELLS
from casestudies.ablation.switches import SWITCHES, switched_off
from splc.learning.projection import constants

FIRST = {package: next(iter(switches)) for package, switches in SWITCHES.items()}
NONE = (None, None, None)


@pytest.mark.parametrize("package", SWITCHES)
def test_switches(package: str) -> None:
    """All names that a switch replaces exist, and have their own values afterwards."""
    before = vars(constants).copy()
    for changes in SWITCHES[package].values():
        with switched_off(changes):
            assert changes
        assert vars(constants) == before


@pytest.mark.parametrize(("package", "changes"), [("learning", (100 * (2**0.5 - 1), 100, 0)), ("scaling", (5, 10, 0))])
def test_changes(package: str, changes: Change) -> None:
    """Changes are geometric means of ratios, or of shares means of differences."""
    rows = [{"switch": NOTHING, "cell": cell, "error": error, "cpu": 2.0} for cell, error in enumerate((10.0, 20.0))]
    rows += [{**row, "switch": FIRST[package], "error": 20.0, "cpu": 1.0} for row in rows]
    [line] = changes_table(rows, package).rows
    assert line[:5] == pytest.approx((FIRST[package], 1, *changes))
    assert line[5:12] == (*NONE, None, None, 0.5, "")


@pytest.mark.parametrize("package", SWITCHES)
def test_row_of_a_cell(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row has the means of the figures of a cell, without those that it lacks."""
    runs = [{"error": 1.0, "terms": None}, {"error": 3.0, "terms": None}]
    monkeypatch.setitem(CELLS, package, lambda: [("a", lambda: runs)])
    [row] = AblationEvaluation(package=package).rows({"switch": FIRST[package]})
    assert {**row, "cpu": 0} == {"switch": FIRST[package], "cell": "a", "error": 2.0, "cpu": 0}
