"""The deviation that measurements state as the error at which learning stops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning.stepwise.settings import Settings
from splc.splconqueror.learning import stated_deviation
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel

DEFAULT = Settings().abortError


@pytest.mark.parametrize(
    ("settings", "taken"),
    [
        ({}, True),
        ({"abortError": f"{DEFAULT}"}, True),
        ({"abortError": f"{DEFAULT / 2}"}, False),
        ({"abortError": f"{DEFAULT * 2}"}, False),
        ({"bagging": "true"}, True),
    ],
)
def test_a_set_error_is_kept(settings: dict[str, str], taken: bool) -> None:
    """A stated deviation replaces the default error only, neither a smaller nor a larger one."""
    system = VariabilityModel("s", (NumericOption("x", (1.0, 2.0)),))
    rows = Configurations(system, np.array([[0], [1]], dtype=np.uint8))
    measured = Measurements(rows, {"time": np.array([1.0, 2.0])})
    measured = replace(measured, report=replace(measured.report, deviation=7.5))
    assert stated_deviation(measured, settings) == (7.5 if taken else None)
