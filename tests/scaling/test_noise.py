"""Noise: repetitions, values that are far off, and segments of scaling models."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from statistics import median
from typing import Any

import numpy as np
import pytest

from splc.data.measurements import Experiment
from splc.errors import MeasurementError, SpecError
from splc.formats.experiments.read import read_experiment
from splc.scaling import fit, fit_experiment, fit_many
from splc.scaling import profile as profile_module
from splc.scaling.data import condensed, repetition_weights
from splc.scaling.methods import METHODS
from splc.scaling.result import ScalingModel
from splc.types import Array
from tests.support.objects import present
from tests.support.real_data import real

X = np.array([2.0, 4.0, 8.0, 16.0, 32.0])


def plain_weights(points: list[list[float]]) -> list[list[float]]:
    """Return the weights of repetitions, three or more at each point, one after the other."""
    deviations = [[abs(value / median(point) - 1) for value in point] for point in points]
    pooled = [each for own in deviations for each in (sorted(own)[1:] if len(own) % 2 else own)]
    spread, freedom = 1.4826 * sorted(pooled)[(len(pooled) - 1) // 2], max(0.37 * len(pooled), 1)
    found = []
    for own in deviations:
        scale = max(spread * (1 if len(own) % 2 else 1 + 2 / len(own)), 0.0025)
        rare = [(1 + (each / scale) ** 2 / freedom) ** ((freedom + 1) / 2) for each in own]
        weights = [min(1 / (1 + 5e-4 * each) / 0.9, 1) for each in rare]
        far = sum(each < 0.5 for each in weights)
        found.append(weights if 2 * far < len(own) else [1.0] * len(own))
    return found


def noisy(rng: np.random.Generator, repetitions: int) -> Array:
    """Return repetitions of one quantity at five points, some of them outliers."""
    values = (3 + X**2)[:, None] * (1 + 0.03 * rng.normal(size=(5, repetitions)))
    return np.asarray(values * np.where(rng.random(values.shape) < 0.1, rng.uniform(1, 2, values.shape), 1))


@pytest.mark.parametrize("repetitions", [3, 4, 5, 8])
def test_weights_are_those_of_a_plain_loop(repetitions: int) -> None:
    """Weights of a batch are those of each quantity alone, point by point."""
    rng = np.random.default_rng(repetitions)
    values = np.array([noisy(rng, repetitions) for _ in range(30)])
    expected = np.array([plain_weights(each.tolist()) for each in values])
    assert repetition_weights(values) == pytest.approx(expected, rel=1e-9)
    assert 0 < (expected < 0.5).mean() < 0.2
    assert ((expected > 0.05) & (expected < 0.95)).any()


def test_half_of_the_repetitions_are_no_outliers() -> None:
    """If half of the repetitions of a point are far from their median, all of them count."""
    values = 5 * (1 + 0.001 * np.random.default_rng(3).normal(size=(12, 3)))
    values[4], values[5] = [4.0, 5.0, 6.0], [4.0, 5.0, 5.001]
    (found,) = repetition_weights(values[None])
    assert found == pytest.approx(np.array(plain_weights(values.tolist())), rel=1e-9)
    assert found[4].tolist() == [1, 1, 1]
    assert found[5, 0] < 0.5


def test_condensed_values_are_weighted_means() -> None:
    """The value of a point, its count and its squares are weighted by the weights of repetitions."""
    values = noisy(np.random.default_rng(1), 5)
    weights = np.array(plain_weights(values.tolist()))
    found = condensed(values[None], "robust")
    means = (weights * values).sum(axis=1) / weights.sum(axis=1)
    assert found.values[0] == pytest.approx(means)
    assert found.counts[0].tolist() == [round(each) for each in weights.sum(axis=1)]
    assert found.squares[0] == pytest.approx((weights * (values - means[:, None]) ** 2).sum(axis=1))
    assert found.outliers[0] == (weights < 0.5).sum() > 0


ALL = sorted(METHODS)


@pytest.mark.parametrize("method", ALL)
def test_the_whole_range_of_numbers(method: str) -> None:
    """Values near the limits of numbers, and x of a million and more, are modelled like others."""
    for factor in (1e-300, 1e300):
        assert fit(X, factor * (5 + 3 * X**2), method=method).lead == {"x": (Fraction(2), Fraction(0))}
    far = X * 1e6
    assert fit(far, 5e12 + 3 * far**2, method=method).lead == {"x": (Fraction(2), Fraction(0))}


def test_a_series_of_one_point() -> None:
    """A series that is measured at one point only has a constant, and a note for each parameter but the first."""
    points = np.array([[4.0, 2.0], [8.0, 2.0]])
    key = ("main", "time")
    found = fit_experiment(Experiment(("x", "y"), points, {key: np.array([[5.0], [math.nan]])})).models[key]
    assert found.coefficients == pytest.approx([5.0])
    assert found.lead == {}
    assert "measured at 1 of 2 points" in found.notes
    assert "y is 2 at all points: nothing is known about how this scales with it" in found.notes


def test_series_that_fail_do_not_cost_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Series with wrong values, and those that show a defect of the program, are reported beside the models."""
    names = [("main", "time"), ("bad", "time"), ("odd", "time"), ("other", "time")]
    values = [3 + 2 * X, 33 + 2 * X, 13 + 2 * X, 5 * X]
    series = {name: own[:, None] for name, own in zip(names, values, strict=True)}
    experiment = Experiment(("x",), X[:, None], series)
    original = fit_many

    def broken(points: Array, found: Array, **settings: Any) -> tuple[ScalingModel, ...]:
        if (found == 13 + 2 * X[0]).any():
            raise IndexError("index 7 is out of bounds")
        if (found == 33 + 2 * X[0]).any():
            raise MeasurementError("wrong values")
        return original(points, found, **settings)

    monkeypatch.setattr(profile_module, "fit_many", broken)
    found = fit_experiment(experiment)
    assert list(found.models) == [names[0], names[3]]
    assert found.failed[names[1]] == "wrong values"
    assert "error of the program (IndexError: index 7" in found.failed[names[2]]
    with pytest.raises(SpecError):
        fit_experiment(experiment, method="unknown")


