"""Models of several parameters: those of the default method, and those of Extra-P by oracles."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from casestudies.scaling_evaluation.sparse_functions import AXES, cheapest_first, functions
from splc.formats.experiments.read import read_experiment
from splc.scaling import fit, fit_many
from splc.scaling.multi.extrap import all_combinations
from splc.scaling.multi.terms import combinations
from splc.types import Array
from tests.support import extrap_oracle as oracle
from tests.support.examples import examples
from tests.support.real_data import real

GRID = np.array(list(itertools.product(AXES[0], AXES[1])))
CUBE = np.array(list(itertools.product(AXES[0], AXES[1], AXES[3])))
CROSS = np.flatnonzero((GRID[:, 0] == 4) | (GRID[:, 1] == 10))
STAR = np.flatnonzero((CUBE.min(axis=0) == CUBE).sum(axis=1) >= 2)
OF_TWO = [each for each in combinations(2) if each.active == 3]
OF_THREE = [each for each in combinations(3) if each.active == 7]


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


@pytest.mark.parametrize("each", OF_THREE, ids=lambda each: str(each.products))
def test_every_combination_of_three_parameters_is_found_from_a_grid(each: Any) -> None:
    """Without noise the model is the function, for every combination of three parameters."""
    model = fit(CUBE, exact(each.products, CUBE, 0.5))
    assert masks(model) == set(each.products)
    assert model.smape < 1e-9
    assert model.certainty is not None
    assert model.certainty > 0.9


@pytest.mark.parametrize("products", [(3,), (1, 2)])
def test_one_point_off_a_cross_tells_a_sum_from_a_product(products: tuple[int, ...]) -> None:
    """On a pure cross a note names both parameters and a point to measure; with one more point both are found."""
    y = exact(products, GRID, 0.5)
    pure = fit(GRID[CROSS], y[CROSS], names=["p", "n"])
    (note,) = [note for note in pure.notes if "cannot be told apart" in note]
    assert "p and n" in note
    assert note.endswith("measure one point off the cross, such as p = 8 and n = 20")
    assert pure.smape < 1e-9
    rows = np.append(CROSS, 12)
    model = fit(GRID[rows], y[rows], names=["p", "n"])
    assert masks(model) == set(products)
    assert not any("cannot be told apart" in note for note in model.notes)


def test_parameters_without_effect_are_left_out() -> None:
    """A constant has no parameters; a function of one of three parameters has this one, with both terms."""
    assert fit(CUBE, np.full(len(CUBE), 3.0)).text == "3"
    assert fit(CUBE, 0 * CUBE[:, 0]).text == "0"
    model = fit(CUBE, 1 + CUBE[:, 1] + 3 * CUBE[:, 1] ** 2, names=["p", "n", "g"])
    assert model.text == "1 + 1 * n + 3 * n^2"
    assert model.names == ("p", "n", "g")
    assert model.predict([[1, 2, 3], [7, 2, 9]]) == pytest.approx([15, 15])
    assert model.points == len(CUBE)
    lower, upper = model.interval([[1, 2, 3]])
    assert lower == pytest.approx([15]) == upper


def test_one_varying_parameter_of_two_is_modelled_alone() -> None:
    """A parameter with one value is noted as unknown, and the other one has its model."""
    x = np.column_stack([np.full(5, 8.0), AXES[0]])
    model = fit(x, 2 + 3 * x[:, 1], names=["threads", "p"])
    assert model.text == "2 + 3 * p"
    assert model.notes == ("only one value of threads was measured: nothing is known about how it scales",)
    assert model.ranges == ((8.0, 8.0), (4.0, 64.0))


def test_scattered_points_are_enough_without_noise() -> None:
    """Scattered points give the function, and notes on missing lines."""
    x = np.exp(np.random.default_rng(1).uniform(0, 5, (40, 3)))
    model = fit(x, 3 + x[:, 0] * np.sqrt(x[:, 1]) + 0.3 * x[:, 2] ** 2)
    assert masks(model) == {3, 4}
    assert model.smape < 1e-6
    assert sum("no two points differ" in note for note in model.notes) == 3


def test_falling_parameters_get_negative_powers() -> None:
    """Work that is shared among p processes falls with p; without negative powers it has none."""
    y = 100 * GRID[:, 1] / GRID[:, 0] + 3
    model = fit(GRID, y, names=["p", "n"])
    assert model.text == "3 + 100 * p^-1 * n"
    assert "values fall as p grows, so that negative powers were searched" in model.notes
    rising = fit(GRID, y, strong_scaling=False)
    assert all(each.power >= 0 for term in rising.terms for each in term)


NOISY = (50 + 3 * GRID[:, 0] * GRID[:, 1])[:, None] * (1 + np.random.default_rng(0).uniform(-0.05, 0.05, (25, 4)))


@examples(8)
@given(st.permutations(range(25)))
def test_the_order_of_points_does_not_matter(order: list[int]) -> None:
    """The same points in another order give the same model, to the last bit."""
    assert fit(GRID[order], NOISY[order]) == fit(GRID, NOISY)


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


@pytest.mark.parametrize("values", [(1e-12, 1e-12), (1e12, 1e70)])
def test_extreme_values_are_modelled(values: tuple[float, float]) -> None:
    """Tiny and huge values give finite models."""
    small, large = values
    model = fit(GRID, np.where(GRID[:, 0] > 16, large, small) * GRID[:, 1])
    assert np.isfinite(model.coefficients).all()
    assert np.isfinite(model.predict(GRID)).all()


def test_zeros_in_parameters_and_values() -> None:
    """Parameters that begin at 0 or 1, where logarithms are not defined or 0, and values of 0 give a model."""
    x = np.array(list(itertools.product([0, 1, 2, 3, 4], [1, 2, 4, 8, 16])), dtype=float)
    assert fit(x, 3 * x[:, 0] * x[:, 1], names=["a", "b"]).text == "3 * a * b"
    cross = (x[:, 0] == 0) | (x[:, 1] == 1)
    assert fit(x[cross], (1 + x[:, 0] + np.log2(x[:, 1]))[cross]).smape < 1e-6


@pytest.mark.parametrize("points", [1, 2, 3, 4])
def test_very_few_points_give_a_model_with_caveats(points: int) -> None:
    """One to four points give a finite model with notes."""
    model = fit(GRID[:points, ::-1], NOISY[:points], names=["n", "p"])
    assert np.isfinite(model.predict([[10, 4]])).all()
    assert model.notes


@pytest.mark.parametrize("number", [20, pytest.param(50, marks=pytest.mark.slow)])
def test_noise_alone_has_no_effects(number: int) -> None:
    """Of constants, and of functions of one parameter, at most one in ten gets a parameter that has no effect."""
    rng = np.random.default_rng(4)
    shape = (number, len(CUBE), 4)
    constants = 7 * (1 + rng.uniform(-0.05, 0.05, shape))
    ones = (5 + 3 * CUBE[:, 0])[None, :, None] * (1 + rng.uniform(-0.05, 0.05, shape))
    assert sum(masks(model) == set() for model in fit_many(CUBE, constants)) >= 0.9 * number
    assert sum(masks(model) == {1} for model in fit_many(CUBE, ones)) >= 0.9 * number


def test_points_that_differ_in_some_parameters_only() -> None:
    """Points without a line in two parameters, of which a third one has a single value, have a model."""
    points = np.array([[16.0, 30.0, 3000.0], [64.0, 50.0, 3000.0]])
    model = fit(points, [[100.0, 101.0], [300.0, 302.0]])
    assert model.predict(points) == pytest.approx([100.5, 301], rel=0.6)


@pytest.mark.parametrize("at", [0, 1])
def test_a_single_line_shows_that_values_fall(at: int) -> None:
    """On a cross each parameter has one line; the one along which values fall gets a negative power."""
    cross = GRID[CROSS]
    model = fit(cross, 3 + 100 / cross[:, at] + cross[:, 1 - at])
    powers = {each.power for term in model.terms for each in (term[at],) if not each.is_constant}
    assert powers == {-1}
    assert all(term[1 - at].power >= 0 for term in model.terms)


@pytest.mark.parametrize("parameters", [3, 4])
def test_a_product_of_all_beside_a_sum_of_all(parameters: int) -> None:
    """The effects of all parameters and their product are found, also where another parameter has one value."""
    x = np.array(list(itertools.product(*[(2.0, 4.0, 8.0), (1.0, 2.0, 3.0), (10.0, 20.0, 30.0), (1.0, 4.0, 16.0)])))
    used = x[:, :parameters]
    x[:, parameters:] = 5.0
    values = 1 + used.sum(axis=1) + used.prod(axis=1) / 30
    noise = 1 + 0.01 * np.random.default_rng(0).normal(size=(len(x), 2))
    rows = np.unique(used, axis=0, return_index=True)[1]
    model = fit(x[rows], values[rows, None] * noise[rows])
    used, x = 4 * used, np.hstack([4 * x[:, :parameters], x[:, parameters:]])
    assert model.predict(x) == pytest.approx(1 + used.sum(axis=1) + used.prod(axis=1) / 30, rel=0.03)


def test_rounding_errors_are_no_misfit() -> None:
    """Exact values have no caveat about residuals of neighbouring points, and narrow intervals."""
    model = fit(GRID, GRID.prod(axis=1) + 7)
    assert model.smape < 1e-9
    assert not [note for note in model.notes if "neighbouring" in note]
    lower, upper = model.interval([[64.0, 100.0]])
    assert 6406 < lower[0] <= upper[0] < 6408


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


@pytest.mark.parametrize("method", ["basic", "refinement", "extrap"])
def test_known_functions(method: str) -> None:
    """Sums and products without noise are found, and a quantity without effects is a constant."""
    p, n = GRID.T
    known = {
        "3 + 2*x1*x2^2": 3 + 2 * p * n**2,
        "3 + 2*x1 + x2^2": 3 + 2 * p + n**2,
        "5 + x2^2": 5 + n**2,
        "7": 0 * p + 7,
    }
    for text, y in known.items():
        model = fit(GRID, y, method=method)
        np.testing.assert_allclose(model.predict(GRID), y, rtol=1e-9, err_msg=text)
        expected = 1 if text == "7" else text.count("+") + 1
        assert len(model.terms) == expected, text
    assert fit(GRID, np.zeros(25), method=method).text == "0"


def test_small_contributions() -> None:
    """A term that contributes less than 0.05 % of all values is no part of a model."""
    exact = 3 + 2 * GRID[:, 0] * GRID[:, 1] ** 2
    model = fit(GRID, exact * (1 + 1e-5 * np.random.default_rng(0).normal(size=25)), method="basic")
    assert list(model.lead) == ["x1", "x2"]
    assert len(model.terms) == 2


def test_combinations() -> None:
    """There are 4 combinations of two terms, 23 of three, and a product and a sum of more (Extra-P 4.2.5)."""
    assert [len(set(all_combinations(number))) for number in (1, 2, 3, 4)] == [1, 4, 23, 2]
    names = {",".join(sorted(each.split("+"))) for each in oracle.COMBINATIONS[3].split(", ")}
    assert {
        ",".join(sorted("".join("abc"[at] for at in some) for some in each)) for each in all_combinations(3)
    } == names


def test_logarithms_of_zero() -> None:
    """A term that is not defined at all points has no part in the model."""
    points = np.array([(x, 1.0) for x in (2.0, 4.0, 8.0, 16.0)] + [(0.0, 2.0), (2.0, 4.0), (0.0, 8.0)])
    y = np.array([1.0, 2.0, 3.0, 4.0, 0.5, 1.0, 0.5])
    assert np.isfinite(fit(points, y, method="basic").predict(points)).all()


@pytest.mark.real_data
def test_published_model() -> None:
    """Extra-P's own test data have the model that its manual shows: 1.374 + 6.698 * log2(y) + …."""
    experiment = read_experiment(real("extrap_formats", "text", "two_parameter_1.txt"))
    (values,) = experiment.series.values()
    model = fit(experiment.points, values, method="basic", names=["x", "y"])
    assert {"1.374", "6.698"} < {f"{each:.4g}" for each in model.coefficients}
