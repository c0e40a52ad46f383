"""Errors of predictions: published formulas, limits, and rows that do not count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from splc.data.accuracy import (
    discrepancy,
    error_distribution,
    mean_relative_error,
    pooled_error,
    smape,
    standard_error,
    symmetric_errors,
    worst_place,
)
from splc.data.configurations import Configurations
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import check_calls

values = hnp.arrays(float, 6, elements=st.floats(-1e9, 1e9).filter(lambda value: value == 0 or abs(value) > 1e-9))


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


@pytest.mark.parametrize("seed", range(20))
def test_noise_has_no_place(seed: int) -> None:
    """Errors that depend on no option are said to be nowhere."""
    generator = np.random.default_rng(seed)
    assert worst_place(generator.normal(0, 5, 400), ROWS) is None
    assert worst_place(np.abs(generator.normal(0, 5, 400)), ROWS) is None
    assert worst_place(np.zeros(400), ROWS) is None


def place(rule: str, size: float) -> Any:
    """Return where errors of this size are, beside noise, if they are where a rule about options holds."""
    where = eval(rule, {}, {name: ROWS.column(name) for name in SYSTEM.names})  # noqa: S307
    found = worst_place(NOISE * abs(size) / 20 + np.where(where, size, 0.0), ROWS)
    return found and (found.text, float(f"{found.error:.2g}"))


def of_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of arrays that takes lists; the numbers that it returns have nine digits."""

    def rounded(value: Any) -> Any:
        if value is None or isinstance(value, str | bool):
            return value
        if is_dataclass(value):
            return {each.name: rounded(getattr(value, each.name)) for each in fields(value)}
        return np.round(value, 9).tolist() if np.ndim(value) else float(f"{value:.9g}")

    def called(*values: Any, **more: Any) -> Any:
        arrays = (np.array(each, dtype=float) if isinstance(each, list | range) else each for each in values)
        return rounded(function(*arrays, **more))

    return called


def test_calls() -> None:
    """Errors of few rows, of rows that do not count, and of values that are too large."""
    functions = (mean_relative_error, error_distribution, standard_error, smape, symmetric_errors, discrepancy)
    check_calls("errors-of-rows", pooled_error, place, **{each.__name__: of_arrays(each) for each in functions})
