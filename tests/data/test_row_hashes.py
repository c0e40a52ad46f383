"""Hashes of rows group and find rows as comparing all of them does."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from splc.data.repetitions import RowHashes

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


def test_collisions_are_noticed() -> None:
    """Different rows with the same hash are neither grouped nor found."""
    # The second word of a row undoes what its first word changed in the hash.
    first = RowHashes(np.array([[1, *[0] * 7], [2, *[0] * 7]], dtype="u1")).hashes
    rows = np.array([[1, *[0] * 15], [2, *[0] * 7, *(first[:1] ^ first[1:]).view("u1")], [1, *[0] * 15]], dtype="u1")
    assert RowHashes(rows).groups() is None
    assert RowHashes(rows[:1]).find(RowHashes(rows[1:2])) is None
