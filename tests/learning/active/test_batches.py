"""The batches of rows that are suggested one after the other."""

from __future__ import annotations

from itertools import islice

import pytest

from splc.learning.active.design import suggested_rows
from splc.learning.projection.variables import variables_of
from splc.types import Array, Goal
from tests.learning.active.made import enumerated, system, values


@pytest.mark.parametrize("goal", ["variance", "optimum"])
def test_batches(goal: Goal) -> None:
    """The first design has ten rows, later batches a share of the rows so far; each depends on the values before it."""
    space = enumerated(system())
    chosen, y = variables_of(space.system), values(space)

    def rows(y: Array, maximize: bool = False) -> list[int]:
        found = suggested_rows(space, y, chosen, 0, goal=goal, maximize=maximize, share=0.5, least=3)
        return list(islice(found, 25))

    found = rows(y)
    assert len(set(found)) == 25
    for start, end in ((0, 10), (10, 15), (15, 22)):
        changed = y.copy()
        changed[found[start:end]] *= 10
        assert rows(changed)[:end] == found[:end]
        assert rows(changed)[end:] != found[end:]
    # The first design is that of the prior, whatever the goal is.
    assert rows(y, maximize=True)[:10] == found[:10]
    assert (rows(y, maximize=True) == found) == (goal == "variance")
