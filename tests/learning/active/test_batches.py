"""The batches of rows that are suggested one after the other."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from splc.learning.active.design import suggested_rows
from splc.learning.active.selection import select_optimum, select_variance
from splc.learning.projection.variables import variables_of
from splc.types import Goal
from tests.learning.active.made import enumerated, system, values


@pytest.mark.parametrize("goal", ["variance", "optimum"])
@pytest.mark.parametrize("maximize", [False, True])
def test_batches(monkeypatch: pytest.MonkeyPatch, goal: Goal, maximize: bool) -> None:
    """The first design has ten rows, later batches a share of the rows so far; the goal counts from then on."""
    calls: list[tuple[str, int, bool]] = []

    def variance(believed: Any, number: int) -> Any:
        calls.append(("variance", number, False))
        return select_variance(believed, number)

    def optimum(believed: Any, measured: Any, number: int, *, maximize: bool) -> Any:
        calls.append(("optimum", number, maximize))
        return select_optimum(believed, measured, number, maximize=maximize)

    monkeypatch.setattr("splc.learning.active.design.select_variance", variance)
    monkeypatch.setattr("splc.learning.active.design.select_optimum", optimum)
    space = enumerated(system())
    chosen = variables_of(space.system)
    rows = suggested_rows(space, values(space), chosen, 0, goal=goal, maximize=maximize, share=0.5, least=3)
    found = list(islice(rows, 23))
    assert len(set(found)) == 23
    greatest = goal == "optimum" and maximize
    assert calls == [("variance", 9, False), (goal, 5, greatest), (goal, 7, greatest), (goal, 11, greatest)]
