"""The first line about a learned model is true, and says plainly when a model is bad or unknown."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from splc.workflows.prediction_notes import ExpectedError, factor_text
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


def repeated(versions: int = 3) -> list[dict[str, str]]:
    """Return the rows of 20 settings, each measured with all versions, in 5 sessions."""
    draw = np.random.default_rng(4)
    rows = []
    for number in range(20):
        setting = {"a": number % 2, "n": 1 << int(draw.integers(6)), "m": int(draw.integers(1, 30))}
        value = (3 + 4 * setting["a"] + setting["n"]) * float(np.exp(0.7 * draw.standard_normal()))
        for version in range(1, versions + 1):
            cells = {"session": f"s{number // 4}", **setting, "version": f"v{version}"}
            rows.append(
                {**{key: str(cell) for key, cell in cells.items()}, "time": f"{value * (1 + 0.05 * version):.6g}"}
            )
    return rows


def write(rows: list[dict[str, str]], *left_out: str) -> None:
    """Write rows to the table, without some columns."""
    names = [name for name in rows[0] if name not in left_out]
    lines = [",".join(names), *(",".join(row[name] for name in names) for row in rows)]
    Path("table.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.slow
def test_errors_of_settings_that_repeat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    """The first line states the error on new settings, and that on known ones; folds and baselines do not change it."""
    monkeypatch.chdir(tmp_path)
    write(repeated(), "session")
    command = ("learn", "table.csv", "--options", "version")
    lines = [run(*command, *further).stdout.splitlines()[0] for further in ((), ("--folds", "2", "--baselines"))]
    assert len(set(lines)) == 1
    assert "new settings" in lines[0]
    expected = json.loads(Path("learned.json").read_text(encoding="utf-8"))["expected_error"]
    assert expected["about"] == "new settings"
    assert "version" in expected["known"]
    assert expected["known_percent"] < 0.3 * expected["percent"]
    # Of the other rows of known settings, the error is not that of new settings.
    sampled = json.loads(run(*command, "--sampling", "measured:40", "--json").stdout)
    assert sampled["expected_error"]["known_percent"] < 0.1 * sampled["error"]
    assert sampled["expected_error"]["source"] != "measured"
    # The rows that were not learned from are of known settings, and predictions say so.
    assert sampled["expected_error"]["known_by"] == ["a", "n", "m"]
    shown = run("predict", "learned.json", "table.csv")
    assert " of 57 configurations are of known settings with another version: the typical error" in shown.stderr


@pytest.mark.slow
def test_groups_of_a_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    """A column of groups is an option or any other column; the first line says what is new, and `predict` reads on."""
    monkeypatch.chdir(tmp_path)
    write(repeated())
    command = ("learn", "table.csv", "--options", "version", "--group")
    done = run(*command, "session")
    assert done.exit_code == 0, done.stderr
    assert "a new session" in done.stdout.splitlines()[0]
    assert run("predict", "learned.json", "table.csv").exit_code == 0
    assert "a new version" in run(*command, "version", "--ignore", "session").stdout.splitlines()[0]
    unknown = run(*command, "sesion")
    assert unknown.exit_code == 2
    assert "session" in unknown.stderr
