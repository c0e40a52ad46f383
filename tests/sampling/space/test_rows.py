"""Orders of rows, against Python's order of tuples, and of configurations whose rows take several words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling.space import rows
from sampling.space.rows import ascending, distinct, packed, without_repeats
from splc.system.variability import VariabilityModel
from tests.sampling.conftest import attempt
from tests.support.examples import examples
from tests.support.strategies import models

SIZES = st.lists(st.sampled_from([1, 2, 3, 70, 1000, 2**20, 2**40]), min_size=1, max_size=9)


@examples(50)
@given(SIZES, st.integers(0, 2**32), st.integers(1, 12))
def test_packed_rows_have_the_order_of_tuples(sizes: list[int], seed: int, n: int) -> None:
    """Words order and distinguish rows as tuples do, also where the columns need several words."""
    rng = np.random.default_rng(seed)
    # Few different values, so that rows are equal in some columns.
    columns = [np.minimum(rng.integers(0, 3, n) * max(size // 3, 1), size - 1) for size in sizes]
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    words = packed(columns, sizes)
    codes = list(zip(*(word.tolist() for word in words), strict=True)) if words else [()] * n
    assert all(
        (one < other) == (a < b)
        for one, a in zip(rows, codes, strict=True)
        for other, b in zip(rows, codes, strict=True)
    )
    first, rank = distinct(words, n)
    known = sorted(set(rows))
    assert [rows[at] for at in first.tolist()] == known
    assert rank.tolist() == [known.index(row) for row in rows]
    assert first.tolist() == [rows.index(row) for row in known]
    table = np.array(rows, dtype=np.int64).reshape(n, len(sizes))
    assert [rows[at] for at in ascending(table, sizes).tolist()] == sorted(rows)
    assert [tuple(row) for row in without_repeats(table).tolist()] == list(dict.fromkeys(rows))


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_rows_without_columns(rows: int) -> None:
    """Rows without columns are equal."""
    table = np.zeros((rows, 0), dtype=np.uint8)
    assert without_repeats(table).shape == (min(rows, 1), 0)
    assert ascending(table, []).tolist() == list(range(rows))


SPECS = st.sampled_from(["all+ff", "pairwise", "twise:3+pb:9,3", "all+cci"])


@examples(15)
@given(models(binary=5, numeric=2), st.sampled_from([1, 3, 8]), SPECS)
def test_samples_do_not_depend_on_words(system: VariabilityModel, word: int, spec: str) -> None:
    """Enumerated and designed configurations are the same, however many words their values take."""
    expected = attempt(system, spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "WORD", word)
        assert attempt(system, spec) == expected
