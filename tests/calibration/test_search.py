"""The search for parameters, and its bounded linear least squares."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.calibration import calibrate
from splc.calibration.search import dependence, solve
from splc.data.accuracy import mean_relative_error
from splc.models.parameters import Quantity
from splc.types import Array
from tests.support.calibration_problems import (
    ALL,
    BENCHMARKED,
    FREE,
    LINEAR,
    VALUES,
    Values,
    fitted,
    noisy,
    read,
    tabled,
)
from tests.support.examples import examples


@given(st.tuples(VALUES, VALUES, VALUES), st.tuples(VALUES, VALUES, VALUES), st.sampled_from(["relative", "absolute"]))
@examples(40)
def test_parameters_of_any_size_are_found_exactly(true: Any, benchmarked: Any, weights: Any) -> None:
    """Without noise, predictions are found whatever the sizes of the true and the benchmarked values are."""
    measured = read(LINEAR, dict(zip(FREE, true, strict=True))).predict(ALL)
    found = fitted(LINEAR, dict(zip(FREE, benchmarked, strict=True)), measured, FREE, weights=weights)
    assert found.linear
    predicted = found.model.predict(ALL)
    size = measured if weights == "relative" else measured.max()
    assert (np.abs(predicted - measured) <= 1e-11 * size).all()
    columns = np.array([read(LINEAR, {**dict.fromkeys(FREE, 0.0), name: 1.0}).predict(ALL) for name in FREE])
    for name, value, column in zip(FREE, true, columns, strict=True):
        # As exactly as rounding lets what the parameter contributes be seen beside the rest.
        assert np.abs((found[name].value - value) * column / size).max() <= 1e-10


@pytest.mark.parametrize(
    ("text", "benchmarked", "true", "linear"),
    [
        (LINEAR, BENCHMARKED, {"alpha": 6.6e-6, "beta": 4e-10, "f": 9e-10}, True),
        ("5 + f * nx", {"f": 1.0}, {"f": 3e-3}, True),
        ("alpha * beta * nx + alpha * px", {"alpha": 1e-6, "beta": 1e-3}, {"alpha": 3e-6, "beta": 7e-2}, False),
        (
            "(alpha + beta * nx) * (1 + f * px)",
            {"alpha": 1, "beta": 1, "f": 1},
            {"alpha": 9, "beta": 2, "f": 30},
            False,
        ),
        (
            "alpha * nx^gamma + beta",
            {"alpha": 1, "gamma": 1, "beta": 1},
            {"alpha": 3e-6, "gamma": 2.7, "beta": 2},
            False,
        ),
        ("log(1 + alpha * nx)", {"alpha": 1}, {"alpha": 2e-4}, False),
        ("f * log(1 + alpha * nx)", {"f": 1e-3, "alpha": 1e-5}, {"f": 2, "alpha": 3e-3}, False),
        ("alpha * nx / (px + beta)", {"alpha": 1, "beta": 1}, {"alpha": 0.25, "beta": 6}, False),
        ("sqrt(alpha * nx) + beta * px", {"alpha": 1, "beta": 1}, {"alpha": 4e-6, "beta": 3e-3}, False),
        ("alpha^2 * nx + beta^-1", {"alpha": 1, "beta": 1}, {"alpha": 5, "beta": 1e-4}, False),
        ("nx * log2(alpha)", {"alpha": 2}, {"alpha": 5}, False),
        ("alpha * 2^(beta * px)", {"alpha": 1, "beta": 1}, {"alpha": 7, "beta": 0.3}, False),
    ],
)
def test_true_values_are_found(text: str, benchmarked: Values, true: Values, linear: bool) -> None:
    """Without noise the true values are found, be the model linear, bilinear or neither, and errors are 0 then."""
    free = tuple(benchmarked)
    measured = read(text, true).predict(ALL)
    found = fitted(text, benchmarked, measured, free)
    assert found.linear is linear
    assert found.converged
    for name, value in true.items():
        estimate = found[name]
        assert estimate.value == pytest.approx(value, rel=1e-8)
        assert estimate.ratio == pytest.approx(value / benchmarked[name], rel=1e-8)
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.low <= estimate.value <= estimate.high
        assert estimate.high - estimate.low <= 1e-6 * value
    assert found.error_after == pytest.approx(0, abs=1e-7)
    assert found.error_before == pytest.approx(mean_relative_error(read(text, benchmarked).predict(ALL), measured))
    assert (found.undetermined, found.without_effect) == ((), ())


def least(matrix: Array, target: Array, low: Array, high: Array) -> tuple[float, Array]:
    """Return the least misfit within bounds and its solution, by trying every set of unknowns that are at a bound."""
    best, found = np.inf, low
    # Of columns with very different lengths, lstsq would count the shortest ones as 0.
    lengths = np.linalg.norm(matrix, axis=0)
    lengths[lengths == 0] = 1.0
    for at in itertools.product((-1, 0, 1), repeat=len(low)):
        side = np.array(at)
        x = np.where(side < 0, low, np.where(side > 0, high, 0.0))
        free = side == 0
        rest = target - matrix[:, ~free] @ x[~free]
        x[free] = np.linalg.lstsq(matrix[:, free] / lengths[free], rest, rcond=None)[0] / lengths[free]
        misfit = float(np.linalg.norm(matrix @ x - target))
        if ((low <= x) & (x <= high)).all() and misfit < best:
            best, found = misfit, x
    return best, found


@given(
    st.integers(1, 4).flatmap(
        lambda k: st.tuples(
            st.lists(st.lists(st.integers(-3, 3), min_size=k, max_size=k), min_size=k + 1, max_size=8),
            st.lists(st.tuples(st.integers(-2, 0), st.integers(1, 2)), min_size=k, max_size=k),
            st.lists(st.sampled_from([1e-11, 1e-4, 1.0, 1e6]), min_size=k, max_size=k),
        )
    ),
    st.integers(0, 2**20),
)
@examples(75)
def test_no_other_values_within_bounds_fit_better(problem: Any, seed: int) -> None:
    """Bounded least squares reaches the least misfit of all choices of which unknowns lie at which bound."""
    rows, bounds, sizes = problem
    units = np.array(sizes)
    matrix = np.array(rows, dtype=float) / units
    target = np.random.default_rng(seed).normal(size=len(rows))
    low, high = np.array(bounds, dtype=float).T * units
    x = solve(matrix, target, low, high, 0.5 * units)
    assert ((low <= x) & (x <= high)).all()
    assert np.linalg.norm(matrix @ x - target) <= least(matrix, target, low, high)[0] + 1e-5 * np.linalg.norm(target)


@given(st.sampled_from([1e-290, 1e-30, 1e-3, 1e6, 1e150, 1e280]), st.integers(0, 99))
@examples(20)
def test_the_unit_of_the_property_does_not_matter(factor: float, seed: int) -> None:
    """Measured in another unit, all parameters and intervals are larger by that factor, and errors the same."""
    measured = noisy(read(LINEAR, {"alpha": 3e-2, "beta": 7e-5, "f": 5e-7}).predict(ALL), 0.1, seed)
    ones = dict.fromkeys(FREE, 1.0)
    one, other = fitted(LINEAR, ones, measured, FREE), fitted(LINEAR, ones, measured * factor, FREE)
    assert other.error_after == pytest.approx(one.error_after, rel=1e-9)
    for name in FREE:
        assert other[name].value == pytest.approx(one[name].value * factor, rel=1e-7)
        assert other[name].at_bound == one[name].at_bound
        if one[name].low is not None:
            assert other[name].low == pytest.approx(one[name].low * factor, rel=1e-7)  # type: ignore[operator]
            assert other[name].high == pytest.approx(one[name].high * factor, rel=1e-7)  # type: ignore[operator]


@given(st.permutations(range(20)), st.permutations(FREE), st.sampled_from([LINEAR, "alpha * nx^beta + f * px"]))
@examples(10)
def test_neither_the_order_of_rows_nor_of_names_matters(rows: Any, names: Any, text: str) -> None:
    """Measurements in another order, or names in another order, give the same estimates and intervals."""
    true = {"alpha": 3e-2, "beta": 0.9, "f": 5e-2} if "^beta" in text else {"alpha": 3e-2, "beta": 7e-5, "f": 5e-7}
    measured = noisy(read(text, true).predict(ALL), 0.01)
    model = read(text, BENCHMARKED, FREE)
    one, other = calibrate(model, ALL, measured, FREE), calibrate(model, ALL[list(rows)], measured[list(rows)], names)
    for name in FREE:
        assert other[name].value == pytest.approx(one[name].value, rel=1e-6, abs=1e-12)
        assert other[name].low == pytest.approx(one[name].low, rel=1e-5, abs=1e-12)


@pytest.mark.parametrize("text", ["nx - alpha * px", "nx - alpha * px^gamma"])
def test_parameters_are_not_negative_unless_asked_for(text: str) -> None:
    """By default a parameter is at least 0; a negative benchmarked value or a bound lifts that, and f stays free."""
    measured = read(text, {"alpha": -3.0, "gamma": 1.0}).predict(ALL)
    free = ("alpha", "gamma")[: 1 + ("gamma" in text)]
    one = dict.fromkeys(free, 1.0)
    found = fitted(text, one, measured, free)
    assert (found["alpha"].value, found["alpha"].at_bound) == (0.0, "low")
    for values, bounds in ((one, {"alpha": (-math.inf, None)}), ({**one, "alpha": -1.0}, {})):
        assert fitted(text, values, measured, free, bounds=bounds)["alpha"].value == pytest.approx(-3)
    found = fitted(text, one, measured, free, bounds={"alpha": (None, -5.0)})
    assert (found["alpha"].value, found["alpha"].at_bound) == (-5.0, "high")


def test_values_that_do_not_count() -> None:
    """Missing values are left out, zeros only from relative residuals, and both are counted."""
    text, measured = "f * nx", read("f * nx", {"f": 2.0}).predict(ALL)
    measured[[3, 7]] = 0.0
    measured[5] = np.nan
    found = fitted(text, {"f": 1.0}, measured, ("f",))
    assert (found.configurations, found.zeros, found.missing) == (17, 2, 1)
    assert found["f"].value == pytest.approx(2)
    found = fitted(text, {"f": 1.0}, measured, ("f",), weights="absolute")
    assert (found.configurations, found.zeros, found.missing) == (19, 0, 1)
    there = ~np.isnan(measured)
    nx = ALL.column("nx")[there]
    assert found["f"].value == pytest.approx(nx @ measured[there] / (nx @ nx))
    residuals = measured[there] - found["f"].value * nx
    assert found.deviation == pytest.approx(math.sqrt(residuals @ residuals / 18))
    negative = fitted(text, {"f": -1.0}, -np.abs(measured), ("f",))
    assert negative["f"].value == pytest.approx(-2)
    nothing = fitted(text, {"f": 1.0}, np.zeros(20), ("f",), weights="absolute")
    assert (nothing["f"].value, nothing.error_after) == (0.0, None)


def test_what_is_not_free_stays() -> None:
    """Parameters that are not free keep their values, tables and intervals in the calibrated model."""
    parameters = tabled(1).changed({"beta": Quantity(2.0, 1.0, 4.0)})
    text = "alpha * nx + beta * px + f * nx^2"
    before = read(text, parameters, ("f",))
    found = fitted(text, parameters, noisy(before.predict(ALL), 0.1), ("f",))
    kept = {parameter.name: parameter for parameter in before.parameters}
    for parameter in found.model.parameters:
        assert (parameter == kept[parameter.name]) == (parameter.name != "f")
    assert found.model.terms == before.terms


@pytest.mark.parametrize(
    ("true", "bounds"),
    [(0.3, (0.01, 10.0)), (0.3, (-2.0, 6.0)), (0.3, (0.0, 8.0)), (-0.3, (None, 0.0)), (-0.3, (-math.inf, math.inf))],
)
def test_bounds_of_any_kind(true: float, bounds: Any) -> None:
    """Within bounds of one sign or of both, and without any, a true value that does not enter linearly is found."""
    text = "alpha * 2^(beta * px)"
    measured = read(text, {"alpha": 7.0, "beta": true}).predict(ALL)
    found = fitted(text, {"alpha": 1.0, "beta": 1.0}, measured, ("alpha", "beta"), bounds={"beta": bounds})
    assert found["beta"].value == pytest.approx(true, rel=1e-8)


@pytest.mark.parametrize(("distance", "dependent"), [(1e-12, (2,)), (1e-7, ())])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_columns_near_a_combination_of_others(distance: float, dependent: tuple[int, ...], scale: float) -> None:
    """A column is a combination of others up to rounding only, whatever its unit."""
    a, b, c = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 3)))[0].T
    matrix = np.column_stack([a, 1e3 * b, scale * (a + b + distance * c)])
    assert dependence(matrix).dependent == dependent


@pytest.mark.parametrize(("small", "kept"), [(0.95e-8, 0.0), (1.05e-8, 1.05e-8), (-1.05e-8, -1.05e-8)])
def test_small_coefficients_of_a_combination(small: float, kept: float) -> None:
    """A coefficient of at most 1e-8 of a combination of columns of length 1 counts as 0."""
    a, b = np.eye(4)[:2]
    known = dependence(np.column_stack([a, b, a + small * b]))
    assert (known.basis, known.dependent) == ((0, 1), (2,))
    assert known.coefficients[:, 0].tolist() == pytest.approx([1.0, kept], rel=1e-6)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(0, 3))
@examples(40)
def test_directions_change_nothing(seed: int, columns: int, rank: int) -> None:
    """Basis and directions are those of the rank: a matrix times each direction is 0, and there are no others."""
    rng = np.random.default_rng(seed)
    matrix = (
        rng.integers(-2, 3, (7, rank)) @ rng.integers(-2, 3, (rank, columns)) * 10.0 ** rng.integers(-5, 5, columns)
    )
    known = dependence(matrix)
    lengths = np.linalg.norm(matrix, axis=0)
    assert known.lengths == pytest.approx(lengths)
    assert known.zero == tuple(np.flatnonzero(lengths == 0).tolist())
    assert len(known.basis) == np.linalg.matrix_rank(matrix / np.where(lengths > 0, lengths, 1.0), tol=1e-9)
    assert sorted(known.basis + known.dependent + known.zero) == list(range(columns))
    directions = known.directions
    assert directions.shape == (columns, len(known.dependent) + len(known.zero))
    assert np.abs(matrix @ directions).max(initial=0.0) <= 1e-9
    if directions.size:
        even = directions * np.where(lengths > 0, lengths, 1.0)[:, np.newaxis]
        assert np.linalg.matrix_rank(even) == directions.shape[1]
