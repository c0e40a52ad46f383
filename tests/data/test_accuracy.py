"""Errors of predictions: published formulas, limits, and rows that do not count."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from comparison.measures import measure
from splc.data.accuracy import (
    discrepancy,
    mean_relative_error,
    pooled_error,
    relative_error_quantiles,
    smape,
    standard_error,
    symmetric_errors,
    worst_place,
)
from splc.data.configurations import Configurations
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array

values = hnp.arrays(float, 6, elements=st.floats(-1e9, 1e9).filter(lambda value: value == 0 or abs(value) > 1e-9))


def test_mean_relative_error() -> None:
    """The error is the mean of |predicted - measured| / |measured| in percent."""
    assert mean_relative_error(np.array([9.0, -3.0]), np.array([10.0, -2.0])) == pytest.approx(30)


def test_errors_that_are_too_large() -> None:
    """An error beyond the largest number is infinite, without a warning."""
    assert mean_relative_error(np.array([1.0, 2.0]), np.array([5e-324, 2.0])) == np.inf
    assert mean_relative_error(np.full(2, 1.5), np.full(2, 1e-308)) == np.inf


def test_rows_that_do_not_count() -> None:
    """A measured 0, a missing value and a missing prediction are left out; without any other row there is no error."""
    predicted, measured = np.array([9.0, 5.0, np.nan, 7.0]), np.array([10.0, 0.0, 4.0, np.nan])
    assert mean_relative_error(predicted, measured) == pytest.approx(10)
    assert mean_relative_error(predicted[1:], measured[1:]) is None


def test_quantiles() -> None:
    """The median and the 95th percentile are of the rows that count, in percent."""
    measured = np.full(21, 10.0)
    predicted = measured + np.arange(21) / 10
    assert relative_error_quantiles(predicted, measured) == pytest.approx((10, 19))
    more = np.append(predicted, [3.0, np.nan]), np.append(measured, [0.0, 4.0])
    assert relative_error_quantiles(*more) == pytest.approx((10, 19))
    assert relative_error_quantiles(predicted[:0], measured[:0]) is None


def test_standard_errors_cover_the_error_of_all_rows() -> None:
    """Errors of samples, also of two parts of different size, scatter around that of all rows by the standard error."""
    rng = np.random.default_rng(0)
    measured = rng.uniform(1, 10, 600)
    predicted = measured * np.append(rng.normal(1, 0.05, 200), rng.normal(1, 0.4, 400))
    whole, multiples = mean_relative_error(predicted, measured), []
    assert whole is not None
    for _ in range(400):
        parts = [rng.choice(200, 100, replace=False), 200 + rng.choice(400, 250, replace=False)]
        errors = [mean_relative_error(predicted[rows], measured[rows]) for rows in parts]
        deviations = [
            standard_error(predicted[rows], measured[rows], size) for rows, size in zip(parts, (200, 400), strict=True)
        ]
        error, deviation = pooled_error(errors, deviations, (200, 400))
        assert error is not None
        assert deviation is not None
        multiples.append((error - whole) / deviation)
    assert abs(np.mean(multiples)) < 0.2
    assert 0.9 < np.std(multiples) < 1.15


def test_standard_errors_without_a_sample() -> None:
    """All rows have no standard error; it is undefined for one row, and where errors are too large."""
    measured = np.array([1.0, 2.0, 0.0])
    assert standard_error(measured + 1, measured, 2) == 0
    assert standard_error(measured[:1], measured[:1], 5) is None
    assert standard_error(np.array([1.0, 2.0]), np.array([5e-324, 2.0]), 5) is None
    assert pooled_error((None, None), (None, None), (0, 0)) == (None, None)
    assert pooled_error((None, 3.0), (None, 0.5), (2, 8)) == (3, 0.5)
    assert pooled_error((5.0, 3.0), (None, 0.5), (5, 5)) == (4, None)


def test_smape() -> None:
    """The error is at most 200, where both are 0 it is 0, and rounding counts 0."""
    assert smape(np.array([3.0, 0.0]), np.array([1.0, 0.0])) == pytest.approx(50)
    assert smape(np.array([1.0]), np.array([-1.0])) == pytest.approx(200)
    assert smape(np.array([1.0 + 1e-15]), np.array([1.0])) == 0


def test_undefined_prediction_has_no_symmetric_error() -> None:
    """The symmetric error is 0 where both are 0, and undefined where a prediction or a measured value is."""
    predicted, measured = np.array([np.nan, 1.0, np.nan, 0.0, np.inf, 3.0]), np.array([1.0, np.nan, 0.0, 0.0, 1.0, 1.0])
    np.testing.assert_array_equal(symmetric_errors(predicted, measured), [np.nan, np.nan, np.nan, 0.0, np.nan, 0.5])
    found = smape(np.array([[np.nan, 0.0], [1.0, 0.0]]), np.array([1.0, 0.0]), axis=1)
    np.testing.assert_array_equal(found, [np.nan, 0.0])


@given(values, values)
def test_comparison_measures_are_the_same_errors(predicted: Array, measured: Array) -> None:
    """The error rate and the SMAPE of `splc compare` are the errors that models are judged by."""
    found = mean_relative_error(predicted, measured)
    rate = measure("error_rate").function(measured, predicted, None)
    assert np.isnan(rate) if found is None else rate == pytest.approx(found, rel=1e-12)
    assert measure("smape").function(measured, predicted, None) == pytest.approx(
        float(smape(predicted, measured)), abs=1e-9
    )


SYSTEM = VariabilityModel(
    "made",
    (BinaryOption("fast"), NumericOption("ranks", (1, 2, 4, 8)), NumericOption("size", tuple(range(1, 31)))),
)
GENERATOR = np.random.default_rng(0)
ROWS = Configurations.from_columns(
    SYSTEM,
    {
        "fast": GENERATOR.integers(0, 2, 400),
        "ranks": GENERATOR.choice([1, 2, 4, 8], 400),
        "size": GENERATOR.integers(1, 31, 400),
    },
)
NOISE = GENERATOR.normal(0, 5, 400)


@given(values=st.lists(st.tuples(st.floats(0.01, 100), st.floats(0.01, 100)), min_size=1, max_size=12))
def test_best_factor(values: list[tuple[float, float]]) -> None:
    """No factor on the predictions has a smaller mean relative error than the best one."""
    measured, predicted = np.array(values).T
    found = discrepancy(measured, predicted)
    assert found is not None
    assert found.unscaled == pytest.approx(mean_relative_error(predicted, measured))
    assert found.error == pytest.approx(mean_relative_error(found.factor * predicted, measured))
    for other in (*(measured / predicted), 1.0, 0.9 * found.factor, 1.1 * found.factor):
        error = mean_relative_error(other * predicted, measured)
        assert error is not None
        assert error >= found.error * (1 - 1e-9) - 1e-9


@given(factor=st.floats(1e-6, 1e6), weights=st.booleans())
def test_a_factor_is_found_again(factor: float, weights: bool) -> None:
    """Predictions that are wrong by a factor are right with it, whatever the weights are."""
    values = 10 + ROWS.column("size")
    found = discrepancy(values, values / factor, ROWS, np.arange(400.0) if weights else None)
    assert found is not None
    assert (found.ratio, found.factor) == pytest.approx((factor, factor))
    assert found.error == pytest.approx(0, abs=1e-9)
    assert found.by_factor == (not 0.5 < found.ratio < 2 or found.unscaled >= 10)


@pytest.mark.parametrize(
    ("where", "text"),
    [
        (ROWS.column("ranks") == 1, "ranks = 1"),
        (ROWS.column("ranks") >= 4, "ranks >= 4"),
        (ROWS.column("size") <= 4, "size <= 4"),
        (ROWS.column("fast") == 0, "fast = 0"),
    ],
    ids=str,
)
@pytest.mark.parametrize("size", [20.0, -20.0, 1e300])
def test_the_place_of_errors_is_found(where: np.ndarray, text: str, size: float) -> None:
    """Errors that one value or range of an option has are said to be there."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        place = worst_place(NOISE * abs(size) / 20 + np.where(where, size, 0.0), ROWS)
    assert place is not None
    assert place.text == text
    assert place.error == pytest.approx(size, rel=0.1)


@pytest.mark.parametrize("seed", range(20))
def test_noise_has_no_place(seed: int) -> None:
    """Errors that depend on no option are said to be nowhere."""
    generator = np.random.default_rng(seed)
    assert worst_place(generator.normal(0, 5, 400), ROWS) is None
    assert worst_place(np.abs(generator.normal(0, 5, 400)), ROWS) is None
    assert worst_place(np.zeros(400), ROWS) is None


@pytest.mark.parametrize(
    ("values", "predicted"),
    [([], []), ([0, 0], [1, 2]), ([1, 2], [0, 0]), ([1, 2, 3], [-1, -2, 3]), ([1e300, 1e300], [1e-300, 1e-300])],
)
def test_without_a_factor(values: list[float], predicted: list[float]) -> None:
    """If no positive, finite factor relates the two, there is none, and no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert discrepancy(np.array(values, dtype=float), np.array(predicted, dtype=float)) is None
