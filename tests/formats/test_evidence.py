"""Roles by names and contents: statistics, time stamps, hashes, units, and properties that state the same twice."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from splc.formats.coded_columns import CodedColumns
from splc.formats.evidence import left_out
from tests.support.golden_messages import check_calls
from tests.support.inferred_tables import inferred

RNG = np.random.default_rng(1)
ROWS = [(threads, cache) for threads in (1, 2, 4, 8) for cache in (0, 1) for _ in range(2)]
TIMES = [round(10 / threads + cache + float(RNG.uniform(0, 0.1)), 5) for threads, cache in ROWS]


def table(**columns: list[object]) -> str:
    """Return a table with two options, a time, and these columns."""
    names = ["threads", "cache", *columns]
    cells = [[*row, *more] for row, *more in zip(ROWS, *columns.values(), strict=True)]
    cells = [[*row[:2], *row[2:]] for row in cells]
    return "\n".join([",".join(names), *(",".join(map(str, row)) for row in cells)]) + "\n"


def numbers(scale: float = 1.0) -> list[object]:
    """Return a number for each row, all different."""
    return [round(scale * time + float(RNG.uniform(0, 0.1)), 5) for time in TIMES]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=60))
def test_groups_of_rows(rows: list[tuple[int, int, int]]) -> None:
    """Rows with equal values are one group, and a column differs in a group exactly if it divides one."""
    columns = {name: np.array(values, dtype=float) for name, values in zip("abc", zip(*rows, strict=True), strict=True)}
    coded = CodedColumns(columns, {})
    group = coded.groups("abc")
    pairs = {*zip(rows, group.tolist(), strict=True)}
    assert len(pairs) == len({*rows}) == len({*group.tolist()}) == group.max() + 1
    assert coded.differs("c", coded.groups("ab")) == (len({*rows}) > len({row[:2] for row in rows}))


def reason(name: str, cells: Sequence[object]) -> str | None:
    """Return why a column is left out, unless the user names it."""
    texts = [*map(str, cells)]
    assert left_out({name: texts}, {name}) == {}
    return left_out({name: texts}, ()).get(name)


def kept(*names: str) -> tuple[tuple[str, ...], list[str]]:
    """Return the properties among columns of these names beside two options, and the columns that are ignored."""
    found = inferred(table(**{name: numbers(at + 1) for at, name in enumerate(names)}))
    assert (found.columns, found.decided) == (("cache", "threads"), True)
    return found.properties, sorted(found.ignored)


def without(*names: str) -> dict[str, str]:
    """Return the columns of whole numbers that are left out, and why."""
    return left_out({name: ["1", "2", "3", "4", "5"] for name in names}, ())


def test_calls() -> None:
    """Statistics, time stamps and hashes are found as the golden file has it."""
    check_calls("evident-columns", reason, kept, without, hashlib=hashlib)
