"""The hypervolume of fronts: its laws, and values that are counted."""

from __future__ import annotations

import numpy as np
import pytest

from splc.tuning.front import TrueFront, front_places, hypervolume
from splc.types import Array


def counted(values: Array, reference: Array) -> float:
    """Return the number of unit cubes below the reference that are worse than a row of whole numbers."""
    corners = np.array(list(np.ndindex(*reference.astype(int).tolist())))
    worse = np.asarray((corners[:, None, :] >= values[None]).all(axis=2))
    return float(worse.any(axis=1).sum())


@pytest.mark.parametrize("properties", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_unit_cubes(properties: int, seed: int) -> None:
    """The volume is that of the unit cubes which are worse than a row; the order of rows and properties is none."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 8, (12, properties)).astype(float)
    reference = np.full(properties, 7.0)
    volume = hypervolume(values, reference)
    assert volume == pytest.approx(counted(values, reference))
    assert hypervolume(values[::-1, ::-1], reference) == pytest.approx(volume)
    # Dominated rows add nothing, and a better row never takes anything away.
    assert hypervolume(values[front_places(values)], reference) == pytest.approx(volume)
    assert hypervolume(np.vstack([values, values[0] - 1]), reference) >= volume


def test_shares() -> None:
    """The whole front has 100 %, no row 0 %, and as many random rows as there are all of it."""
    values = np.random.default_rng(0).random((30, 2))
    front = TrueFront.of(values)
    assert front.share(values) == pytest.approx(100)
    assert front.share(values[:0]) == 0
    assert front.random_share(30) == pytest.approx(100)
    assert 0 < front.random_share(3) < 100


@pytest.mark.parametrize("values", [[[1.0, 2.0]], [[1.0, 2.0], [1.0, 2.0]], [[1.0, 2.0], [1.0, 3.0]]])
def test_fronts_of_one_row(values: list[list[float]]) -> None:
    """A front of one row has a volume, too, also if a property has one value."""
    front = TrueFront.of(np.array(values))
    assert front.share(np.array(values)[:1]) == pytest.approx(100)
