"""Quantiles of mixtures of Student distributions, and intervals, against bisection."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import ndtr

from splc.scaling import ScalingModel, fit
from splc.scaling.intervals import mixture_intervals
from splc.types import Array
from tests.support.examples import examples

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


def student(freedoms: Array, t: Array) -> Array:
    """Return Student's distribution function, approximated by the normal one."""
    normal = (8 * freedoms + 1) / (8 * freedoms + 3) * np.sqrt(freedoms * np.log1p(t * t / freedoms))
    return np.asarray(ndtr(np.sign(t) * normal))


def exceeded(model: ScalingModel, x: Array, level: float) -> list[float]:
    """Return the probabilities of being below and above the interval at one point."""
    assert model.uncertainty is not None
    found = model.uncertainty.plausible
    means, errors = found.predictions(model.uncertainty.columns_of(x[None]))
    number = np.array([len(means)])
    bounds = mixture_intervals(found.log_weights, means, errors, found.freedoms, means[:1], level, number)
    weights = np.exp(found.log_weights - np.logaddexp.reduce(found.log_weights))
    away = [side * (bound - means[:, 0]) / errors[:, 0] for (bound,), side in zip(bounds, (1, -1), strict=True)]
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
