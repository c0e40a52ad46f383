"""Noise: outliers among repetitions, and tables of its evidence."""

from __future__ import annotations

from statistics import median

import numpy as np
import pytest

from splc.scaling.data import condensed, repetition_weights
from splc.types import Array

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
