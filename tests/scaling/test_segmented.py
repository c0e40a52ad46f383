"""One change of behaviour: a jump, and segments along one of several parameters."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from splc.formats.experiments.read import read_experiment
from splc.scaling import fit, fit_many
from tests.support.real_data import real

JUMPING = np.array([*itertools.product((32, 48, 64, 96, 128, 192), (1, 2, 4, 8, 16))], dtype=float)
SIZE, COUNT = JUMPING.T


def test_note() -> None:
    """The note of a model that misses the values names the jump."""
    model = fit(JUMPING, 0.1 * SIZE * COUNT * np.where(SIZE >= 128, 8, 1), names=("n", "k"))
    assert any(note.startswith("a jump at n = 128 by a factor of about 8 explains") for note in model.notes)


POINTS = np.array(list(itertools.product([2.0, 4.0, 8.0, 16.0, 32.0], np.arange(1.0, 12.0))))
N, P = POINTS.T
TURN = np.where(P <= 6, P**2 * N, 30 * N + P * N)


def test_change_along_the_second_parameter() -> None:
    """Both sides have a model; predictions, intervals and distances use the side of each point."""
    noisy = TURN[:, None] * (1 + 0.02 * np.random.default_rng(0).normal(size=(55, 4)))
    model = fit(POINTS, noisy, names=["n", "p"], segmented=True)
    assert (model.changing, model.change) == ("p", 6)
    assert model.below is not None
    assert model.below.ranges == ((2.0, 32.0), (1.0, 6.0))
    assert model.predict(POINTS) == pytest.approx(TURN, rel=0.02)
    low, high = model.interval(POINTS)
    assert ((low <= TURN) & (high >= TURN)).mean() > 0.9
    assert model.distance([[2.0, 5.0], [2.0, 22.0], [1.0, 3.0]]).tolist() == [1, 2, 2]
    assert "the behaviour changes at p = 6" in model.notes[0]


@pytest.mark.real_data
@pytest.mark.parametrize("method", ["default", "basic", "refinement"])
def test_example_of_extrap(method: str) -> None:
    """Extra-P's test data of two parameters, 0.4·x²·y up to x = 50, have two segments with every method."""
    experiment = read_experiment(real("extrap_formats", "text", "two_parameter_segmented_1.txt"))
    (values,) = experiment.series.values()
    whole = fit(experiment.points, values, names=experiment.parameters, method=method)
    model = fit(experiment.points, values, names=experiment.parameters, method=method, segmented=True)
    assert (model.changing, model.change) == ("x", 50)
    assert "the behaviour seems to change at x = 50: two segments fit better" in whole.notes
    assert model.below is not None
    far = model.below.predict([[100.0, 64.0]])
    assert far == pytest.approx(0.4 * 100**2 * 64, rel=0.02)
    means = values.mean(axis=1)
    errors = [np.abs(each.predict(experiment.points) / means - 1).mean() for each in (model, whole)]
    assert errors[0] < errors[1] / 10


def test_noise_and_few_points_have_one_segment() -> None:
    """Functions without a change have one model; lines of fewer than six points, and small segments, too."""
    rng = np.random.default_rng(0)
    smooth = (3 + P * 1.5 + N**2) * (1 + 0.1 * rng.normal(size=(12, 55)))
    assert not any(model.below for model in fit_many(POINTS, smooth, segmented=True))
    short = fit(POINTS[P < 6], TURN[P < 6], segmented=True)
    assert any("fewer than 6 points on every line" in note for note in short.notes)
    thin = (N == 2) | (P == 1)
    assert fit(POINTS[thin], TURN[thin], segmented=True).below is None
