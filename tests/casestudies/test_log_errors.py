"""The errors of the rounds of logs, recomputed on measurements."""

from __future__ import annotations

import numpy as np
import pytest

from casestudies.published_logs.log_errors import ALL_VALUES, WITHOUT_SMALL, LogErrors
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import InputError
from splc.formats.models.log_reader import learnings_of
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
    errors = LogErrors(measured, "time").of(learning, "a.log")[ALL_VALUES]
    assert errors[1] == pytest.approx(100 * (1 + 0.5 + 1) / 3)
    assert errors[2] == pytest.approx(100 * (0.5 + 1.1) / 2)


def errors_of(log: str, measured: list[float], times: int = 1) -> dict[int, float | None]:
    """Return the errors of the rounds of a log on x = 1, 2 and 4, the last time that they are asked for."""
    system = VariabilityModel("s", (NumericOption("x", (1.0, 2.0, 4.0)),))
    configurations = Configurations.from_columns(system, {"x": [1.0, 2.0, 4.0]})
    [learning], _ = learnings_of(Source("a.log", log.encode()))
    errors = LogErrors(Measurements(configurations, {"time": np.array(measured)}), "time")
    for _ in range(times):
        found = dict(errors.of(learning, "a.log")[ALL_VALUES])
        errors.forget()
    return found


def test_wrong_terms_of_a_round() -> None:
    """Terms without an influence and with unknown options are named with their lines, all of them at once."""
    log = "Learning progress:\n1;x * 2 + 3 * y;10;10;10;10;1;1;2 * x;1;1;\n2;3 * z;10;10;10;10;1;1;x;1;1;\n"
    with pytest.raises(InputError) as caught:
        errors_of(log, [1.0, 2.0, 3.0])
    assert [(problem.line, problem.message) for problem in caught.value.problems] == [
        (2, "a term must begin with its influence, a finite number"),
        (2, "in the term 'y': unknown name 'y'"),
        (3, "in the term 'z': unknown name 'z'"),
    ]


def test_configurations_without_a_relative_error() -> None:
    """Values of 0 have no relative error; where all are 0, no round has one."""
    log = "Learning progress:\n1;2 * x;10;10;10;10;1;1;2 * x;1;1;\n"
    assert errors_of(log, [0.0, 4.0, 4.0]) == {1: pytest.approx((0 + 100) / 2)}
    assert errors_of(log, [0.0, 0.0, 0.0]) == {1: None}


def test_values_below_1() -> None:
    """A part of the program leaves values below 1 out; where there are none, or no others, both rules are one."""
    system = VariabilityModel("s", (NumericOption("x", (1.0, 2.0, 4.0)),))
    configurations = Configurations.from_columns(system, {"x": [1.0, 2.0, 4.0]})
    [learning], _ = learnings_of(Source("a.log", b"Learning progress:\n1;2 * x;10;10;10;10;1;1;2 * x;1;1;\n"))

    def errors(*values: float) -> dict[str, float | None]:
        found = LogErrors(Measurements(configurations, {"time": np.array(values)}), "time").of(learning, "a.log")
        return {rule: own[1] for rule, own in found.items()}

    assert errors(0.5, 4.0, 4.0) == {ALL_VALUES: pytest.approx(400 / 3), WITHOUT_SMALL: pytest.approx(50)}
    assert set(errors(1.0, 4.0, 4.0)) == set(errors(0.1, 0.2, 0.3)) == {ALL_VALUES}


def test_columns_are_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors are the same after the columns of terms were dropped."""
    monkeypatch.setattr("casestudies.published_logs.log_errors.MAX_BYTES", 0)
    log = "Learning progress:\n1;2 * x;10;10;10;10;1;1;2 * x;1;1;\n"
    assert errors_of(log, [1.0, 4.0, 8.0], times=2) == {1: pytest.approx(100 / 3)}
