"""Factors between predictions and values, and the places where predictions are wrong."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.data.accuracy import discrepancy, mean_relative_error, worst_place
from splc.data.configurations import Configurations
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel

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
    """Where no positive, finite number relates the two, there is no factor, and no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert discrepancy(np.array(values, dtype=float), np.array(predicted, dtype=float)) is None
