"""Models of several parameters: the search, published models, and terms and predictions that are plausible."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casestudies.scaling_evaluation.several_functions import AXES as BROAD_AXES
from casestudies.scaling_evaluation.sparse_functions import AXES, cheapest_first, functions
from splc.formats.experiments.read import read_experiment
from splc.scaling import fit, fit_many
from splc.scaling.data import condensed
from splc.scaling.multi.default import search
from splc.scaling.multi.extrap import all_combinations
from splc.scaling.multi.terms import combinations
from splc.scaling.selection import CombinationShortlist
from splc.types import Array
from tests.support import scaling_oracle as oracle
from tests.support.examples import examples
from tests.support.objects import present
from tests.support.real_data import real

GRID = np.array(list(itertools.product(AXES[0], AXES[1])))
CUBE = np.array(list(itertools.product(AXES[0], AXES[1], AXES[3])))
CROSS = np.flatnonzero((GRID[:, 0] == 4) | (GRID[:, 1] == 10))
OF_TWO = [each for each in combinations(2) if each.active == 3]


def product(mask: int, x: Any) -> Any:
    """Return the values of a product of the parameters' terms: p^(3/2), n log2(n) and g^2."""
    parts = [x[:, 0] ** 1.5, x[:, 1] * np.log2(x[:, 1]), x[:, 2] ** 2 if x.shape[1] > 2 else 1.0]
    return np.prod([np.broadcast_to(each, len(x)) for at, each in enumerate(parts) if mask >> at & 1], axis=0)


def exact(products: tuple[int, ...], x: Any, constant: float) -> Any:
    """Return the values of a function without noise whose products contribute alike at the largest measured point."""
    largest = GRID.max(axis=0, keepdims=True) if x.shape[1] == 2 else CUBE.max(axis=0, keepdims=True)
    parts = [(2 + at) * product(mask, x) / product(mask, largest) for at, mask in enumerate(products)]
    return constant + np.sum(parts, axis=0)


def masks(model: Any) -> set[int]:
    """Return the parameters of each term of a model as bit masks, without the constant."""
    found = {sum(1 << at for at, each in enumerate(term) if not each.is_constant) for term in model.terms}
    return found - {0}


@pytest.mark.parametrize("constant", [0.0, 0.5])
@pytest.mark.parametrize("each", OF_TWO, ids=lambda each: str(each.products))
def test_every_combination_of_two_parameters_is_found_from_a_grid(each: Any, constant: float) -> None:
    """Without noise the model is the function, for every combination of both parameters."""
    x = GRID
    model = fit(x, exact(each.products, x, constant))
    assert masks(model) == set(each.products)
    beyond = np.array([[128.0, 60.0], [1000.0, 11.0]])
    assert model.predict(beyond) == pytest.approx(exact(each.products, beyond, constant), rel=1e-9)


NOISY = (50 + 3 * GRID[:, 0] * GRID[:, 1])[:, None] * (1 + np.random.default_rng(0).uniform(-0.05, 0.05, (25, 4)))


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_the_order_of_parameters_does_not_matter(order: tuple[int, ...]) -> None:
    """Columns in another order, with their names, give the same function."""
    y = 5 + CUBE[:, 0] * CUBE[:, 1] + 0.1 * CUBE[:, 2] ** 2 * CUBE[:, 0]
    y = y * (1 + np.random.default_rng(5).uniform(-0.02, 0.02, len(y)))
    names = ["p", "n", "g"]
    one, other = fit(CUBE, y, names=names), fit(CUBE[:, order], y, names=[names[at] for at in order])
    assert {frozenset(each.items()) for each in (one.lead, other.lead)} == {frozenset(one.lead.items())}
    assert other.predict(CUBE[:, order]) == pytest.approx(one.predict(CUBE), rel=1e-9)


@examples(10)
@given(st.floats(-150, 150))
def test_the_unit_does_not_matter(decades: float) -> None:
    """Values in another unit give the same terms, and coefficients in that unit."""
    factor = 10**decades
    one, other = fit(GRID, NOISY), fit(GRID, NOISY * factor)
    assert other.terms == one.terms
    assert np.array(other.coefficients) == pytest.approx(np.array(one.coefficients) * factor, rel=1e-6)


