"""Errors of predictions: published formulas, limits, and rows that do not count."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from comparison.measures import measure
from splc.data.accuracy import (
    mean_relative_error,
    pooled_error,
    relative_error_quantiles,
    smape,
    standard_error,
    symmetric_errors,
)
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
