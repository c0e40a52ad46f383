"""The first line about a learned model is true, and says plainly when a model is bad or unknown."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from splc.workflows.learn.expected_error import ExpectedError, factor_text
from tests.cli.conftest import Run


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[tuple[int, int, int], float]:
    """Return the values of 80 configurations with a scatter of 5 %; the folder is the current one."""
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(0)
    return {
        (a, b, n): (10 + 5 * a + 2 * b * n + n) * float(np.exp(0.05 * draw.standard_normal()))
        for n in range(1, 21)
        for a in (0, 1)
        for b in (0, 1)
    }


def test_measured_and_expected_errors_agree(made: dict[tuple[int, int, int], float], run: Run) -> None:
    """The error of folds is near the error at other configurations, and 9 of 10 of these are within the factor."""
    rows = (f"{a},{b},{n},{value:.9g}\n" for (a, b, n), value in made.items())
    Path("table.csv").write_text("a,b,n,time\n" + "".join(rows), encoding="utf-8")
    # There are no new configurations.
    text = run("learn", "table.csv", "--options", "a,b,n").stdout
    assert text.startswith("every configuration is measured: cross-validated error ")
    expected = json.loads(Path("learned.json").read_text(encoding="utf-8"))["expected_error"]
    assert expected["source"] == "cross-validated"
    found = json.loads(run("learn", "table.csv", "--options", "a,b,n", "--sampling", "random:40", "--json").stdout)
    measured = found["expected_error"]
    assert (measured["source"], measured["configurations"]) == ("measured", 40)
    assert measured["percent"] == pytest.approx(found["error"])
    assert 0.5 < expected["percent"] / measured["percent"] < 2
    assert 0.8 < (expected["factor"] - 1) / (measured["factor"] - 1) < 2.5


@pytest.mark.parametrize(
    ("percent", "factor", "one_value", "verdict"),
    [
        (5.0, 1.1, 40.0, "good"),
        (0.0, 1.0, 0.0, "good"),
        (50.0, 1.1, 400.0, "rough"),
        (5.0, 3.0, 40.0, "rough"),
        (31.9, 1.4, 40.0, "good"),
        (32.0, 1.4, 40.0, "poor"),
        (None, None, None, "unknown"),
    ],
)
def test_verdicts(percent: float | None, factor: float | None, one_value: float | None, verdict: str) -> None:
    """A model is poor beside one value for all, and rough by its error or by its factor."""
    error = ExpectedError("measured", 20, percent=percent, factor=factor, one_value=one_value)
    assert error.verdict == verdict


@pytest.mark.parametrize(
    ("factor", "text"), [(1.0004, "1.0004"), (1.00042, "1.0004"), (1.0099, "1.01"), (1.01, "1.01"), (1.236, "1.24")]
)
def test_factors_as_text(factor: float, text: str) -> None:
    """A factor close to 1 has the first digit of what is above 1, others have three digits."""
    assert factor_text(factor) == text