def test_many_models_are_those_of_each_quantity_alone() -> None:
    """Models of many quantities, some with missing values, are those of each alone."""
    values = np.array([NOISY, NOISY[::-1], np.sqrt(NOISY), NOISY.mean() + 0 * NOISY])
    values[1, 3] = np.nan
    values[2, 4, 1] = np.nan
    many = fit_many(GRID, values)
    for model, own in zip(many, values, strict=True):
        alone = fit(GRID, own)
        assert model.terms == alone.terms
        assert model.coefficients == pytest.approx(alone.coefficients)
        assert [note for note in model.notes if "missing" not in note] == [
            note for note in alone.notes if "missing" not in note
        ]
    assert many[1].points == 24


def test_intervals_hold_what_was_not_measured() -> None:
    """Most 90 % intervals at the next point hold a new measurement; they widen with the distance and the level."""
    rng = np.random.default_rng([3, 2])
    drawn = functions(2, 60, rng)
    rows = np.sort(cheapest_first(drawn.points, drawn.points[:, 0])[:11])
    noisy = drawn.values[:, :, None] * (1 + rng.uniform(-0.05, 0.05, (60, 25, 4)))
    models = fit_many(drawn.points[rows], noisy[:, rows])
    new = drawn.next * (1 + rng.uniform(-0.05, 0.05, 60))
    bounds = [model.interval([[128, 60]]) for model in models]
    held = np.mean([low[0] <= value <= high[0] for (low, high), value in zip(bounds, new, strict=True)])
    assert held > 0.75
    low, high = models[0].interval([[16, 30], [1280, 600]])
    assert high[1] - low[1] > high[0] - low[0]
    wide_low, wide_high = models[0].interval([[16, 30]], level=0.99)
    assert wide_low[0] < low[0]
    assert wide_high[0] > high[0]
    assert models[0].distance([[128, 60], [16, 30]]).tolist() == [2.0, 1.0]


EXTRAP_AXES = ([4.0, 8.0, 16.0, 32.0, 64.0], [10.0, 20.0, 30.0, 40.0, 50.0], [1.0, 2.0, 3.0, 4.0, 5.0])
FULL_CUBE = np.array(list(itertools.product(*EXTRAP_AXES)))
LINES = GRID[(GRID[:, 0] == 4) | (GRID[:, 1] == 10) | ((GRID[:, 0] == 64) & (GRID[:, 1] == 50))]
STAIRS = np.array([(2.0 ** (i + 1), 10.0 * (j + 1)) for i in range(7) for j in range(i, i + 5)])


def noisy(points: Array, models: int, seed: int) -> Array:
    """Return noisy values of random sums of random products, shape (models, n)."""
    rng = np.random.default_rng(seed)
    powers, logs = rng.integers(0, 4, (2, models, points.shape[1]))
    factors = points ** powers[:, None] * np.log2(points) ** (logs[:, None] % 3)
    pieces = np.where(rng.random((models, 1)) < 0.5, factors.prod(axis=2), factors.sum(axis=2))
    values = 10 ** rng.uniform(0, 2, (models, 1)) + pieces
    return np.asarray(values * (1 + rng.uniform(-0.03, 0.03, values.shape)))


@pytest.mark.parametrize("method", ["basic", "refinement"])
@pytest.mark.parametrize("points", [GRID, LINES, STAIRS, FULL_CUBE], ids=["grid", "cross", "stairs", "cube"])
def test_models_are_those_of_a_plain_implementation(points: Array, method: str) -> None:
    """Almost all models are the same; the others differ where two hypotheses fit equally."""
    values = noisy(points, 6, len(points))
    found = fit_many(points, values, method=method)
    plain = [oracle.predicted(points, y, method) for y in values]
    same = [np.allclose(each.predict(points), fitted, rtol=1e-6) for each, fitted in zip(found, plain, strict=True)]
    assert np.mean(same) >= 0.9


def test_combinations() -> None:
    """There are 4 combinations of two terms, 23 of three, and a product and a sum of more (Extra-P 4.2.5)."""
    assert [len(set(all_combinations(number))) for number in (1, 2, 3, 4)] == [1, 4, 23, 2]
    names = {",".join(sorted(each.split("+"))) for each in oracle.COMBINATIONS[3].split(", ")}
    assert {
        ",".join(sorted("".join("abc"[at] for at in some) for some in each)) for each in all_combinations(3)
    } == names


