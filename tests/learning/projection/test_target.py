"""The target of the printed model: rows, weights, predictions, and their covariance."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from splc.data.configurations import Configurations
from splc.learning.projection.full_model import FullModel
from splc.types import Array
from tests.learning.projection.test_full_model import drawn, known, learned, system


@cache
def model_of(scale: str, rows: int = 40, *, constant: bool = False) -> FullModel:
    """Return a full model on a scale; of noise alone if it is to be a constant."""
    configurations = drawn(system(), rows)
    noise = np.random.default_rng(1).normal(0, 0.1, rows)
    return learned(configurations, np.exp(noise) * (1 if constant else known(configurations)), scale)


def others_of(model: FullModel, number: int) -> Configurations:
    """Return valid configurations that were not learned from."""
    some = drawn(model.configurations.system, 300, 5)
    return some[model.configurations.find(some) < 0][:number]


@pytest.mark.parametrize(("number", "weight"), [(0, 1.0), (60, 1.0), (80, 1.0), (120, 1.5), (200, 2.5)])
def test_weights(number: int, weight: float) -> None:
    """Learned rows together weigh at least half as much as the unmeasured ones, and each at least as much as one."""
    model = model_of("log")
    others = others_of(model, number)
    assert len(others) == number
    target = model.target(others)
    np.testing.assert_allclose(target.weights, [weight] * 40 + [1.0] * number)
    assert target.learned == 40
    assert len(target.configurations) == 40 + number


@pytest.mark.parametrize("scale", ["log", "raw"])
def test_predictions(scale: str) -> None:
    """The target has the predictions of the model and of its folds, in the unit of the scale."""
    model = model_of(scale)
    others = others_of(model, 30)
    target = model.target(others)
    both = Configurations.concatenate([model.configurations, others])
    np.testing.assert_allclose(target.predicted * target.unit, model.predict(both), rtol=1e-12)
    np.testing.assert_allclose(target.measured * target.unit, model.data.y, rtol=1e-12)
    # Of its own rows, each fold predicts those that it does not know.
    held_out = target.folds[target.fold_of, np.arange(40)]
    np.testing.assert_allclose(held_out, model.held_out, rtol=1e-9)
    assert target.positive
    assert target.multiplicative is (scale == "log")


def test_constants() -> None:
    """The target of a constant has one fold, and is not multiplicative."""
    model = model_of("log", constant=True)
    assert model.constant
    target = model.target(others_of(model, 10))
    assert not target.multiplicative
    assert target.folds.shape == (1, 50)
    assert np.ptp(target.predicted) == 0
    # The mean of n values has their variance over n, at all configurations alike.
    variance = model.t.var(ddof=1) / 40
    projection = np.random.default_rng(1).normal(size=(3, 50))
    expected = projection @ np.full((50, 50), variance) @ projection.T
    np.testing.assert_allclose(target.covariance(projection), expected, rtol=1e-9)


@pytest.mark.parametrize("scale", ["log", "raw"])
def test_covariance_is_that_of_the_mixture(scale: str) -> None:
    """The covariance is that of one of the parts, drawn at random: their mean covariance and that of their means."""
    model = model_of(scale)
    others = others_of(model, 25)
    target = model.target(others)
    assert model.refits is not None
    parts = model.refits.parts
    assert len(parts) > 1
    designs = model.basis.designs(target.configurations)
    means, covariances = zip(*(part.projected(designs[part.kind], np.eye(65)) for part in parts), strict=True)
    whole = np.zeros((65, 65))
    center: Array = np.mean(means, axis=0)
    for mean, covariance in zip(means, covariances, strict=True):
        whole += (covariance + np.outer(mean - center, mean - center)) / len(parts)
    projection = np.random.default_rng(1).normal(size=(4, 65))
    np.testing.assert_allclose(target.covariance(projection), projection @ whole @ projection.T, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(target.covariance(projection[:1]), projection[:1] @ whole @ projection[:1].T, rtol=1e-7)
    # Its diagonal is the variance of predictions, without noise.
    noise = model.ensemble.noise * model.scale.noise(target.predicted) / model.ensemble.noise_unit
    deviations = model.ensemble.moments(target.configurations)[1] / model.scale.slope(target.predicted)
    np.testing.assert_allclose(np.diag(whole), deviations**2 - noise, rtol=1e-5, atol=1e-9)
