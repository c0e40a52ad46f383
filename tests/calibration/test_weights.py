"""Weights of residuals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import LearningError, MeasurementError
from tests.support.calibration_problems import ALL, BENCHMARKED, FREE, LINEAR, fitted, noisy, read
from tests.support.examples import examples

TRUE = {"alpha": 3e-2, "beta": 7e-5, "f": 5e-7}


def test_logarithms_of_a_factor_are_its_geometric_mean() -> None:
    """With logarithms the best factor is the geometric mean of measured / predicted, with the interval of a mean."""
    from scipy.stats import t

    plain = read(LINEAR, TRUE).predict(ALL)
    ratios = np.exp(np.random.default_rng(2).standard_normal(20))
    found = fitted(LINEAR, TRUE, plain * ratios, ("scale",), weights="log", level=0.9)
    mean, deviation = np.log(ratios).mean(), np.log(ratios).std(ddof=1)
    assert found["scale"].value == pytest.approx(math.exp(mean), rel=1e-9)
    assert found.deviation == pytest.approx(deviation, rel=1e-9)
    half = t.ppf(0.95, 19) * deviation / math.sqrt(20)
    assert found["scale"].high == pytest.approx(math.exp(mean) * (1 + half), rel=1e-6)


def test_logarithms_do_not_shrink_predictions() -> None:
    """If measurements scatter by factors, relative residuals predict far too little, logarithms the median."""
    plain = read("f * nx", {"f": 1.0}).predict(ALL)
    measured = plain * np.tile([0.02, 1.0, 1.0, 1.0, 50.0], 4)
    assert fitted("f * nx", {"f": 1.0}, measured, ("f",))["f"].value < 0.05
    assert fitted("f * nx", {"f": 1.0}, measured, ("f",), weights="log")["f"].value == pytest.approx(1)


@given(st.integers(0, 99), st.sampled_from(["relative", "absolute", "log"]), st.sampled_from([1e-12, 1.0, 1e9]))
@examples(10)
def test_no_step_makes_the_squares_less(seed: int, weights: Any, unit: float) -> None:
    """Small steps of any parameter within its bounds do not make the chosen squares smaller, whatever the unit is."""
    measured = noisy(read(LINEAR, TRUE).predict(ALL), 0.3, seed) * unit
    measured = np.maximum(measured, 1e-3 * measured.max())
    found = fitted(LINEAR, BENCHMARKED, measured, FREE, weights=weights)

    def cost(values: Any) -> float:
        predicted = read(LINEAR, values).predict(ALL)
        if weights == "log":
            return float((np.log(predicted / measured) ** 2).sum())
        return float((((predicted - measured) / (measured if weights == "relative" else measured.max())) ** 2).sum())

    best = {name: found[name].value for name in FREE}
    least = cost(best)
    for name in FREE:
        for factor in (0.99, 1.01):
            moved = {**best, name: best[name] * factor}
            assert cost(moved) >= least * (1 - 1e-9)
    assert found.converged


def test_logarithms_need_positive_values() -> None:
    """Values that are not positive have no logarithm: they are left out and counted, and too few others refused."""
    measured = read("f * nx", {"f": 2.0}).predict(ALL)
    measured[[3, 7]] = 0.0, -5.0
    found = fitted("f * nx", {"f": 1.0}, measured, ("f",), weights="log")
    assert (found.configurations, found.zeros) == (18, 2)
    assert found["f"].value == pytest.approx(2)
    with pytest.raises(LearningError, match="no values of the free parameters give positive, finite predictions"):
        fitted("f * nx - 1000", {"f": 1.0}, np.ones(20), ("f",), weights="log", bounds={"f": (0.0, 1.0)})
    with pytest.raises(MeasurementError, match=r"0 measured values are positive, which are too few[\s\S]*no logarithm"):
        fitted("f * nx", {"f": 1.0}, -measured[[0] * 20], ("f",), weights="log")


def test_logarithms_keep_the_nearest_to_the_benchmarked_values() -> None:
    """Of equally good values of collinear parameters the nearest to the benchmarked ones are told, with all weights."""
    measured = noisy(read("alpha * px", {"alpha": 8.0}).predict(ALL), 0.1)
    ones = {"alpha": 1.0, "beta": 1.0}
    found = fitted("alpha * px + 4 * beta * px", ones, measured, ("alpha", "beta"), weights="log")
    assert found.undetermined == ("alpha", "beta")
    assert (found["beta"].value - 1) / (found["alpha"].value - 1) == pytest.approx(4)
