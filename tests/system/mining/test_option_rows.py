"""Rows of options: their numbers and first appearances, by their definitions."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from splc.system.mining.option_rows import OptionRows, first_rows, row_codes
from splc.types import Array

tables = st.tuples(st.integers(1, 40), st.integers(1, 20)).flatmap(lambda shape: hnp.arrays(bool, shape))


@given(tables)
def test_numbers_of_rows(table: Array) -> None:
    """Rows have the same number where they are equal, whether they are given as a table or as columns."""
    for codes in (row_codes(table), row_codes([column.astype(int) for column in table.T])):
        same = (table[:, None] == table[None]).all(axis=2)
        np.testing.assert_array_equal(codes[:, None] == codes[None], same)
        first = first_rows(codes).tolist()
        assert first == sorted({row.tobytes(): at for at, row in reversed([*enumerate(table)])}.values())


def test_distinct_rows() -> None:
    """The rows of a table are kept once, in the order of their first appearance, with their numbers."""
    selected = np.array([[1, 0], [0, 1], [1, 0], [1, 0]], dtype=bool)
    rows = OptionRows.of(["a", "b"], selected, {"x": np.array([1.0, np.nan, 1.0, 2.0])})
    np.testing.assert_array_equal(rows.selected, selected[[0, 1, 3]])
    np.testing.assert_array_equal(rows.numbers["x"], [1.0, np.nan, 2.0])
    np.testing.assert_array_equal(rows.binary_codes, [1, 0, 1])
    np.testing.assert_array_equal(rows.numeric_codes, [0, 2, 1])
