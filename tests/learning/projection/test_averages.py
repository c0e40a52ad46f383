"""Weighted sums of the full model's predictions, against its predictions and draws of its posterior."""

from __future__ import annotations

import numpy as np
import pytest

from splc.learning.projection.averages import predictions, weighted_sums
from splc.types import Link
from tests.learning.projection.test_ensemble import stored
from tests.learning.projection.test_full_model import drawn, system


@pytest.mark.parametrize("link", ["identity", "log"])
@pytest.mark.parametrize("constant", [False, True])
def test_values_and_covariances(link: Link, *, constant: bool) -> None:
    """Values are sums of predictions; covariances follow those of single predictions as linear maps do."""
    full, _ = stored(1, constant)
    assert bool(full.parts) is not constant
    configurations = drawn(system(), 12, 3)
    f = predictions(full, configurations, link)
    expected = full.predict(configurations)
    np.testing.assert_allclose(f, np.log(expected) if link == "log" else expected, rtol=1e-12)
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(4, 12))
    single = weighted_sums(full, configurations, np.eye(12), link)
    found = weighted_sums(full, configurations, weights, link)
    np.testing.assert_allclose(found.values, weights @ f, rtol=1e-9)
    np.testing.assert_allclose(found.covariance, weights @ single.covariance @ weights.T, rtol=1e-6, atol=1e-12)
    assert np.linalg.eigvalsh(single.covariance).min() > -1e-9 * np.trace(single.covariance)


def test_variances_are_those_of_intervals() -> None:
    """Without its noise, the width of an interval is that of the logarithm of a single prediction."""
    full, _ = stored()
    assert full.scale.positive
    configurations = drawn(system(), 12, 3)
    single = weighted_sums(full, configurations, np.eye(12), "log")
    y, deviations = full.moments(configurations)
    scale = full.scale
    noise = full.noise * scale.noise(y) / full.noise_unit * scale.slope(y) ** 2
    np.testing.assert_allclose(np.diag(single.covariance), deviations**2 - noise, rtol=1e-6, atol=1e-12)
    identity = weighted_sums(full, configurations, np.eye(12), "identity")
    predicted = full.predict(configurations)
    np.testing.assert_allclose(identity.covariance, single.covariance * np.outer(predicted, predicted), rtol=1e-6)