def test_more_repetitions_than_points() -> None:
    """Series with unequal numbers of repetitions, more than points, have the models that they have alone."""
    x = np.array([2.0, 4.0, 8.0, 16.0])
    rng = np.random.default_rng(0)
    values = {
        (path, "time"): (3 + x[:, None]) * (1 + 0.01 * rng.normal(size=(4, repetitions)))
        for path, repetitions in (("a", 3), ("b", 9), ("c", 1))
    }
    values[("d", "time")] = np.where(np.arange(6) < 4, values[("b", "time")][:, :6], np.nan)
    found = fit_experiment(Experiment(("x",), x[:, None], values))
    for key, own in values.items():
        alone = fit(x, own[:, :4] if key[0] == "d" else own, names="x")
        assert found.models[key].text == alone.text
        assert found.models[key].noise == pytest.approx(alone.noise)
        assert found.models[key].certainty == pytest.approx(alone.certainty)


POINTS = np.array(list(itertools.product([2.0, 4.0, 8.0, 16.0, 32.0], np.arange(1.0, 12.0))))
N, P = POINTS.T
TURN = np.where(P <= 6, P**2 * N, 30 * N + P * N)


def test_change_along_the_second_parameter() -> None:
    """Both sides have a model; predictions, intervals and distances use the side of each point."""
    noisy = TURN[:, None] * (1 + 0.02 * np.random.default_rng(0).normal(size=(55, 4)))
    model = fit(POINTS, noisy, names=["n", "p"], segmented=True)
    assert (model.changing, model.change) == ("p", 6)
    assert present(model.below).ranges == ((2.0, 32.0), (1.0, 6.0))
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
    far = present(model.below).predict([[100.0, 64.0]])
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
