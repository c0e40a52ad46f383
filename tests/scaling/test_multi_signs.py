"""Signs of models of several parameters: no negative prediction for quantities without negative measurements."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest

from splc.scaling import fit, fit_many
from splc.scaling.multi.terms import ParameterTerms, parameter_terms, sign_log_weights
from splc.scaling.result import intervals_of
from splc.types import Array
from tests.support.scaling_grids import along_axes, random_grid

GRID = np.array(list(itertools.product((8.0, 64.0, 512.0, 4096.0), (10.0, 20.0, 30.0, 40.0))))
P, N = GRID.T
# Errors that all points of a level share.
LEVELS = np.repeat([1, 1.01, 1.02, 0.96], 4)


def lowest(seed: int, smallest: float | None = None) -> tuple[float, float]:
    """Return the lowest prediction of a random grid's model within 8 times along an axis, and the lowest bound.

    `smallest`: what the smallest measurements are replaced by.
    """
    points, values = random_grid(seed)
    if smallest is not None:
        values[values.mean(axis=1).argmin()] = smallest
    model = fit(points, values)
    x = along_axes(points)
    lower, upper = model.interval(x)
    return float(model.predict(x).min()), float(min(lower.min(), upper.min()))


def test_errors_of_levels_are_no_steep_fall() -> None:
    """The last of four levels is 4 % below the others: that is no term that falls below 0 at the next level."""
    model = fit(GRID, (10 + 0.05 * N**2) * LEVELS)
    truth = 10 + 0.05 * 40.0**2
    assert float(model.predict([[32768, 40]])[0]) == pytest.approx(truth, rel=0.05)
    (lower,), (upper,) = model.interval([[32768, 40]])
    assert 0 <= lower <= truth <= upper < 2 * truth


# Of the last two grids many negative hypotheses are far more plausible than all others.
NORMAL = (*range(40, 48), 511, 786)


@pytest.mark.parametrize("seeds", [NORMAL, pytest.param(range(2000), marks=pytest.mark.slow)], ids=len)
def test_no_prediction_from_positive_data_is_negative(seeds: Sequence[int]) -> None:
    """Models of random grids and their intervals are not below 0 within 8 times the largest values."""
    assert [seed for seed in seeds if min(lowest(seed)) < 0] == []


def test_many_quantities_are_those_of_each() -> None:
    """Quantities that fall below 0, and others, have the same models and intervals together as alone."""
    values = np.array([10 + 0.05 * N**2, (10 + 0.05 * N**2) * LEVELS, 300 - N, P * N * LEVELS, 50 - np.log2(P) * 5])
    values *= 1 + 0.01 * np.random.default_rng(1).normal(size=values.shape)
    together = fit_many(GRID, values)
    x = along_axes(GRID)[::7]
    centers = np.array([model.predict(x) for model in together])
    bounds = intervals_of(together, x, centers, 0.9)
    for at, row in enumerate(values):
        alone = fit(GRID, row)
        assert alone.terms == together[at].terms
        np.testing.assert_allclose(alone.predict(x), centers[at], rtol=1e-9)
        for found, expected in zip(bounds, alone.interval(x), strict=True):
            np.testing.assert_allclose(found[at], expected, rtol=5e-3)


@pytest.mark.parametrize("seed", [41, 49, 64])
def test_a_measured_zero_is_not_negative_but_less_is(seed: int) -> None:
    """Quantities with a measured 0 have no negative predictions, those with a negative value may have some."""
    assert min(lowest(seed, 0.0)) >= 0
    assert lowest(seed, -1e-6)[0] < 0


def test_exact_data_that_fall_are_followed() -> None:
    """Positive data without noise of a function that falls below 0 have this function as model, with a caveat."""
    exact = fit(GRID, 150 - 2 * N - 5 * np.log2(P))
    assert float(exact.predict([[32768, 320]])[0]) == pytest.approx(150 - 640 - 75)
    assert any("falls below 0" in note for note in exact.notes)


def test_signs_by_brute_force() -> None:
    """Hypotheses that are negative at some point of a dense grid up to 8 times the largest values have less weight."""
    rng = np.random.default_rng(3)
    points = np.array(list(itertools.product((2.0, 4.0, 8.0), (3.0, 6.0, 9.0), (1.0, 5.0))))
    among = parameter_terms(points)
    number = 300
    terms = np.array([rng.choice(np.flatnonzero(~each.falling), number) for each in among]).T
    products = np.array([rng.choice(8, 3, replace=False) for _ in range(number)])
    coefficients = rng.normal(size=(number, 3)) + 0.5
    found = sign_log_weights(among, terms, products, coefficients)
    dense = [np.geomspace(axis.min(), 8 * axis.max(), 9) for axis in points.T]
    negative = np.zeros(number, dtype=bool)
    for x in itertools.product(*dense):
        negative |= _values(among, terms, products, coefficients, x) < 0
    assert 0.2 < negative.mean() < 0.9
    assert ((found < 0) == negative).all()
    assert (found[negative] <= np.log(1e-8)).all()


def _values(
    among: tuple[ParameterTerms, ...], terms: Array, products: Array, coefficients: Array, x: tuple[float, ...]
) -> Array:
    """Return the values of hypotheses at a point."""
    total = np.zeros(len(terms))
    for place in range(products.shape[1]):
        part = coefficients[:, place].copy()
        for at, (each, value) in enumerate(zip(among, x, strict=True)):
            power, log, size = each.powers[terms[:, at], 0], each.logs[terms[:, at], 0], each.sizes[terms[:, at]]
            part *= np.where(products[:, place] >> at & 1, value**power * np.log2(value) ** log / size, 1.0)
        total += part
    return total
