"""Difficult inputs: few points, constants, huge values, any unit, series that fail."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from splc.data.measurements import Experiment
from splc.errors import MeasurementError, SpecError
from splc.scaling import fit, fit_experiment, fit_many
from splc.scaling import profile as profile_module
from splc.scaling.methods import METHODS
from splc.scaling.result import ScalingModel
from splc.types import Array

ALL = sorted(METHODS)
X = np.array([2.0, 4.0, 8.0, 16.0, 32.0])


@pytest.mark.parametrize("method", ALL)
def test_the_whole_range_of_numbers(method: str) -> None:
    """Values near the limits of numbers, and x of a million and more, are modelled like others."""
    for factor in (1e-300, 1e300):
        assert fit(X, factor * (5 + 3 * X**2), method=method).lead == {"x": (Fraction(2), Fraction(0))}
    far = X * 1e6
    assert fit(far, 5e12 + 3 * far**2, method=method).lead == {"x": (Fraction(2), Fraction(0))}


def test_a_series_of_one_point() -> None:
    """A series that is measured at one point only has a constant, and a note for each parameter but the first."""
    points = np.array([[4.0, 2.0], [8.0, 2.0]])
    key = ("main", "time")
    found = fit_experiment(Experiment(("x", "y"), points, {key: np.array([[5.0], [math.nan]])})).models[key]
    assert found.coefficients == pytest.approx([5.0])
    assert found.lead == {}
    assert "measured at 1 of 2 points" in found.notes
    assert "y is 2 at all points: nothing is known about how this scales with it" in found.notes


def test_series_that_fail_do_not_cost_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Series with wrong values, and those that show a defect of the program, are reported beside the models."""
    names = [("main", "time"), ("bad", "time"), ("odd", "time"), ("other", "time")]
    values = [3 + 2 * X, 33 + 2 * X, 13 + 2 * X, 5 * X]
    series = {name: own[:, None] for name, own in zip(names, values, strict=True)}
    experiment = Experiment(("x",), X[:, None], series)
    original = fit_many

    def broken(points: Array, found: Array, **settings: Any) -> tuple[ScalingModel, ...]:
        if (found == 13 + 2 * X[0]).any():
            raise IndexError("index 7 is out of bounds")
        if (found == 33 + 2 * X[0]).any():
            raise MeasurementError("wrong values")
        return original(points, found, **settings)

    monkeypatch.setattr(profile_module, "fit_many", broken)
    found = fit_experiment(experiment)
    assert list(found.models) == [names[0], names[3]]
    assert found.failed[names[1]] == "wrong values"
    assert "error of the program (IndexError: index 7" in found.failed[names[2]]
    with pytest.raises(SpecError):
        fit_experiment(experiment, method="unknown")


def test_more_repetitions_than_points() -> None:
    """Series with unequal numbers of repetitions, more than points, have the models that they have alone."""
    x = np.array([2.0, 4.0, 8.0, 16.0])
    rng = np.random.default_rng(0)
    values = {
        (path, "time"): (3 + x[:, None]) * (1 + 0.01 * rng.normal(size=(4, repetitions)))
        for path, repetitions in (("a", 3), ("b", 9), ("c", 1))
    }
    values[("d", "time")] = np.where(np.arange(6) < 4, values[("b", "time")][:, :6], np.nan)
    found = fit_experiment(Experiment(("x",), x[:, None], values))
    for key, own in values.items():
        alone = fit(x, own[:, :4] if key[0] == "d" else own, names="x")
        assert found.models[key].text == alone.text
        assert found.models[key].noise == pytest.approx(alone.noise)
        assert found.models[key].certainty == pytest.approx(alone.certainty)
