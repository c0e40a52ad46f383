"""Errors of calibration."""

from __future__ import annotations

import numpy as np
import pytest

from splc.calibration import calibrate
from splc.errors import ConfigurationError, LearningError, MeasurementError, SplcError
from splc.models.influence import EvaluationError
from splc.models.parameters import Parameters, ParameterTable, Quantity
from tests.support.calibration_problems import ALL, BENCHMARKED, FREE, LINEAR, fitted, read


def lines(error: SplcError) -> list[str]:
    """Return the lines of a message without indentation."""
    return [line.strip() for line in str(error).splitlines()]


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_as_many_measurements_as_parameters_are_too_few(count: int) -> None:
    """With no degree of freedom left there is nothing to judge by; one more measurement is enough."""
    model, measured = read(LINEAR, BENCHMARKED, FREE), read(LINEAR, BENCHMARKED).predict(ALL)
    with pytest.raises(MeasurementError, match=r"too few for 3 free parameters[\s\S]*at least 4 are needed"):
        calibrate(model, ALL[:count], measured[:count], FREE)
    assert calibrate(model, ALL[4:8], measured[4:8], FREE).degrees >= 1
    with pytest.raises(MeasurementError, match=r"0 measured values are not 0[\s\S]*--weights absolute"):
        calibrate(model, ALL, np.zeros(20), FREE)
    with pytest.raises(ConfigurationError, match="20 configurations, but values of shape"):
        calibrate(model, ALL, np.ones(3), FREE)


def test_values_that_no_number_can_hold_are_refused() -> None:
    """Measurements that are more than all magnitudes away from the benchmarked values are refused without a warning."""
    large = [
        "the measured values are too large or too small beside what the model predicts",
        "give benchmarked values (or measurements) in another unit",
    ]
    small = [
        "no values of the free parameters give finite predictions for all measured configurations",
        "give bounds within which the model has such values: the argument bounds, or --bound NAME=LOW..HIGH",
    ]
    for benchmarked, measured, message in ((1e-20, 1e300, large), (1e20, 1e-305, small)):
        with pytest.raises(LearningError) as caught:
            fitted("alpha * nx", {"alpha": benchmarked}, np.full(20, measured), ("alpha",))
        assert lines(caught.value) == message


def test_a_model_without_a_value_says_where() -> None:
    """A table without a row, or a logarithm without a value whatever the parameters are, is refused with its place."""
    table = Parameters({"alpha": ParameterTable("px", ((1.0, Quantity.exactly(1.0)), (2.0, Quantity.exactly(2.0))))})
    for text in ("alpha * nx", "nx / (1 + alpha)"):
        with pytest.raises(EvaluationError, match=r"alpha, a table over px .* has no value .*px = 3"):
            fitted(text, table, np.ones(20), ("alpha",))
    with pytest.raises(EvaluationError, match="no finite value"):
        fitted("alpha * log(100 - nx)", {"alpha": 1.0}, np.ones(20), ("alpha",))
    with pytest.raises(EvaluationError, match="no finite value"):
        fitted("log(-1 - alpha * nx)", {"alpha": 1.0}, np.ones(20), ("alpha",))


def test_a_start_without_predictions_is_no_end() -> None:
    """If the model has no value with the benchmarked parameters, others are found from other starts."""
    measured = read("log(1000 - alpha * nx)", {"alpha": 0.5}).predict(ALL)
    found = fitted("log(1000 - alpha * nx)", {"alpha": 20.0}, measured, ("alpha",))
    assert found.error_before is None
    assert found["alpha"].value == pytest.approx(0.5)
