"""Cross-validated errors of calibrated models."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from splc.calibration import calibrate
from splc.data.accuracy import mean_relative_error
from splc.data.configurations import Configurations
from splc.errors import SpecError
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from tests.support.calibration_problems import ALL, BENCHMARKED, FREE, LINEAR, fitted, noisy, read

TRUE = {"alpha": 3e-2, "beta": 7e-5, "f": 5e-7}


@pytest.mark.parametrize(
    ("text", "weights"),
    [(LINEAR, "relative"), (LINEAR, "absolute"), (LINEAR, "log"), ("alpha * px^beta + f * nx", "relative")],
)
def test_leaving_one_out(text: str, weights: Any) -> None:
    """With as many folds as configurations, each is predicted by a calibration with all others."""
    rows = ALL[::3]
    true = TRUE if text == LINEAR else {"alpha": 3e-2, "beta": 0.7, "f": 5e-5}
    measured = noisy(read(text, true).predict(ALL), 0.1)[::3]
    found = calibrate(read(text, true, FREE), rows, measured, FREE, folds=99, weights=weights)
    predicted = np.empty(7)
    for row in range(7):
        others = np.arange(7) != row
        own = calibrate(read(text, true, FREE), rows[others], measured[others], FREE, weights=weights)
        predicted[row] = own.model.predict(rows[[row]])[0]
    assert found.folds == 7
    assert found.error_cross_validated == pytest.approx(mean_relative_error(predicted, measured), rel=1e-6)


def test_folds_do_not_depend_on_the_order_of_rows() -> None:
    """Folds follow from the seed, not from the order of the configurations; another seed gives others."""
    measured = noisy(read(LINEAR, TRUE).predict(ALL), 0.1)
    model, rows = read(LINEAR, BENCHMARKED, FREE), np.random.default_rng(1).permutation(20)
    one = calibrate(model, ALL, measured, FREE, folds=4, seed=3)
    other = calibrate(model, ALL[rows], measured[rows], FREE, folds=4, seed=3)
    assert other.error_cross_validated == pytest.approx(one.error_cross_validated, rel=1e-9)
    third = calibrate(model, ALL, measured, FREE, folds=4, seed=4)
    assert third.error_cross_validated != pytest.approx(one.error_cross_validated, rel=1e-6)
    assert calibrate(model, ALL, measured, FREE).error_cross_validated is None
    for folds in (1, -1):
        with pytest.raises(SpecError, match="folds must be at least 2"):
            calibrate(model, ALL, measured, FREE, folds=folds)


def test_folds_of_deselected_options() -> None:
    """An option that is deselected is not the same as one whose value is 0, wherever their rows are."""
    system = VariabilityModel("s", (NumericOption("depth", (0, 1), deselected_flag=-1), NumericOption("nx", (1, 2, 3))))
    every = Configurations(system, np.array(list(itertools.product(range(3), range(3)))))
    model = read("alpha * nx + beta * 2^depth", {"alpha": 1.0, "beta": 1.0}, FREE[:2], system)
    measured = 9 + np.sqrt(every.column("nx"))
    errors = [
        calibrate(model, every[rows], measured[rows], FREE[:2], folds=2).error_cross_validated
        for rows in (np.random.default_rng(seed).permutation(9) for seed in range(4))
    ]
    assert errors == pytest.approx(errors[:1] * 4, rel=1e-9)


def test_where_a_fold_has_no_prediction() -> None:
    """If estimates from the other folds have no finite prediction somewhere, the cross-validated error is undefined."""
    rows = (ALL.column("nx") < 800) | (ALL.column("px") == 1)
    model = read("log(alpha - nx)", {"alpha": 900.0}, ("alpha",))
    # All but one of the measurements say 500, with which the model has no value at the one.
    measured = np.log(np.maximum(500 - ALL.column("nx"), 3.0))
    found = calibrate(model, ALL[rows], measured[rows], ("alpha",), folds=99)
    assert found["alpha"].value > 800
    assert (found.error_cross_validated, found.folds) == (None, 17)
    assert calibrate(model, ALL[rows], measured[rows], ("alpha",), folds=0).folds == 0


@pytest.mark.parametrize("weights", ["relative", "absolute", "log"])
def test_the_worst_configurations(weights: Any) -> None:
    """The greatest residuals, in the sense of the weights, are told with their configurations, the worst first."""
    measured = noisy(read(LINEAR, TRUE).predict(ALL), 0.2)
    found = fitted(LINEAR, BENCHMARKED, measured, FREE, weights=weights)
    predicted = found.model.predict(ALL)
    residuals = {
        "relative": np.abs(predicted / measured - 1),
        "absolute": np.abs(predicted - measured),
        "log": np.abs(np.log(predicted / measured)),
    }[weights]
    order = np.argsort(-residuals)[:3]
    assert [each.measured for each in found.worst] == measured[order].tolist()
    assert [each.predicted for each in found.worst] == predicted[order].tolist()
    assert [dict(each.configuration) for each in found.worst] == [ALL.assignment(row) for row in order.tolist()]
    assert [each.error for each in found.worst] == pytest.approx((100 * (predicted / measured - 1)[order]).tolist())


def test_errors_of_negative_values_and_zeros() -> None:
    """A relative error is positive where too much is predicted, also of negative values; of 0 there is none."""
    measured = np.where(ALL.column("px") == 1, 0.0, -ALL.column("nx"))
    found = fitted("f", {"f": -1.0}, measured, ("f",), weights="absolute")
    for each in found.worst:
        expected = 100 * (each.predicted - each.measured) / abs(each.measured) if each.measured else None
        assert each.error == (None if expected is None else pytest.approx(expected))
