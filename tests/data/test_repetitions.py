"""The layout of repetitions in tables."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from splc.data.repetitions import offsets


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), max_size=30))
def test_offsets_are_those_of_a_plain_loop(rows: list[tuple[int, int]]) -> None:
    """The values of a row follow those of the earlier rows of its group, without gaps."""
    columns = [0] * 5
    expected = []
    for group, slots in rows:
        expected.append(columns[group])
        columns[group] += slots
    groups = np.array([group for group, _ in rows], dtype=np.int64)
    sizes = np.array([slots for _, slots in rows], dtype=np.int64)
    found, totals = offsets(groups, sizes, 5)
    assert found.tolist() == expected
    assert totals.tolist() == columns
