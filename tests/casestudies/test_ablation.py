"""The ablation of special cases: switches, the table of changes, a cell of each preset, and the committed results."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from casestudies.ablation.__main__ import HERE, tables_of_page
from casestudies.ablation.ablation import NOTHING, PRESETS, Change, changes_table, worth_of
from casestudies.ablation.cells import CELLS, Cell
from casestudies.ablation.switches import SWITCHES, switched_off
from casestudies.report.page import blocks_of
from splc.io.tables import markdown_text
from splc.learning.projection import constants

FIRST = {preset: next(iter(switches)) for preset, switches in SWITCHES.items()}
CHANGES = [changes for switches in SWITCHES.values() for changes in switches.values()]


@pytest.mark.parametrize("changes", CHANGES, ids=[", ".join(changes) for changes in CHANGES])
def test_every_switch_is_there(changes: Mapping[str, Any]) -> None:
    """The names that a switch replaces exist."""
    with switched_off(changes):
        assert changes


def test_a_switch_holds_for_the_time_of_a_run() -> None:
    """A constant has its own value before and after."""
    before = constants.ROWS_OF_SCALE
    with switched_off({"learning.projection.constants.ROWS_OF_SCALE": -1}):
        assert constants.ROWS_OF_SCALE == -1
    assert before == constants.ROWS_OF_SCALE


@pytest.mark.parametrize(
    ("change", "covered", "worth"),
    [
        ((0.9, 2.9, -1.0), 0.5, "nothing"),
        ((0.9, 2.9, -1.0), -1.5, ""),
        ((1.0, 2.0, 0.0), None, ""),
        ((0.9, 5.0, -5.0), None, "mixed"),
        ((0.9, 5.0, -4.0), None, ""),
    ],
)
def test_worth(change: Change, covered: float | None, worth: str) -> None:
    """What stays has a loss on the mean, or in one cell without a gain as large in another one."""
    assert worth_of(change, (None, None, None), covered) == worth_of((0, 0, 0), change, covered) == worth


def test_changes() -> None:
    """Changes are geometric means of ratios, or means of differences; small ones in every cell are worth nothing."""
    name, other, *_ = SWITCHES["learning"]
    errors = {NOTHING: (10.0, 20.0), name: (20.0, 20.0), other: (10.2, 19.9)}
    rows = [
        {"switch": switch, "cell": cell, "error": error, "cpu": 2.0 if switch == name else 1.0}
        for switch, both in errors.items()
        for cell, error in enumerate(both)
    ]
    first, second = changes_table(rows, "learning").rows
    assert first[:5] == pytest.approx((name, 1, 100 * (2**0.5 - 1), 100, 0))
    assert (first[10:12], second[10:12]) == ((2, ""), (1, "nothing"))
    rows = [*rows[:2], *({**row, "switch": FIRST["tuning"]} for row in rows[2:4])]
    assert changes_table(rows, "tuning").rows[0][2:5] == (5, 10, 0)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_row_per_cell(preset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A task has the means of the figures of every cell, without those that a run lacks."""

    def cells() -> Iterator[tuple[str, Cell]]:
        yield "a", lambda: [{"error": 1.0, "terms": None}, {"error": 3.0, "terms": None}]

    monkeypatch.setitem(CELLS, preset, cells)
    [row] = PRESETS[preset]().rows({"switch": FIRST[preset]})
    assert {**row, "cpu": 0} == {"switch": FIRST[preset], "cell": "a", "error": 2.0, "cpu": 0}


def test_committed_results() -> None:
    """The committed results are finished, and on the page."""
    found = blocks_of((HERE / "README.md").read_text(encoding="utf-8"))
    for name, table in tables_of_page().items():
        assert json.loads((HERE / name / "manifest.json").read_text(encoding="utf-8"))["state"] == "finished"
        assert found[name] == markdown_text(table, 2).rstrip() + "\n"
