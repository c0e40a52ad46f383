"""The evaluation on real profiles of several parameters."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from casestudies.scaling_evaluation.several_profiles import series, split

GRID = np.array(list(itertools.product([1.0, 2, 4], [10.0, 20, 30])))


@pytest.mark.parametrize("held_out", ["corner", "last values"])
def test_the_largest_point_is_held_out(held_out: str) -> None:
    """The largest point is never modelled; with `last values` neither is another point with a largest value."""
    values = np.arange(9.0)[:, None]
    values[0] = np.nan
    wanted = GRID[1:8] if held_out == "corner" else GRID[[1, 3, 4]]
    found = split((np.vstack([GRID, GRID + 0.5]), np.vstack([values, np.full((9, 1), np.nan)])), held_out)
    if held_out == "last values":
        # Three points are too few.
        assert found is None
        wide = np.array(list(itertools.product([1.0, 2, 4, 8], [10.0, 20, 30])))
        found = split((wide, np.ones((12, 1))), held_out)
        wanted = wide[(wide < [8, 30]).all(axis=1)]
    assert found is not None
    points, modelled, corner, last = found
    assert points.tolist() == wanted.tolist()
    assert len(modelled) == len(points)
    assert corner.tolist() == [([4.0, 30.0] if held_out == "corner" else [8.0, 30.0])]
    assert last.tolist() == [8.0 if held_out == "corner" else 1.0]


@pytest.mark.real_data
def test_series_of_hypre() -> None:
    """Runs in three dimensions have four parameters, and one series per metric with positive values."""
    found = series("smg3d")
    assert {points.shape for points, _ in found} == {(320, 4)}
    assert len(found) == 7
