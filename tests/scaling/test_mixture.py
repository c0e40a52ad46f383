"""Quantiles of mixtures of Student distributions, against bisection."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import ndtr, stdtr

from splc.scaling.mixture import mixture_interval, quantiles
from splc.types import Array
from tests.support.examples import examples


def mixtures(seed: int, most: int = 60) -> tuple[Array, Array, Array, Array, Array]:
    """Return parts of random mixtures at three points: means, errors, weights, freedoms, and counts."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, most, 5)
    parts = int(counts.sum())
    means = 10 ** rng.uniform(-1, 3, (parts, 1)) * rng.uniform(0.8, 1.2, (parts, 3))
    errors = means * 10 ** rng.uniform(-3, 0, (parts, 3))
    weights = np.broadcast_to(rng.exponential(size=(parts, 1)) ** 3, means.shape)
    return means, errors, weights, rng.uniform(2, 30, parts), counts


def wallace(freedoms: Array | float, t: Array) -> Array:
    """Return Student's distribution function, approximated by the normal one."""
    normal = (8 * freedoms + 1) / (8 * freedoms + 3) * np.sqrt(freedoms * np.log1p(t * t / freedoms))
    return np.asarray(ndtr(np.sign(t) * normal))


def bisection(tail: float, means: Array, errors: Array, weights: Array, freedoms: Array) -> float:
    """Return the value that one mixture exceeds with probability `tail`."""
    low, high = float((means - 1e4 * errors).min()), float((means + 1e4 * errors).max())
    for _ in range(100):
        middle = (low + high) / 2
        beyond = (weights * wallace(freedoms, (means - middle) / errors)).sum() / weights.sum()
        low, high = (middle, high) if beyond > tail else (low, middle)
    return (low + high) / 2


@examples(12)
@given(seed=st.integers(0, 10_000), tail=st.sampled_from([0.25, 0.05, 0.005]))
@example(seed=3533, tail=0.25)  # in these a quantile is in a gap between parts
@example(seed=123, tail=0.25)
@example(seed=257, tail=0.005)
def test_quantiles_are_those_of_bisection(seed: int, tail: float) -> None:
    """The probability beyond a quantile is that of the tail, to a relative 1e-5."""
    means, errors, weights, freedoms, counts = mixtures(seed)
    found = quantiles(tail, means, errors, weights, freedoms, counts)
    for which, part in enumerate(np.split(np.arange(len(means)), np.cumsum(counts)[:-1])):
        for point in range(3):
            own = means[part, point], errors[part, point], weights[part, point], freedoms[part]
            above, below = bisection(tail * (1 - 1e-5), *own), bisection(tail * (1 + 1e-5), *own)
            assert below <= found[which, point] <= above


@pytest.mark.parametrize(("freedom", "error"), [(2.0, 0.06), (3.0, 0.03), (5.0, 0.01), (30.0, 0.001)])
def test_quantiles_of_student_distributions(freedom: float, error: float) -> None:
    """The probability beyond the quantile of a single part is that of the tail, up to the normal approximation."""
    one = np.ones((1, 1))
    (found,) = quantiles(0.05, 0 * one, one, one, np.array([freedom]), np.array([1]))[0]
    assert stdtr(freedom, -found) == pytest.approx(0.05, rel=error)


@examples(25)
@given(seed=st.integers(0, 10_000))
def test_many_mixtures_are_one_after_the_other(seed: int) -> None:
    """The quantiles of a mixture do not depend on what else is computed with it."""
    means, errors, weights, freedoms, counts = mixtures(seed)
    found = quantiles(0.05, means, errors, weights, freedoms, counts)
    for which, part in enumerate(np.split(np.arange(len(means)), np.cumsum(counts)[:-1])):
        alone = quantiles(0.05, means[part], errors[part], weights[part], freedoms[part], counts[[which]])
        assert found[which] == pytest.approx(alone[0], rel=1e-12)


def test_weights_may_be_the_same_at_all_points() -> None:
    """Weights of shape (parts, 1) are those of every point."""
    means, errors, weights, freedoms, counts = mixtures(5)
    short = quantiles(0.05, means, errors, weights[:, :1], freedoms, counts)
    assert np.array_equal(short, quantiles(0.05, means, errors, weights, freedoms, counts))


def test_quantiles_of_normal_distributions() -> None:
    """A single part with many degrees of freedom has the quantiles of the normal distribution, exactly."""
    one = np.ones((1, 1))
    found = quantiles(0.05, 10 * one, one, one, np.array([1e9]), np.array([1]))
    assert found[0, 0] == pytest.approx(10 + 1.6448536269514722, rel=1e-7)


def test_values_without_noise() -> None:
    """The bounds of hypotheses without noise are the values in the middle of which the tails lie."""
    means, errors = np.array([[1.0], [2.0], [3.0]]), np.zeros((3, 1))
    logs = np.log([0.2, 0.6, 0.2])
    lower, upper = mixture_interval(logs, means, errors, np.full(3, 5.0), np.array([2.0]), 0.9)
    assert (lower[0], upper[0]) == pytest.approx((1, 3))
    lower, upper = mixture_interval(logs, means, errors, np.full(3, 5.0), np.array([2.0]), 0.5)
    assert (lower[0], upper[0]) == pytest.approx((2, 2))


def test_undefined_hypotheses_do_not_count() -> None:
    """A hypothesis without a value at a point has no effect there; without any, there are no bounds."""
    logs, freedoms = np.log([0.5, 0.5]), np.full(2, 5.0)
    means, errors = np.array([[1.0, 1.0, np.nan], [np.inf, 4.0, np.nan]]), np.ones((2, 3))
    lower, upper = mixture_interval(logs, means, errors, freedoms, np.array([1.0, 2.0, 1.0]), 0.9)
    alone = mixture_interval(logs[:1], means[:1, :1], errors[:1, :1], freedoms[:1], np.ones(1), 0.9)
    assert (lower[0], upper[0]) == pytest.approx((alone[0][0], alone[1][0]))
    assert upper[1] > upper[0]
    assert np.isnan([lower[2], upper[2]]).all()
