"""Plausible hypotheses of several parameters: signs, misfit, intervals."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from casestudies.scaling_evaluation.several_functions import AXES
from splc.scaling import fit, fit_many
from splc.scaling.selection import CombinationShortlist
from tests.support.scaling_grids import along_axes, random_grid

SIGNED = np.array(list(itertools.product((8.0, 64.0, 512.0, 4096.0), (10.0, 20.0, 30.0, 40.0))))
P, N = SIGNED.T
# Errors that all points of a level share.
LEVELS = np.repeat([1, 1.01, 1.02, 0.96], 4)


def lowest(seed: int, smallest: float | None = None) -> tuple[float, float]:
    """Return the lowest prediction of a random grid's model within 8 times along an axis, and the lowest bound.

    `smallest`: what the smallest measurements are replaced by.
    """
    points, values = random_grid(seed)
    if smallest is not None:
        values[values.mean(axis=1).argmin()] = smallest
    model = fit(points, values)
    x = along_axes(points)
    lower, upper = model.interval(x)
    return float(model.predict(x).min()), float(min(lower.min(), upper.min()))


def test_errors_of_levels_are_no_steep_fall() -> None:
    """The last of four levels is 4 % below the others: that is no term that falls below 0 at the next level."""
    model = fit(SIGNED, (10 + 0.05 * N**2) * LEVELS)
    truth = 10 + 0.05 * 40.0**2
    assert float(model.predict([[32768, 40]])[0]) == pytest.approx(truth, rel=0.05)
    (lower,), (upper,) = model.interval([[32768, 40]])
    assert 0 <= lower <= truth <= upper < 2 * truth


# Of the last two grids many negative hypotheses are far more plausible than all others.
NORMAL = (*range(40, 48), 511, 786)


@pytest.mark.parametrize("seeds", [NORMAL, pytest.param(range(2000), marks=pytest.mark.slow)], ids=len)
def test_no_prediction_from_positive_data_is_negative(seeds: Sequence[int]) -> None:
    """Models of random grids and their intervals are not below 0 within 8 times the largest values."""
    assert [seed for seed in seeds if min(lowest(seed)) < 0] == []


@pytest.mark.parametrize("seed", [41, 49, 64])
def test_a_measured_zero_is_not_negative_but_less_is(seed: int) -> None:
    """Quantities with a measured 0 have no negative predictions, those with a negative value may have some."""
    assert min(lowest(seed, 0.0)) >= 0
    assert lowest(seed, -1e-6)[0] < 0


CUBE = np.array(list(itertools.product(*AXES[:3])))


def test_predictions_of_functions_with_a_misfit() -> None:
    """Functions that no hypothesis fits are predicted from the points near the largest values."""
    p, d, g = CUBE.T
    truth = 8.51 + 0.11 * p ** (1 / 3) * d * g**0.8
    # The smallest values are three times as large as those of the function.
    away = (1 - np.log(CUBE / CUBE.min(axis=0)) / np.log(CUBE.max(axis=0) / CUBE.min(axis=0))).mean(axis=1)
    y = truth * (1 + 2 * away**4)
    target = np.array([[256.0, 12.0, 192.0]])
    expected = 8.51 + 0.11 * 256 ** (1 / 3) * 12 * 192**0.8
    noise = 1 + 0.01 * np.random.default_rng(4).normal(size=(len(CUBE), 4))
    model = fit(CUBE, y[:, None] * noise)
    assert model.predict(target)[0] == pytest.approx(expected, rel=0.05)
    assert any("neighbouring points are alike" in note for note in model.notes)
    alike = fit(CUBE, y[:, None] * noise, local=False)
    assert abs(alike.predict(target)[0] / expected - 1) > 0.08
    assert not any("neighbouring" in note for note in alike.notes)
    low, high = model.interval(target)
    assert low[0] < expected < high[0]
    # Few points count for the noise near the largest values.
    assert model.uncertainty is not None
    assert alike.uncertainty is not None
    assert model.uncertainty.plausible.freedoms[0] < alike.uncertainty.plausible.freedoms[0] / 2


def test_intervals_need_no_search() -> None:
    """Models keep their plausible hypotheses in some kilobytes, and intervals are those after a new search."""
    rng = np.random.default_rng(5)
    p, d, g = CUBE.T
    values = np.array([5 + 0.2 * p * d, 1 + 0.01 * p * d * g, np.full(len(p), 3.0)])
    measured = values[:, :, None] * (1 + 0.03 * rng.normal(size=(3, len(CUBE), 3)))
    models = fit_many(CUBE, measured)
    target = np.array([[256.0, 20.0, 320.0]])
    kept = [each.uncertainty for each in models if each.uncertainty is not None]
    before = [replace(each, shortlist=None).interval(target, np.ones(1), 0.9) for each in kept]
    several = [each.shortlist for each in kept if isinstance(each.shortlist, CombinationShortlist)]
    assert len(several) >= 2
    assert all(len(pickle.dumps(each)) < 6000 for each in several)
    again = pickle.loads(pickle.dumps(kept))  # noqa: S301
    for each, expected in zip([*kept, *again], [*before, *before], strict=True):
        assert np.ravel(each.interval(target, np.ones(1), 0.9)) == pytest.approx(np.ravel(expected), rel=1e-5)


@pytest.mark.parametrize(("value", "number"), [(0.0, 1), (3.0, 1), (2.0, 30)])
def test_constant_parameters_change_nothing(value: float, number: int) -> None:
    """Parameters that have one value at all points, also 0, leave model and interval as they are without them."""
    points = np.array([(p, n) for p in (1, 2, 4, 8) for n in (1, 2, 3)], dtype=float)
    y = (10 + points.prod(axis=1)) * (1 + 0.05 * np.random.default_rng(0).standard_normal(len(points)))
    alone = fit(points, y, names=["p", "n"])
    names = [f"c{at}" for at in range(number)]
    both = fit(np.insert(points, [1] * number, value, axis=1), y, names=["p", *names, "n"])
    assert str(both) == str(alone)
    for x in ([[16.0, 3.0]], [[16.0, 3.0], [2.0, 9.0]]):
        found = both.interval(np.insert(x, [1] * number, value, axis=1))
        np.testing.assert_allclose(found, alone.interval(x), rtol=1e-9)