@pytest.mark.real_data
def test_published_model() -> None:
    """Extra-P's own test data have the model that its manual shows: 1.374 + 6.698 * log2(y) + …."""
    experiment = read_experiment(real("extrap_formats", "text", "two_parameter_1.txt"))
    (values,) = experiment.series.values()
    model = fit(experiment.points, values, method="basic", names=["x", "y"])
    assert {"1.374", "6.698"} < {f"{each:.4g}" for each in model.coefficients}


STAR = np.flatnonzero((CUBE.min(axis=0) == CUBE).sum(axis=1) >= 2)


# Without a visible constant, hypotheses with and without one are plausible.
@pytest.mark.parametrize(
    ("x", "rows", "constant"),
    [
        (GRID, CROSS, 20),
        (GRID, np.arange(25), 20),
        (GRID, np.arange(25), 0),
        pytest.param(CUBE, STAR, 20, marks=pytest.mark.slow),
    ],
)
def test_the_search_agrees_with_one_least_squares_fit_after_the_other(x: Any, rows: Any, constant: float) -> None:
    """The weights and coefficients of hypotheses are those of `lstsq` for each of them, the best one first."""
    rng = np.random.default_rng(8)
    x = x[rows]
    values = (constant + 0.3 * x[:, 0] * np.sqrt(x[:, 1]))[:, None] * (1 + rng.uniform(-0.05, 0.05, (len(x), 4)))
    weigh = oracle.hypothesis_weights(x, values)
    _, found, _ = search(x, condensed(values[None], "mean"), None)
    shifts = []
    for at in range(min(300, len(found.model))):
        size = int(found.sizes[at])
        weight, coefficients = weigh(found.terms[at].tolist(), found.products[at, :size].tolist())
        shifts.append(found.log_weights[at] - weight)
        assert found.coefficients[at, :size] == pytest.approx(coefficients, rel=1e-6)
    assert len(shifts) >= 10
    assert shifts == pytest.approx([shifts[0]] * len(shifts), abs=1e-6)
    assert found.log_weights[0] == found.log_weights.max()


_POWERS = (0.0, 0.25, 1 / 3, 0.5, 2 / 3, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0)
_TERMS = (
    *((power, log) for power in _POWERS for log in (0, 1, 2) if power or log),
    *((-0.5, 0), (-1.0, 0), (-1.0, 1), (-2.0, 0)),
)


def random_grid(seed: int) -> tuple[Array, Array]:
    """Return the points of a grid, shape (n, parameters), and positive values, shape (n, repetitions)."""
    rng = np.random.default_rng(seed)
    parameters = int(rng.choice([2, 3], p=[0.75, 0.25]))
    axes = [_axis(rng, int(rng.integers(3, 7 if parameters == 2 else 5))) for _ in range(parameters)]
    points = np.array(list(itertools.product(*axes)))
    terms = [_term(rng, values) for values in points.T]
    kind = int(rng.integers(4))
    constant = float(rng.choice([0, 0.01, 0.1, 1]))
    shares = rng.dirichlet(np.ones(parameters))
    if kind == 0:
        values = constant + sum(share * term for share, term in zip(shares, terms, strict=True))
    elif kind == 1:
        values = constant + np.prod(terms, axis=0)
    elif kind == 2:
        values = (constant + terms[0]) * (constant + 0.1 + np.prod(terms[1:], axis=0))
    else:
        values = constant + 0.1 + terms[int(rng.integers(parameters))]
    values = np.maximum(values, 1e-6)
    for column in points.T:
        size = float(rng.choice([0, 0.01, 0.05, 0.1]))
        levels, which = np.unique(column, return_inverse=True)
        values = values * np.exp(size * rng.normal(size=len(levels)))[which.ravel()]
    repetitions = int(rng.choice([1, 1, 3]))
    noise = float(rng.choice([0, 0.01, 0.05, 0.2]))
    unit = 10 ** rng.uniform(-3, 4)
    return points, unit * values[:, None] * np.exp(noise * rng.normal(size=(len(points), repetitions)))


