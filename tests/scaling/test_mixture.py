"""Quantiles of mixtures of Student distributions, and intervals, against bisection."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import ndtr

from splc.scaling import ScalingModel, fit
from splc.scaling.intervals import mixture_intervals, quantiles
from splc.types import Array
from tests.support.examples import examples


def mixture_interval(
    logs: Array, means: Array, errors: Array, freedoms: Array, center: Array, level: float
) -> tuple[Array, Array]:
    """Return the bounds of one mixture at each point."""
    lower, upper = mixture_intervals(logs, means, errors, freedoms, center[None], level, np.array([len(logs)]))
    return lower[0], upper[0]


def mixtures(seed: int, most: int = 60) -> tuple[Array, Array, Array, Array, Array]:
    """Return parts of random mixtures at three points: means, errors, weights, freedoms, and counts."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, most, 5)
    parts = int(counts.sum())
    means = 10 ** rng.uniform(-1, 3, (parts, 1)) * rng.uniform(0.8, 1.2, (parts, 3))
    errors = means * 10 ** rng.uniform(-3, 0, (parts, 3))
    weights = np.broadcast_to(rng.exponential(size=(parts, 1)) ** 3, means.shape)
    return means, errors, weights, rng.uniform(2, 30, parts), counts


def student(freedoms: Array | float, t: Array) -> Array:
    """Return Student's distribution function, approximated by the normal one."""
    normal = (8 * freedoms + 1) / (8 * freedoms + 3) * np.sqrt(freedoms * np.log1p(t * t / freedoms))
    return np.asarray(ndtr(np.sign(t) * normal))


def bisection(tail: float, means: Array, errors: Array, weights: Array, freedoms: Array) -> float:
    """Return the value that one mixture exceeds with probability `tail`."""
    low, high = float((means - 1e4 * errors).min()), float((means + 1e4 * errors).max())
    for _ in range(100):
        middle = (low + high) / 2
        beyond = (weights * student(freedoms, (means - middle) / errors)).sum() / weights.sum()
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


SEEDS = st.integers(0, 10_000)
LEVELS = st.sampled_from([0.5, 0.9, 0.99])
GRID = np.array([(p, n) for p in (2.0, 4.0, 8.0, 16.0) for n in (10.0, 20.0, 40.0)])


def series(seed: int) -> ScalingModel:
    """Return the model of a random series of one parameter, with or without repetitions."""
    rng = np.random.default_rng(seed)
    x = 2.0 ** np.arange(rng.integers(0, 2), rng.integers(4, 8))
    values = 10 ** rng.uniform(-2, 3) + 10 ** rng.uniform(-2, 3) * x ** rng.choice([-1, 0, 0.5, 1, 2])
    noise = rng.choice([1e-6, 0.01, 0.05]) * rng.normal(size=(len(x), rng.choice([1, 3])))
    return fit(x, values[:, None] * (1 + noise))


def grid(seed: int) -> ScalingModel:
    """Return the model of random measurements of two parameters."""
    rng = np.random.default_rng(seed)
    values = 10 ** rng.uniform(-1, 2) + GRID[:, 0] ** rng.choice([0, 0.5, 1]) * GRID[:, 1]
    return fit(GRID, values[:, None] * (1 + 0.03 * rng.normal(size=(len(GRID), 2))))


def exceeded(model: ScalingModel, x: Array, level: float) -> list[float]:
    """Return the probabilities of being below and above the interval at one point."""
    assert model.uncertainty is not None
    found = model.uncertainty.plausible
    means, errors = found.predictions(model.uncertainty.columns_of(x[None]))
    bounds = mixture_interval(found.log_weights, means, errors, found.freedoms, means[0], level)
    weights = np.exp(found.log_weights - np.logaddexp.reduce(found.log_weights))
    away = [side * (bound - means[:, 0]) / errors[:, 0] for bound, side in zip(bounds, (1, -1), strict=True)]
    return [float(weights @ student(found.freedoms, each)) for each in away]


@examples(20)
@given(seed=SEEDS, factor=st.sampled_from([0.25, 1.0, 4.0]), level=LEVELS)
@example(seed=100, factor=4.0, level=0.99)  # a last step from further away is not precise there
def test_bounds_are_exceeded_as_often_as_said(seed: int, factor: float, level: float) -> None:
    """The share of the distributions beyond each bound is that of the tail, for one parameter and for products."""
    for model in (series(seed), grid(seed % 100)):
        highest = np.array([high for _, high in model.ranges])
        assert exceeded(model, factor * highest, level) == pytest.approx([(1 - level) / 2] * 2, rel=5e-6)


@pytest.mark.parametrize("y", [[3.0, 5.0, 9.0], [3.0, 5.2, 9.1, 16.0, 33.0]])
def test_points_so_far_away_that_spreads_overflow(y: list[float]) -> None:
    """A prediction that is finite where variances are not has no interval, and no error."""
    model = fit(2.0 ** np.arange(1, 1 + len(y)), y)
    assert np.isfinite(model.predict(1e200))
    assert not np.isfinite(model.interval(1e200)).any()
