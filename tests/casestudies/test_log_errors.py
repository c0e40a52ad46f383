"""The errors of the rounds of logs, recomputed on measurements."""

from __future__ import annotations

import numpy as np
import pytest

from casestudies.published_logs.log_errors import LogErrors
from casestudies.published_logs.log_learnings import learnings_of
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.io.files import Source, read_source
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import check_calls, shown
from tests.support.real_data import DATA

LINEAR = "1;2 * x;10;10;10;10;1;1;2 * x;1;1;"


def errors(measured: list[float], *rounds: str, x: tuple[float, ...] = (1.0, 2.0, 4.0), times: int = 1) -> str:
    """Return rule → round → error of a log on the values of `x`, the last time that they are asked for."""
    system = VariabilityModel("s", (NumericOption("x", x),))
    configurations = Configurations.from_columns(system, {"x": [*x]})
    [learning] = learnings_of(Source("a.log", "\n".join(["Learning progress:", *rounds, ""]).encode()))
    asked = LogErrors(Measurements(configurations, {"time": np.array(measured)}), "time")
    for _ in range(times):
        found = {rule: dict(own) for rule, own in asked.of(learning, "a.log").items()}
        asked.forget()
    return "; ".join(f"{rule}: {shown([*own.items()])}" for rule, own in found.items())


def test_errors_of_rounds() -> None:
    """Errors by both rules, of values that have none, and wrong terms are those of the golden file."""
    check_calls("errors-of-rounds", errors, LINEAR=LINEAR)


def test_columns_are_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors are the same after the columns of terms were dropped."""
    once = errors([1.0, 4.0, 8.0], LINEAR)
    monkeypatch.setattr("casestudies.published_logs.log_errors.MAX_BYTES", 0)
    assert errors([1.0, 4.0, 8.0], LINEAR, times=2) == once


@pytest.mark.real_data
def test_samplings_sizes_and_test_errors_of_rounds() -> None:
    """A learning has the commands that drew its learning set, its size, and the test error of each round."""
    [found] = learnings_of(read_source(DATA / "splc_logs" / "x264_henard_t1.log"))
    assert found.stated.sampling == ("binary satoutput henard:true numConfigs:12 seed:3",)
    assert found.stated.configurations == 12
    assert [this.test_error for this in found.rounds.values()] == [34.237334662276, 13.993756221183]
    [found] = learnings_of(read_source(DATA / "splc_logs" / "x264_twise_t2.log"))
    assert (found.stated.sampling, found.stated.configurations) == (("twise t:2",), 65)
