"""Hashes of rows group and find rows as comparing all of them does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.data import row_hashes
from splc.data.row_hashes import RowHashes

tables = st.tuples(st.integers(1, 20), st.integers(1, 12), st.sampled_from(["u1", "u2"])).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(0, 2), min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
    ).map(lambda rows: np.array(rows, dtype=shape[2]))
)


@given(tables, st.integers(0, 2**32))
def test_groups_and_find(rows: np.ndarray, seed: int) -> None:
    """Groups are numbered by first appearance, and the first equal row is found."""
    table = rows.tolist()
    hashed = RowHashes(rows)
    found = hashed.groups()
    assert found is not None
    first, group = found
    assert [table.index(row) for row in table] == first[group].tolist()
    assert first.tolist() == sorted(set(first.tolist()))
    wanted = np.random.default_rng(seed).integers(0, 3, (8, rows.shape[1])).astype(rows.dtype)
    places = hashed.find(RowHashes(wanted))
    assert places is not None
    assert places.tolist() == [table.index(row) if row in table else -1 for row in wanted.tolist()]


def test_collisions_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Different rows with the same hash are neither grouped nor found."""
    monkeypatch.setattr(row_hashes, "_SPREAD", np.uint64(0))
    rows = np.array([[1, 0], [0, 1], [1, 0]], dtype="u1")
    assert RowHashes(rows).groups() is None
    assert RowHashes(rows).find(RowHashes(np.array([[0, 0]], dtype="u1"))) is None
