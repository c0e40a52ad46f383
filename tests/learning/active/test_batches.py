"""The batches of rows that are suggested one after the other."""

from __future__ import annotations

from itertools import islice

from splc.learning.active.design import suggested_rows
from splc.learning.projection.variables import variables_of
from splc.types import Array
from tests.learning.active.made import enumerated, system, values


def test_batches() -> None:
    """The first design has ten rows, later batches at least five; each depends on the values before it."""
    space = enumerated(system())
    chosen, y = variables_of(space.system), values(space)

    def rows(y: Array) -> list[int]:
        return list(islice(suggested_rows(space, y, chosen, 0), 20))

    found = rows(y)
    assert len(set(found)) == 20
    for start, end in ((0, 10), (10, 15)):
        changed = y.copy()
        changed[found[start:end]] *= 10
        assert rows(changed)[:end] == found[:end]
        assert rows(changed)[end:] != found[end:]
