"""The layout of repetitions in tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.data.repetitions import most_cells, offsets, repetition_column, repetition_rows, require_size
from splc.errors import MeasurementError


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


def test_size() -> None:
    """Small tables may be empty in most cells; larger ones have at most ten cells for each value, and a limit."""
    assert [most_cells(each) for each in (0, 400_000, 400_001, 10**7, 10**7 + 1)] == [
        4_000_000, 4_000_000, 4_000_010, 10**8, 10**8
    ]  # fmt: skip
    require_size(2000, 2000, 3999)
    require_size(1000, 1000, 10**6, 40)
    for groups, width, values, columns in [(2000, 2001, 4000, 1), (1000, 1000, 1999, 5), (10**4, 10**4, 10**8, 2)]:
        message = f"^a configuration has {width:,} repetitions, too many beside {groups:,} configurations\n"
        with pytest.raises(MeasurementError, match=message):
            require_size(groups, width, values, columns)


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
