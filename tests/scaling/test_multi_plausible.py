"""Plausible hypotheses of several parameters: signs, misfit, hidden products, intervals."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from casestudies.scaling_evaluation.several_functions import AXES, evaluate_several, layout
from splc.scaling import fit, fit_many
from splc.scaling.data import lines
from splc.scaling.least_squares import triangular
from splc.scaling.multi.plausible import hidden_products, with_hidden
from splc.scaling.multi.posterior import growth_shown, shared, sizes
from splc.scaling.multi.terms import ParameterTerms, parameter_terms, sign_log_weights
from splc.scaling.result import intervals_of
from splc.scaling.selection import CombinationShortlist, Plausible
from splc.types import Array
from tests.support.scaling_grids import along_axes, random_grid

SIGNED = np.array(list(itertools.product((8.0, 64.0, 512.0, 4096.0), (10.0, 20.0, 30.0, 40.0))))
P, N = SIGNED.T
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
    model = fit(SIGNED, (10 + 0.05 * N**2) * LEVELS)
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
    together = fit_many(SIGNED, values)
    x = along_axes(SIGNED)[::7]
    centers = np.array([model.predict(x) for model in together])
    bounds = intervals_of(together, x, centers, 0.9)
    for at, row in enumerate(values):
        alone = fit(SIGNED, row)
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
    exact = fit(SIGNED, 150 - 2 * N - 5 * np.log2(P))
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


GRID = np.array(list(itertools.product(*AXES[:2])))
CUBE = np.array(list(itertools.product(*AXES[:3])))


def smooth(points: Array, number: int, size: float, seed: int) -> Array:
    """Return random functions that neighbouring points have in common, shape (number, points)."""
    logs = np.log(points)
    logs = (logs - logs.min(axis=0)) / np.ptp(logs, axis=0)
    squares = ((logs[:, None] - logs[None]) ** 2).sum(axis=2)
    factor = np.linalg.cholesky(np.exp(-squares) + 1e-9 * np.eye(len(points)))
    return np.asarray(size * np.random.default_rng(seed).normal(size=(number, len(points))) @ factor.T)


def test_share_by_brute_force() -> None:
    """The share is the correlation of neighbours along all lines, less its standard error."""
    rng = np.random.default_rng(0)
    residuals = smooth(GRID, 1, 1.0, 3) + 0.3 * rng.uniform(-1, 1, (1, len(GRID)))
    pairs = [
        residuals[0, first] * residuals[0, second]
        for at in range(2)
        for row in lines(GRID, at)
        for first, second in itertools.pairwise(row)
    ]
    expected = np.mean(pairs) / np.mean(residuals**2) - 1 / np.sqrt(len(pairs))
    assert shared(GRID, residuals)[0] == pytest.approx(expected)
    # An outlier changes little.
    residuals[0, 7] = 1e6
    assert shared(GRID, residuals)[0] > 0.1


def test_share_of_noise_and_of_misfit() -> None:
    """Independent noise rarely has anything in common, a misfit mostly has; scattered points and zeros have nothing."""
    noise = np.random.default_rng(1).normal(size=(400, len(CUBE)))
    assert np.mean(shared(CUBE, noise) > 0.1) < 0.05
    assert np.mean(shared(CUBE, smooth(CUBE, 400, 1.0, 2)) > 0.5) > 0.8
    scattered = np.array([[1.0, 2.0], [2.0, 5.0], [4.0, 3.0]])
    assert shared(scattered, noise[:1, :3]).tolist() == [0.0]
    assert shared(GRID, np.zeros((1, len(GRID)))).tolist() == [0.0]


def test_sizes_grow_with_the_distance_from_the_largest_values() -> None:
    """The size is 1 at the largest values, and grows to both sides; without a misfit it is 1."""
    x = np.array([GRID.max(axis=0), GRID.min(axis=0), 2 * GRID.max(axis=0)])
    found = sizes(GRID, x, np.array([0.0, 0.5]))
    assert found[0].tolist() == [1.0, 1.0, 1.0]
    assert found[1, 0] == 1.0
    assert found[1, 1] > found[1, 2] > 1.0
    # A parameter may be 0.
    zero = np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 1.0]])
    assert np.isfinite(sizes(zero, zero, np.array([1.0]))).all()


def test_growth_that_residuals_show() -> None:
    """The growth of residuals that grow as assumed is found again."""
    residuals = 0.02 * sizes(GRID, GRID, np.array([0.6]), 2.0)[0]
    assert growth_shown(GRID, 0.6, residuals, 0.02) == pytest.approx(2.0, abs=0.3)
    assert growth_shown(GRID, 0.6, 0.02 * np.ones(len(GRID)), 0.02) == 0.0


def test_predictions_of_functions_with_a_misfit() -> None:
    """Functions that no hypothesis fits are predicted from the points near the largest values."""
    p, d, g = CUBE.T
    truth = 8.51 + 0.11 * p ** (1 / 3) * d * g**0.8
    # The smallest values are three times as large as those of the function.
    away = (1 - np.log(CUBE / CUBE.min(axis=0)) / np.log(CUBE.max(axis=0) / CUBE.min(axis=0))).mean(axis=1)
    y = truth * (1 + 2 * away**4)
    target = np.array([[256.0, 12.0, 192.0]])
    expected = 8.51 + 0.11 * 256 ** (1 / 3) * 12 * 192**0.8
    noise = 1 + 0.01 * np.random.default_rng(4).normal(size=(len(CUBE), 4))
    model = fit(CUBE, y[:, None] * noise)
    assert model.predict(target)[0] == pytest.approx(expected, rel=0.05)
    assert any("neighbouring points are alike" in note for note in model.notes)
    alike = fit(CUBE, y[:, None] * noise, local=False)
    assert abs(alike.predict(target)[0] / expected - 1) > 0.08
    assert not any("neighbouring" in note for note in alike.notes)
    low, high = model.interval(target)
    assert low[0] < expected < high[0]
    # Few points count for the noise near the largest values.
    assert model.uncertainty is not None
    assert alike.uncertainty is not None
    assert model.uncertainty.plausible.freedoms[0] < alike.uncertainty.plausible.freedoms[0] / 2


def test_intervals_need_no_search() -> None:
    """Models keep their plausible hypotheses in some kilobytes, and intervals are those after a new search."""
    rng = np.random.default_rng(5)
    p, d, g = CUBE.T
    values = np.array([5 + 0.2 * p * d, 1 + 0.01 * p * d * g, np.full(len(p), 3.0)])
    measured = values[:, :, None] * (1 + 0.03 * rng.normal(size=(3, len(CUBE), 3)))
    models = fit_many(CUBE, measured)
    target = np.array([[256.0, 20.0, 320.0]])
    kept = [each.uncertainty for each in models if each.uncertainty is not None]
    before = [replace(each, shortlist=None).interval(target, np.ones(1), 0.9) for each in kept]
    several = [each.shortlist for each in kept if isinstance(each.shortlist, CombinationShortlist)]
    assert len(several) >= 2
    assert all(len(pickle.dumps(each)) < 6000 for each in several)
    again = pickle.loads(pickle.dumps(kept))  # noqa: S301
    for each, expected in zip([*kept, *again], [*before, *before], strict=True):
        assert np.ravel(each.interval(target, np.ones(1), 0.9)) == pytest.approx(np.ravel(expected), rel=1e-5)


FEW = layout(4, "star + few")
FAR = np.array([[2 * axis[-1] for axis in AXES]])


def measured(values: Array, seed: int) -> Array:
    """Return four repetitions with 2 % noise."""
    return np.asarray(values[:, None] * (1 + 0.02 * np.random.default_rng(seed).normal(size=(len(values), 4))))


def test_coefficients_of_hidden_products_by_least_squares() -> None:
    """The others fit what a hidden product leaves; its coefficient is at most 1.64 standard errors from the best."""
    rng = np.random.default_rng(2)
    designs = rng.uniform(1, 2, (1, 2, 12)) * np.ones((40, 1, 1))
    hidden = rng.uniform(1, 2, (40, 12))
    z = designs[0].T @ [5.0, 3.0] + 0.1 * rng.normal(size=12)
    _, known, factors = triangular(designs, np.repeat(z[None], 40, axis=0))
    errors, places = np.full(40, 0.1), np.zeros(40)
    others, size = with_hidden(designs, (known, factors), errors, hidden, z, places)
    assert (size > 0).sum() > 20
    for at in range(40):
        expected = np.linalg.lstsq(designs[at].T, z - size[at] * hidden[at], rcond=None)[0]
        assert others[at] == pytest.approx(expected)
        whole = np.column_stack([designs[at].T, hidden[at]])
        best = np.linalg.lstsq(whole, z, rcond=None)[0][-1]
        error = 0.1 * np.sqrt(np.linalg.inv(whole.T @ whole)[-1, -1])
        assert size[at] == pytest.approx(max(best + 1.64 * error, 0.0))
    # Two decades less at the other end.
    assert with_hidden(designs, (known, factors), errors, hidden, z, places + 1)[1] == pytest.approx(size / 100)


def test_hidden_products_leave_the_others_positive() -> None:
    """A product that is a sum of the columns on all points is as large as the others allow."""
    x = np.arange(1.0, 9.0)
    designs = np.array([[np.ones(8), x]])
    z = 2 + 3 * x
    _, known, factors = triangular(designs, z[None])
    others, size = with_hidden(designs, (known, factors), np.zeros(1), 1 + x[None], z, np.zeros(1))
    assert size == pytest.approx([2.0])
    assert others[0] == pytest.approx([0.0, 1.0], abs=1e-9)


def test_hidden_products_of_few_points_only() -> None:
    """Products are drawn for few points of three or more parameters, other than those that hypotheses have."""
    terms, products = np.zeros((2, 4), dtype=int), np.array([[0, 15], [0, 1]])
    drawn = hidden_products(parameter_terms(FEW), terms, products, np.zeros(2), len(FEW))
    assert drawn is not None
    assert not ((drawn.masks == 15) & (drawn.rows == 0)).any()
    assert {int(mask).bit_count() for mask in drawn.masks} == {2, 3, 4}
    assert not (drawn.masks & (drawn.masks - 1) == 0).any()
    # The terms of parameters with an effect are those of the hypothesis.
    assert (drawn.terms[drawn.rows == 0] == 0).all()
    assert (drawn.terms[drawn.rows == 1, 0] == 0).all()
    assert len(np.unique(drawn.terms[drawn.rows == 1, 1])) > 10
    # Only ratios of weights count, however likely or unlikely all hypotheses are.
    for shift in (-2000.0, 2000.0):
        again = hidden_products(parameter_terms(FEW), terms, products, np.zeros(2) + shift, len(FEW))
        assert again is not None
        np.testing.assert_array_equal(again.rows, drawn.rows)
    grid = layout(4, "grid")
    assert hidden_products(parameter_terms(grid), terms, products, np.zeros(2), len(grid)) is None
    pair = np.array(list(itertools.product((1.0, 2.0, 4.0), (1.0, 2.0))))
    assert hidden_products(parameter_terms(pair), terms[:, :2], products % 4, np.zeros(2), len(pair)) is None


def test_intervals_contain_products_that_cheap_points_hide() -> None:
    """Intervals contain a product of parameters whose lines show little of it."""
    first, second, third, fourth = FEW.T
    values = 30 + 0.4 * first ** (5 / 4) * np.log2(first) ** 2 + 3e-4 * second**2 * third * fourth
    far = 30 + 0.4 * 256 ** (5 / 4) * 64 + 3e-4 * 20.0**2 * 320 * 100
    model = fit(FEW, measured(values, 5))
    low, high = model.interval(FAR)
    assert low[0] <= far <= high[0]
    uncertainty = model.uncertainty
    assert uncertainty is not None
    found: Plausible = uncertainty.plausible
    assert 0 < found.hidden < len(found.log_weights)
    assert np.isfinite(found.predictions(FAR)[0]).all()


STAR = CUBE[(CUBE.min(axis=0) < CUBE).sum(axis=1) <= 1]
FAR_OUT = [[256.0, 20.0, 320.0]]


def test_product_hidden_at_cheap_points() -> None:
    """A product that the lines through the smallest values hardly show has a wide interval, and a note."""

    def function(x: Array) -> Array:
        return np.asarray(1 + 1e-9 * x[:, 0] ** 2 * x[:, 1] ** 2 * x[:, 2])

    rng = np.random.default_rng(3)
    measured = function(STAR)[:, None] * (1 + 0.02 * rng.normal(size=(len(STAR), 4)))
    model = fit(STAR, measured, names=["p", "d", "g"])
    (low,), (high,) = model.interval(FAR_OUT)
    assert low <= function(np.array(FAR_OUT))[0] <= high
    assert high > 2 * low
    hidden = [note for note in model.notes if "no effect on its only line" in note]
    unused = [name for at, name in enumerate("pdg") if all(term[at].is_constant for term in model.terms)]
    assert [note[0] for note in hidden] == unused != []


def test_single_effect_on_a_star() -> None:
    """The interval of a model with one of three parameters allows for effects of the others that a star hides."""
    rng = np.random.default_rng(1)
    y = (5 + STAR[:, 0])[:, None] * (1 + 0.02 * rng.normal(size=(len(STAR), 4)))
    model = fit(STAR, y, names=["p", "d", "g"])
    assert set(model.lead) == {"p"}
    dense = fit(CUBE, (5 + CUBE[:, 0])[:, None] * (1 + 0.02 * rng.normal(size=(len(CUBE), 4))), names=["p", "d", "g"])
    widths = [np.subtract(*each.interval(FAR_OUT)[::-1])[0] for each in (model, dense)]
    assert widths[0] > 3 * widths[1]
    assert not any("only line" in note for note in dense.notes)
    assert sum("only line" in note for note in model.notes) == 2


def test_noise_common_to_a_point() -> None:
    """Most 90 % intervals hold although repetitions show an eighth of the noise."""
    scores = evaluate_several(2, "grid", "product", "common to a point", number=30, seed=5)
    assert all(score.covered is not None and score.covered >= 80 for score in scores)


@pytest.mark.parametrize(("value", "number"), [(0.0, 1), (3.0, 1), (2.0, 30)])
def test_constant_parameters_change_nothing(value: float, number: int) -> None:
    """Parameters that have one value at all points, also 0, leave model and interval as they are without them."""
    points = np.array([(p, n) for p in (1, 2, 4, 8) for n in (1, 2, 3)], dtype=float)
    y = (10 + points.prod(axis=1)) * (1 + 0.05 * np.random.default_rng(0).standard_normal(len(points)))
    alone = fit(points, y, names=["p", "n"])
    names = [f"c{at}" for at in range(number)]
    both = fit(np.insert(points, [1] * number, value, axis=1), y, names=["p", *names, "n"])
    assert str(both) == str(alone)
    for x in ([[16.0, 3.0]], [[16.0, 3.0], [2.0, 9.0]]):
        found = both.interval(np.insert(x, [1] * number, value, axis=1))
        np.testing.assert_allclose(found, alone.interval(x), rtol=1e-9)
