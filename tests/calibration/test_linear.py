"""Bounded least squares against all sets of active bounds, and columns that depend on others."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.calibration.search import dependence, solve
from splc.types import Array
from tests.support.examples import examples


def least(matrix: Array, target: Array, low: Array, high: Array) -> tuple[float, Array]:
    """Return the least misfit within bounds and its solution, by trying every set of unknowns that are at a bound."""
    best, found = np.inf, low
    # Of columns with very different lengths, lstsq would count the shortest ones as 0.
    lengths = np.linalg.norm(matrix, axis=0)
    for at in product((-1, 0, 1), repeat=len(low)):
        side = np.array(at)
        x = np.where(side < 0, low, np.where(side > 0, high, 0.0))
        free = side == 0
        rest = target - matrix[:, ~free] @ x[~free]
        x[free] = np.linalg.lstsq(matrix[:, free] / lengths[free], rest, rcond=None)[0] / lengths[free]
        misfit = float(np.linalg.norm(matrix @ x - target))
        if ((low <= x) & (x <= high)).all() and misfit < best:
            best, found = misfit, x
    return best, found


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
@examples(60)
def test_bounds_are_met_exactly(seed: int, unknowns: int) -> None:
    """The solution has the least misfit within bounds; an unknown at a bound is the bound, without rounding."""
    rng = np.random.default_rng(seed)
    scales = 10.0 ** rng.integers(-9, 9, unknowns)
    matrix = rng.normal(size=(8, unknowns)) / scales
    low = scales * rng.uniform(-1, 0, unknowns) / 3
    high = scales * rng.uniform(0, 1, unknowns) / 3
    target = rng.normal(size=8)
    x = solve(matrix, target, low, high, np.zeros(unknowns))
    misfit, expected = least(matrix, target, low, high)
    assert np.linalg.norm(matrix @ x - target) <= misfit * (1 + 1e-9)
    np.testing.assert_allclose(x / scales, expected / scales, atol=1e-9)
    for bound in (low, high):
        assert (x[expected == bound] == bound[expected == bound]).all()


@pytest.mark.parametrize(("distance", "dependent"), [(1e-12, (2,)), (1e-7, ())])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_columns_near_a_combination_of_others(distance: float, dependent: tuple[int, ...], scale: float) -> None:
    """A column is a combination of others up to rounding only, whatever its unit."""
    a, b, c = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 3)))[0].T
    matrix = np.column_stack([a, 1e3 * b, scale * (a + b + distance * c)])
    assert dependence(matrix).dependent == dependent


@pytest.mark.parametrize(("small", "kept"), [(0.95e-8, 0.0), (1.05e-8, 1.05e-8), (-1.05e-8, -1.05e-8)])
def test_small_coefficients_of_a_combination(small: float, kept: float) -> None:
    """A coefficient of at most 1e-8 of a combination of columns of length 1 counts as 0."""
    a, b = np.eye(4)[:2]
    known = dependence(np.column_stack([a, b, a + small * b]))
    assert (known.basis, known.dependent) == ((0, 1), (2,))
    assert known.coefficients[:, 0].tolist() == pytest.approx([1.0, kept], rel=1e-6)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(0, 3))
@examples(40)
def test_directions_change_nothing(seed: int, columns: int, rank: int) -> None:
    """Basis and directions are those of the rank: a matrix times each direction is 0, and there are no others."""
    rng = np.random.default_rng(seed)
    matrix = (
        rng.integers(-2, 3, (7, rank)) @ rng.integers(-2, 3, (rank, columns)) * 10.0 ** rng.integers(-5, 5, columns)
    )
    known = dependence(matrix)
    lengths = np.linalg.norm(matrix, axis=0)
    assert known.lengths == pytest.approx(lengths)
    assert known.zero == tuple(np.flatnonzero(lengths == 0).tolist())
    assert len(known.basis) == np.linalg.matrix_rank(matrix / np.where(lengths > 0, lengths, 1.0), tol=1e-9)
    assert sorted(known.basis + known.dependent + known.zero) == list(range(columns))
    directions = known.directions
    assert directions.shape == (columns, len(known.dependent) + len(known.zero))
    assert np.abs(matrix @ directions).max(initial=0.0) <= 1e-9
    if directions.size:
        even = directions * np.where(lengths > 0, lengths, 1.0)[:, np.newaxis]
        assert np.linalg.matrix_rank(even) == directions.shape[1]
