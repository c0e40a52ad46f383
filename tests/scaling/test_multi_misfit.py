"""Misfit of models of several parameters, and the plausible hypotheses that are kept with them."""

from __future__ import annotations

import itertools
import pickle
from dataclasses import replace

import numpy as np
import pytest

from casestudies.scaling_evaluation.several_functions import AXES
from splc.scaling import fit, fit_many
from splc.scaling.data import lines
from splc.scaling.multi.posterior import growth_shown, shared, sizes
from splc.scaling.selection import CombinationShortlist
from splc.types import Array

GRID = np.array(list(itertools.product(*AXES[:2])))
CUBE = np.array(list(itertools.product(*AXES[:3])))


def smooth(points: Array, number: int, size: float, seed: int) -> Array:
    """Return random functions that neighbouring points have in common, shape (number, points)."""
    logs = np.log(points)
    logs = (logs - logs.min(axis=0)) / np.ptp(logs, axis=0)
    squares = ((logs[:, None] - logs[None]) ** 2).sum(axis=2)
    factor = np.linalg.cholesky(np.exp(-squares) + 1e-9 * np.eye(len(points)))
    return np.asarray(size * np.random.default_rng(seed).normal(size=(number, len(points))) @ factor.T)


def test_share_by_brute_force() -> None:
    """The share is the correlation of neighbours along all lines, less its standard error."""
    rng = np.random.default_rng(0)
    residuals = smooth(GRID, 1, 1.0, 3) + 0.3 * rng.uniform(-1, 1, (1, len(GRID)))
    pairs = [
        residuals[0, first] * residuals[0, second]
        for at in range(2)
        for row in lines(GRID, at)
        for first, second in itertools.pairwise(row)
    ]
    expected = np.mean(pairs) / np.mean(residuals**2) - 1 / np.sqrt(len(pairs))
    assert shared(GRID, residuals)[0] == pytest.approx(expected)
    # An outlier changes little.
    residuals[0, 7] = 1e6
    assert shared(GRID, residuals)[0] > 0.1


def test_share_of_noise_and_of_misfit() -> None:
    """Independent noise rarely has anything in common, a misfit mostly has; scattered points and zeros have nothing."""
    noise = np.random.default_rng(1).normal(size=(400, len(CUBE)))
    assert np.mean(shared(CUBE, noise) > 0.1) < 0.05
    assert np.mean(shared(CUBE, smooth(CUBE, 400, 1.0, 2)) > 0.5) > 0.8
    scattered = np.array([[1.0, 2.0], [2.0, 5.0], [4.0, 3.0]])
    assert shared(scattered, noise[:1, :3]).tolist() == [0.0]
    assert shared(GRID, np.zeros((1, len(GRID)))).tolist() == [0.0]


def test_sizes_grow_with_the_distance_from_the_largest_values() -> None:
    """The size is 1 at the largest values, and grows to both sides; without a misfit it is 1."""
    x = np.array([GRID.max(axis=0), GRID.min(axis=0), 2 * GRID.max(axis=0)])
    found = sizes(GRID, x, np.array([0.0, 0.5]))
    assert found[0].tolist() == [1.0, 1.0, 1.0]
    assert found[1, 0] == 1.0
    assert found[1, 1] > found[1, 2] > 1.0
    # A parameter may be 0.
    zero = np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 1.0]])
    assert np.isfinite(sizes(zero, zero, np.array([1.0]))).all()


def test_growth_that_residuals_show() -> None:
    """The growth of residuals that grow as assumed is found again."""
    residuals = 0.02 * sizes(GRID, GRID, np.array([0.6]), 2.0)[0]
    assert growth_shown(GRID, 0.6, residuals, 0.02) == pytest.approx(2.0, abs=0.3)
    assert growth_shown(GRID, 0.6, 0.02 * np.ones(len(GRID)), 0.02) == 0.0


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
