"""Results of calibrations as text, and ratios to benchmarked values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.calibration import Calibration, DeterminedCombination, Estimate
from splc.calibration.result import Residual
from splc.models.influence import InfluenceModel

KNOWN = Estimate("alpha", 3.0, 2.0, 7.0, 1.5)
UNKNOWN = Estimate("beta", 0.123456789, None, None, None, "low", determined=False)
RESULT = Calibration(
    InfluenceModel.from_terms((), (), "identity"),
    (KNOWN, UNKNOWN),
    (),
    (),
    "relative",
    0.95,
    True,
    True,
    7,
    0,
    0,
    5,
    0.1,
    None,
    2.5,
)


@pytest.mark.parametrize(
    ("errors", "line"),
    [
        ({}, "2.5 %"),
        ({"error_before": 30.0}, "2.5 %, 30 % with the benchmarked values"),
        ({"error_before": 30.0, "error_after": None}, "30 % with the benchmarked values"),
        ({"folds": 5, "error_cross_validated": 4.0}, "2.5 %, 4 % cross-validated"),
        ({"folds": 5}, "2.5 %"),
        ({"error_cross_validated": 4.0}, "2.5 %"),
        ({"error_after": None}, "undefined"),
    ],
)
def test_summary(errors: dict[str, Any], line: str) -> None:
    """The summary lists estimates with intervals, and only errors that are defined."""
    assert replace(RESULT, **errors).summary().splitlines() == [
        "estimates of alpha, beta from 7 configurations",
        "alpha = 3 (2 to 7)",
        "beta = 0.123457 (not determined)",
        f"mean relative error: {line}",
    ]


def test_estimates() -> None:
    """Ratios are those to benchmarked values, if there are any; parameters are found by name."""
    assert (KNOWN.ratio, KNOWN.ratio_interval) == (2.0, (2.0 / 1.5, 7.0 / 1.5))
    assert replace(KNOWN, benchmarked=-1.5).ratio_interval == (-7.0 / 1.5, -2.0 / 1.5)
    for without in (replace(KNOWN, benchmarked=0.0), replace(KNOWN, benchmarked=None)):
        assert (without.ratio, without.ratio_interval) == (None, None)
    assert replace(KNOWN, low=None).ratio_interval is None
    assert replace(KNOWN, high=None).ratio_interval is None
    assert RESULT["beta"] is UNKNOWN
    assert RESULT.undetermined == ("beta",)
    assert RESULT.to_columns() == {
        "name": ["alpha", "beta"],
        "value": [3.0, 0.123456789],
        "low": [2.0, None],
        "high": [7.0, None],
        "benchmarked": [1.5, None],
        "ratio": [2.0, None],
        "determined": [True, False],
        "at_bound": [None, "low"],
    }


@pytest.mark.parametrize(
    ("kind", "parts", "text"),
    [
        ("sum", (("a", 1.0), ("b", -1.0), ("c", 512.0), ("d", -0.25)), "a - b + 512 * c - 0.25 * d"),
        ("product", (("a", 1.0), ("b", -1.0), ("c", 2.0), ("d", -0.5)), "a / b * c^2 / d^0.5"),
        ("sum", (("a", 1.0), ("b", 1 / 3)), "a + 0.333333 * b"),
    ],
)
def test_text_of_combinations(kind: str, parts: tuple[tuple[str, float], ...], text: str) -> None:
    """Numbers of size 1 are not written; the sign of a number is the operator before it."""
    assert DeterminedCombination(kind, parts, 1.0, 0.5, 2.0).text == text  # type: ignore[arg-type]


@given(st.floats(1e-6, 1e6), st.sampled_from([-1, 1]), st.floats(-1e6, 1e6))
def test_error_of_a_residual(size: float, sign: int, predicted: float) -> None:
    """The relative error has the sign of predicted - measured, also below 0; that of 0 is undefined."""
    measured = sign * size
    error = Residual({}, "", measured, predicted).error
    assert error == pytest.approx(100 * (predicted - measured) / size, rel=1e-9, abs=1e-9)
    assert Residual({}, "", 0.0, predicted).error is None
