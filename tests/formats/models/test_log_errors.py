"""Recomputed errors of the rounds of logs."""

from __future__ import annotations

import numpy as np
import pytest

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.formats.models.log_errors import LogErrors
from splc.formats.models.log_lines import learnings_of
from splc.io.files import Source
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel

LOG = "Learning progress:\n1;2 * x;10;10;10;10;1;1;2 * x;1;1;\n2;2 * x + 1 * log10( x );10;10;10;10;1;1;x;1;1;\n"


def test_a_term_without_a_value() -> None:
    """A term that is infinite somewhere has no effect on the rounds before it."""
    system = VariabilityModel("s", (NumericOption("x", (0.0, 1.0, 10.0)),))
    measured = Measurements(
        Configurations.from_columns(system, {"x": [0.0, 1.0, 10.0]}), {"time": np.array([1.0, 4.0, 10.0])}
    )
    [learning], _ = learnings_of(Source("a.log", LOG.encode()))
    errors = LogErrors(measured, "time").of(learning, "a.log")
    assert errors[1] == pytest.approx(100 * (1 + 0.5 + 1) / 3)
    assert errors[2] == pytest.approx(100 * (0.5 + 1.1) / 2)
