"""Latin hypercubes and Sobol' sequences on the values of options."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import qmc

from sampling import draw_sample, sample
from sampling.designs.numeric.combinations import Combinations
from sampling.space.ranks import generator
from splc.errors import SplcError
from splc.system.variability import VariabilityModel
from tests.sampling.designs.test_level_designs import integers
from tests.support.examples import examples


@examples(30)
@given(st.lists(st.integers(2, 12), min_size=1, max_size=4), st.integers(1, 30), st.integers(0, 99))
def test_a_latin_hypercube_uses_each_value_equally_often(sizes: list[int], n: int, seed: int) -> None:
    """In a complete hypercube, how often values of an option are used differs by at most one."""
    n = min(n, math.prod(sizes))
    found = draw_sample(integers(*sizes), f"lhs:{n}", seed)
    if found.notes:
        assert len(found.configurations) < n
        return
    assert len(found.configurations.unique()) == n
    for column, size in zip(found.configurations.indices.T, sizes, strict=True):
        counts = np.bincount(column, minlength=size)
        assert counts.max() - counts.min() <= 1


def test_a_latin_hypercube_has_one_row_per_stratum() -> None:
    """With as many values as rows, each value is used once, as in scipy's and pydoe's hypercubes."""
    found = sample(integers(40, 40, 40), "lhs:40")
    for column in found.indices.T:
        assert sorted(column) == list(range(40))
    centred = qmc.LatinHypercube(3, scramble=False, rng=np.random.default_rng(0)).random(40)
    assert np.sort(Combinations(integers(40, 40, 40)).at(centred), axis=0).tolist() == [[i] * 3 for i in range(40)]


def test_hypercubes_that_cannot_be_complete_say_so() -> None:
    """Rows that coincide are left out and counted; more rows than combinations are an error."""
    found = draw_sample(integers(2, 2), "lhs:3")
    assert len(found.configurations) + int("1 of 3 rows" in " ".join(found.notes)) == 3
    with pytest.raises(SplcError, match="only 4 valid numeric parts, not 5"):
        sample(integers(2, 2), "lhs:5")


def test_sobol_is_scipys_sequence() -> None:
    """`sobol:N` is scipy's scrambled sequence on values, without repeated rows; smaller designs are its beginning."""
    model = integers(16, 16, 16)
    points = qmc.Sobol(3, rng=generator(5, "numeric")).random_base2(8)
    rows = Combinations(model).valid((points * 16).astype(int))
    found = sample(model, "sobol:200,seed=5").indices
    assert found.tolist() == rows[:200].tolist()
    assert sample(model, "sobol:60,seed=5").indices.tolist() == found[:60].tolist()
    # Any 16 consecutive points from the start have one point in each sixteenth of each axis.
    first = sample(model, "sobol:16").indices
    assert all(sorted(column) == list(range(16)) for column in first.T)


def test_sobol_continues_until_all_rows_are_found() -> None:
    """Also the whole grid is found; constraints among numeric options do not reduce the size."""
    assert len(sample(integers(5, 7), "sobol:35").unique()) == 35
    model = VariabilityModel.of({"a": range(10), "b": range(10)}, ["a + b <= 5"])
    found = draw_sample(model, "sobol:20")
    assert len(found.configurations) == 20
    assert not found.notes
    assert len(sample(model, "lhs:5").unique()) <= 5
    with pytest.raises(SplcError, match="only 21 valid numeric parts, not 22"):
        sample(model, "sobol:22")


def test_sobol_has_a_limit_of_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """More numeric options than scipy has dimensions are refused, with the limit."""
    monkeypatch.setattr(qmc.Sobol, "MAXDIM", 2)
    assert len(sample(integers(4, 4), "sobol:4")) == 4
    with pytest.raises(SplcError, match=r"sobol:4: 3 numeric options are too many \(the limit is 2\)"):
        sample(integers(4, 4, 4), "sobol:4")


@pytest.mark.parametrize("design", ["lhs", "sobol", "dopt"])
def test_no_rows(design: str) -> None:
    """The amount of a system without pairs of binary options is 0, which is an error."""
    with pytest.raises(SplcError, match="asTW2 is 0 for"):
        sample(integers(3, 3), f"{design}:asTW2")