def along_axes(points: Array, factors: tuple[float, ...] = (2.0, 4.0, 8.0)) -> Array:
    """Return points with one value at a time replaced by factors of itself and of the largest one, and 8 × all."""
    found = [8 * points.max(axis=0, keepdims=True)]
    for at in range(points.shape[1]):
        for factor in factors:
            for size in (points[:, at], points[:, at].max()):
                further = points.copy()
                further[:, at] = factor * size
                found.append(further)
    return np.unique(np.vstack(found), axis=0)


def _axis(rng: np.random.Generator, number: int) -> Array:
    start = float(rng.choice([1, 2, 4, 8, 10, 16, 32, 100]))
    if rng.random() < 0.5:
        return np.asarray(start * float(rng.choice([2, 4, 8])) ** np.arange(number))
    return np.asarray(start * (1 + np.arange(number)))


def _term(rng: np.random.Generator, values: Array) -> Array:
    """Return the values of a random term, the largest being 1."""
    power, log = _TERMS[rng.integers(len(_TERMS))]
    found = values**power * np.log2(values) ** log
    return np.asarray(found / found.max() if found.max() > 0 else np.ones(len(values)))


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


@pytest.mark.parametrize("seed", [41, 49, 64])
def test_a_measured_zero_is_not_negative_but_less_is(seed: int) -> None:
    """Quantities with a measured 0 have no negative predictions, those with a negative value may have some."""
    assert min(lowest(seed, 0.0)) >= 0
    assert lowest(seed, -1e-6)[0] < 0


WIDE_CUBE = np.array(list(itertools.product(*BROAD_AXES[:3])))


def test_predictions_of_functions_with_a_misfit() -> None:
    """Functions that no hypothesis fits are predicted from the points near the largest values."""
    p, d, g = WIDE_CUBE.T
    truth = 8.51 + 0.11 * p ** (1 / 3) * d * g**0.8
    # The smallest values are three times as large as those of the function.
    away = (1 - np.log(WIDE_CUBE / WIDE_CUBE.min(axis=0)) / np.log(WIDE_CUBE.max(axis=0) / WIDE_CUBE.min(axis=0))).mean(
        axis=1
    )
    y = truth * (1 + 2 * away**4)
    target = np.array([[256.0, 12.0, 192.0]])
    expected = 8.51 + 0.11 * 256 ** (1 / 3) * 12 * 192**0.8
    noise = 1 + 0.01 * np.random.default_rng(4).normal(size=(len(WIDE_CUBE), 4))
    model = fit(WIDE_CUBE, y[:, None] * noise)
    assert model.predict(target)[0] == pytest.approx(expected, rel=0.05)
    assert any("neighbouring points are alike" in note for note in model.notes)
    alike = fit(WIDE_CUBE, y[:, None] * noise, local=False)
    assert abs(alike.predict(target)[0] / expected - 1) > 0.08
    assert not any("neighbouring" in note for note in alike.notes)
    low, high = model.interval(target)
    assert low[0] < expected < high[0]
    # Few points count for the noise near the largest values.
    assert present(model.uncertainty).plausible.freedoms[0] < present(alike.uncertainty).plausible.freedoms[0] / 2


def test_intervals_need_no_search() -> None:
    """Models keep their plausible hypotheses in some kilobytes, and intervals are those after a new search."""
    rng = np.random.default_rng(5)
    p, d, g = WIDE_CUBE.T
    values = np.array([5 + 0.2 * p * d, 1 + 0.01 * p * d * g, np.full(len(p), 3.0)])
    measured = values[:, :, None] * (1 + 0.03 * rng.normal(size=(3, len(WIDE_CUBE), 3)))
    models = fit_many(WIDE_CUBE, measured)
    target = np.array([[256.0, 20.0, 320.0]])
    kept = [each.uncertainty for each in models if each.uncertainty is not None]
    before = [replace(each, shortlist=None).interval(target, np.ones(1), 0.9) for each in kept]
    several = [each.shortlist for each in kept if isinstance(each.shortlist, CombinationShortlist)]
    assert len(several) >= 2
    assert all(len(pickle.dumps(each)) < 6000 for each in several)
    again = pickle.loads(pickle.dumps(kept))  # noqa: S301
    for each, expected in zip([*kept, *again], [*before, *before], strict=True):
        assert np.ravel(each.interval(target, np.ones(1), 0.9)) == pytest.approx(np.ravel(expected), rel=1e-5)


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
