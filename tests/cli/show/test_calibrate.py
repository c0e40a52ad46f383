"""Printed lines and JSON of calibrations, from estimates with given numbers."""

from __future__ import annotations

from typing import Any

import pytest

from splc.calibration.result import Confounded, DeterminedCombination, Estimate, Residual
from splc.cli.show import calibrate
from tests.support.objects import of
from tests.support.schemas import content_of

ALPHA = Estimate("alpha", 3.0, 2.0, 4.0, 2.0)
TABLE = Estimate("f", 1234567.0, None, None, None, determined=False, factor=0.5, key=2.0, by="nodes")
SUM = DeterminedCombination("sum", (("alpha", 1.0), ("f", 2.0)), 5.0, 4.0, 6.0)
WORST = Residual({"x": 2.0, "y": 0.5}, 4.0, 5.0)
ZERO = Residual({"x": 1.0}, 0.0, 1.0)


def result(**values: Any) -> Any:
    """Return the result of a calibration."""
    known = {
        "estimates": (ALPHA, TABLE),
        "confounded": (Confounded(("alpha", "f"), (SUM,)),),
        "without_effect": ("g",),
        "error_before": 20.0,
        "error_after": 1.2345678,
        "error_cross_validated": 2.5,
        "folds": 5,
        "worst": (WORST, ZERO),
        "configurations": 1200,
        "zeros": 1,
        "missing": 2,
        "weights": "relative",
        "level": 0.95,
        "linear": True,
        "converged": False,
        "degrees": 7,
        "deviation": 0.25,
    }
    return of(calibration=of(**known | values), nfp="time", model="a.txt", measurements="m.csv", seed=3, output=None)


def shown(capsys: pytest.CaptureFixture[str]) -> tuple[list[str], list[str]]:
    """Return the lines printed to stdout and to stderr."""
    captured = capsys.readouterr()
    return captured.out.splitlines(), captured.err.splitlines()


def test_estimates(capsys: pytest.CaptureFixture[str]) -> None:
    """Estimates have their intervals and ratios, and configurations their errors."""
    calibrate.show(result(), "p.toml")
    assert shown(capsys) == (
        [
            "parameter      benchmarked     estimate  low  high  ratio  ratio low  ratio high  remark",
            "alpha                    2            3    2     4    1.5          1           2",
            "f (nodes = 2)               1.23457e+06                                           not determined",
            "mean relative error: 1.23457 % (with the benchmarked values 20 %) on 1,200 configurations with time",
            "cross-validated: 2.5 % (5 folds, each predicted with estimates from the others)",
            "",
            "greatest residuals  measured  predicted  error, %",
            "x = 2, y = 0.5             4          5        25",
            "x = 1                      0          1",
        ],
        ["note: parameters written to p.toml"],
    )


@pytest.mark.parametrize(
    ("values", "lines"),
    [
        ({"error_before": None, "folds": 0}, ["mean relative error: 1.23457 % on 1,200 configurations with time"]),
        ({"error_after": None, "configurations": 1}, ["mean relative error:  (with", "on 1 configuration with time"]),
        (
            {"error_cross_validated": None, "folds": 1},
            ["cross-validated: undefined, there is not always a prediction (1 fold, each predicted"],
        ),
    ],
)
def test_errors(values: dict[str, Any], lines: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Errors that are undefined are left out, or said to be."""
    calibrate.show(result(**values), None)
    out, err = shown(capsys)
    text = "\n".join(out)
    assert all(line in text for line in lines)
    assert ("cross-validated" in text) == bool(values.get("folds", 5) and values.get("error_after", 1))
    assert err == []


def test_values_of_a_context(capsys: pytest.CaptureFixture[str]) -> None:
    """Each value of a context has a line with its estimates and errors."""
    results = {"1": result(), "2": result(error_before=None, error_cross_validated=None, configurations=1)}
    results["2"].output = "p2.toml"
    calibrate.show_by(results, "version")
    assert shown(capsys) == (
        [
            "version  alpha       f (nodes = 2)   error before      error  cross-validated  configurations",
            "'1'      3 (2 to 4)  not determined          20 %  1.23457 %            2.5 %           1,200",
            "'2'      3 (2 to 4)  not determined                1.23457 %                                1",
            "estimates with their 95 % intervals",
        ],
        ["note: parameters of version '2' written to p2.toml"],
    )
    assert content_of(calibrate.by_as_json(results, "version"), "splc.calibrate.by/1") == {
        "by": "version",
        "values": [
            {"value": "1", **content_of(calibrate.as_json(results["1"], None), "splc.calibrate/1")},
            {"value": "2", **content_of(calibrate.as_json(results["2"], "p2.toml"), "splc.calibrate/1")},
        ],
    }


def test_json() -> None:
    """All estimates, groups of confounded parameters and residuals are in JSON."""
    none = {"low": None, "high": None, "ratio": None, "ratio_low": None, "ratio_high": None, "benchmarked": None}
    assert content_of(calibrate.as_json(result(), "p.toml"), "splc.calibrate/1") == {
        "model": "a.txt",
        "measurements": "m.csv",
        "nfp": "time",
        "parameters": [
            {
                "name": "alpha",
                "benchmarked": 2.0,
                "estimate": 3.0,
                "low": 2.0,
                "high": 4.0,
                "ratio": 1.5,
                "ratio_low": 1.0,
                "ratio_high": 2.0,
                "determined": True,
                "at_bound": None,
                "table": None,
            },
            {
                **none,
                "name": "f",
                "estimate": 1234567.0,
                "determined": False,
                "at_bound": None,
                "table": {"by": "nodes", "row": 2.0, "factor": 0.5},
            },
        ],
        "confounded": [
            {
                "parameters": ["alpha", "f"],
                "determined": [
                    {
                        "text": "alpha + 2 * f",
                        "kind": "sum",
                        "parts": {"alpha": 1.0, "f": 2.0},
                        "value": 5.0,
                        "low": 4.0,
                        "high": 6.0,
                    }
                ],
            }
        ],
        "without_effect": ["g"],
        "error_before": 20.0,
        "error_after": 1.2345678,
        "error_cross_validated": 2.5,
        "folds": 5,
        "seed": 3,
        "worst": [
            {"configuration": {"x": 2.0, "y": 0.5}, "measured": 4.0, "predicted": 5.0, "error": 25.0},
            {"configuration": {"x": 1.0}, "measured": 0.0, "predicted": 1.0, "error": None},
        ],
        "configurations": 1200,
        "left_out": 1,
        "missing": 2,
        "weights": "relative",
        "level": 0.95,
        "linear": True,
        "converged": False,
        "degrees_of_freedom": 7,
        "deviation": 0.25,
        "output": "p.toml",
    }
