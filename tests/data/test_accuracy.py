"""Errors of predictions: published formulas, limits, and rows that do not count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from splc.data.accuracy import (
    error_distribution,
    mean_relative_error,
    pooled_error,
    smape,
    standard_error,
    symmetric_errors,
)
from tests.support.golden_messages import check_calls
from tests.support.objects import present

values = hnp.arrays(float, 6, elements=st.floats(-1e9, 1e9).filter(lambda value: value == 0 or abs(value) > 1e-9))


def test_standard_errors_cover_the_error_of_all_rows() -> None:
    """Errors of samples, also of two parts of different size, scatter around that of all rows by the standard error."""
    rng = np.random.default_rng(0)
    measured = rng.uniform(1, 10, 600)
    predicted = measured * np.append(rng.normal(1, 0.05, 200), rng.normal(1, 0.4, 400))
    whole, multiples = present(mean_relative_error(predicted, measured)), []
    for _ in range(400):
        parts = [rng.choice(200, 100, replace=False), 200 + rng.choice(400, 250, replace=False)]
        errors = [mean_relative_error(predicted[rows], measured[rows]) for rows in parts]
        sizes = zip(parts, (200, 400), strict=True)
        deviations = [standard_error(predicted[rows], measured[rows], size) for rows, size in sizes]
        error, deviation = map(present, pooled_error(errors, deviations, (200, 400)))
        multiples.append((error - whole) / deviation)
    assert abs(np.mean(multiples)) < 0.2
    assert 0.9 < np.std(multiples) < 1.15


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
    functions = (mean_relative_error, error_distribution, standard_error, smape, symmetric_errors)
    check_calls("errors-of-rows", pooled_error, **{each.__name__: of_arrays(each) for each in functions})
