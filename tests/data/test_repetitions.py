"""The layout of repetitions in tables."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from splc.data.repetitions import offsets, repetition_column, repetition_rows


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


cells = st.sampled_from([1.0, 2.0, np.nan])


@given(
    st.integers(0, 4).flatmap(
        lambda rows: st.lists(
            st.integers(0, 3).flatmap(
                lambda width: st.lists(
                    st.lists(cells, min_size=width, max_size=width), min_size=rows, max_size=rows
                ).map(lambda found: np.array(found, dtype=float).reshape(rows, width))
            ),
            max_size=3,
        ).map(lambda tables: (rows, tables))
    )
)
def test_rows_are_those_of_a_plain_loop(given: tuple[int, list[np.ndarray]]) -> None:
    """A group has a row for each slot up to its last value of any property, and at least one."""
    count, tables = given
    expected = []
    for group in range(count):
        last = [at for table in tables for at, value in enumerate(table[group]) if not np.isnan(value)]
        expected += [(group, slot) for slot in range(max(last, default=0) + 1)]
    rows, slots = repetition_rows([table for table in tables if table.shape[1]], count)
    assert list(zip(rows.tolist(), slots.tolist(), strict=True)) == expected
    for table in tables:
        column = [table[group][slot] if slot < table.shape[1] else np.nan for group, slot in expected]
        np.testing.assert_array_equal(repetition_column(table, rows, slots), column)
