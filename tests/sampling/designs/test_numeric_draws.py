"""Latin hypercube, Sobol' and D-optimal designs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import qmc

from sampling import draw_sample, sample
from sampling.designs.numeric_draws import Combinations, exchanged, log_determinant, polynomial
from sampling.draws import generator
from splc.errors import SplcError
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.sampling.designs.test_numeric_designs import integers, numeric, rows, values
from tests.support.examples import examples
from tests.support.golden_messages import check_calls

POWERS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)


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


def test_sobol_has_a_limit_of_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """More numeric options than scipy has dimensions are refused, with the limit."""
    monkeypatch.setattr(qmc.Sobol, "MAXDIM", 2)
    assert len(sample(integers(4, 4), "sobol:4")) == 4
    with pytest.raises(SplcError, match=r"sobol:4: 3 numeric options are too many \(the limit is 2\)"):
        sample(integers(4, 4, 4), "sobol:4")


def grid(*sizes: int) -> Array:
    """Return all combinations of value indices."""
    return np.array(list(itertools.product(*map(range, sizes))))


@examples(25)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(0, 6), st.integers(1, 8))
def test_no_exchange_of_one_row_increases_the_determinant(seed: int, terms: int, spare: int, k: int) -> None:
    """The result is distinct rows, none of which can be exchanged with gain: tried one by one."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, terms))
    design = exchanged(X, terms + spare, k, rng)
    assert len(set(design.tolist())) == terms + spare
    best = log_determinant(X[design])
    for place, other in itertools.product(range(len(design)), set(range(20)) - set(design.tolist())):
        swapped = design.copy()
        swapped[place] = other
        assert log_determinant(X[swapped]) <= best + 1e-6


def terms(rows: Array) -> Array:
    """Return the independent terms of second order."""
    found = polynomial(rows.astype(float), 2, 1000)
    assert found is not None
    return found


def test_the_best_design_of_two_options() -> None:
    """Nine rows for a quadratic in two options are the 3² design, whatever their units; here by brute force for six."""
    assert {tuple(row) for row in sample(integers(5, 5), "dopt:9").indices.tolist()} == set(
        itertools.product((0, 2, 4), repeat=2)
    )
    X = terms(grid(3, 3))
    best = max(log_determinant(X[list(rows)]) for rows in itertools.combinations(range(9), 6))
    found = sample(integers(3, 3), "dopt:6").indices
    assert log_determinant(X[found[:, 0].astype(int) * 3 + found[:, 1]]) == pytest.approx(best)


def test_known_draws() -> None:
    """Notes and limits, optimal designs of few values, and the variants of the program are golden rows."""
    tied = VariabilityModel.of({"a": range(10), "b": range(10)}, ["a + b <= 5"])
    check_calls("numeric-draws", rows, values, integers, numeric, POWERS=POWERS, tied=tied)
