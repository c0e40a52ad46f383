"""Surrogates about a target before and after measurements."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student_t

from splc.scaling import fit
from splc.scaling.suggestion.surrogate import NODE_WEIGHTS, NODES, TargetSurrogate
from splc.types import Array
from tests.scaling.suggestion.test_target import CROSS, measured


def surrogate_of(factor: float) -> TargetSurrogate:
    """Return the surrogate after a cross of noisy measurements, in a unit."""
    values = factor * measured(lambda points: 5 + 0.3 * points[:, 0] * points[:, 1], CROSS, 0.03)
    uncertainty = fit(CROSS, values).uncertainty
    assert uncertainty is not None
    return TargetSurrogate.of(uncertainty)


def test_outcomes_have_the_moments_of_a_normal_distribution() -> None:
    """The three outcomes of a measurement have the mean, variance, skewness and kurtosis of the normal distribution."""
    found = [float(np.array(NODE_WEIGHTS) @ np.array(NODES) ** power) for power in range(6)]
    assert found == pytest.approx([1, 0, 1, 0, 3, 0])


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_expected_variances_have_no_unit(sign: float) -> None:
    """Variances are relative, for positive and for other values: they are the same in another unit."""
    found = []
    for unit in (1.0, 1e-3, 1e4):
        surrogate = surrogate_of(sign * unit)
        now, after = surrogate.variances(
            np.array([128.0, 60.0]), np.array([[8.0, 20.0]]), np.array([3.0]), np.array([0])
        )
        assert 0 < float(after[0]) < now
        found.append([now, float(after[0])])
    np.testing.assert_allclose(found[1:], [found[0]] * 2, rtol=1e-6)


def test_the_expected_value_changes_what_is_believed() -> None:
    """After a measurement each hypothesis has moved to its value by the part of the variance that is gone."""
    before = surrogate_of(1.0)
    point = np.array([32.0, 40.0])
    columns = before.columns(point[None])[:, :, 0]

    def about(surrogate: TargetSurrogate) -> tuple[Array, Array]:
        """Return means and variances of the value at the point."""
        means = (surrogate.coefficients * columns).sum(axis=1)
        return means, np.einsum("hk,hkl,hl->h", columns, surrogate.covariances, columns)

    means, variances = about(before)
    order = np.argsort(means)
    middle = means[order][np.searchsorted(np.cumsum(before.weights[order]), 0.5)]
    for count in (1, 30):
        after = before.after(point, count, 0)
        moved, left = about(after)
        assert (left < variances).all()
        np.testing.assert_allclose(moved - means, (1 - left / variances) * (middle - means), rtol=1e-6, atol=1e-9)
        ratio = after.weights / before.weights
        assert ratio[np.argmin(np.abs(means - middle))] > 1 > ratio[np.argmax(np.abs(means - middle))]
        assert after.weights.sum() == pytest.approx(1)


@pytest.mark.parametrize("noise", [False, True])
def test_interval_of_one_hypothesis(noise: bool) -> None:
    """The interval is that of Student's t distribution; the noise of a new measurement is relative to its value."""
    whole = surrogate_of(1.0)
    fields = ("weights", "coefficients", "covariances", "noise", "single", "floors", "freedoms")
    one = {name: getattr(whole, name)[:1] for name in fields}
    surrogate = replace(whole, **one, columns=lambda points: whole.columns(points)[:1])
    point = np.array([32.0, 40.0])
    column = surrogate.columns(point[None])[0, :, 0]
    value = float(surrogate.coefficients[0] @ column)
    variance = float(column @ surrogate.covariances[0] @ column)
    if noise:
        size = abs(value) + float(surrogate.floors[0])
        variance += float(surrogate.noise[0] ** 2 + surrogate.single[0]) * size**2
    half = float(student_t(float(surrogate.freedoms[0])).ppf(0.95)) * np.sqrt(variance)
    assert surrogate.interval(point, value, 0.9, noise=noise) == pytest.approx((value - half, value + half), rel=1e-4)
