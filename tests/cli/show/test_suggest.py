"""Printed lines and JSON of suggestions, from suggestions with given numbers."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from splc.cli.show import suggest, suggest_configurations
from splc.data.configurations import Configurations
from splc.scaling.exponents import Exponents
from splc.scaling.result import ScalingModel
from splc.scaling.suggestion.suggestions import TargetPrediction
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from tests.cli.show.conftest import Printed
from tests.support.objects import of
from tests.support.schemas import content_of

NONE = Exponents(Fraction(0), Fraction(0))
MODEL = ScalingModel(
    names=("p", "n"),
    terms=((NONE, NONE), (Exponents(Fraction(1), Fraction(0)), NONE)),
    coefficients=(2.0, 3.0),
    ranges=((1.0, 16.0), (1.0, 2.0)),
    method="bayes",
    settings={},
    points=5,
    measurements=10,
    smape=1.25,
    adjusted_r2=0.5,
    rss=1.0,
    noise=None,
    notes=("of the model",),
)
TARGET = TargetPrediction((64.0, 2.0), 200.0, 150.12345678, 250.0)


def point(measured: int = 0, gain: float | None = None) -> Any:
    """Return a suggested point."""
    numbers = {"expected": 98.0, "lower": 1.2345678, "upper": 99.0, "cost": 640.0}
    return of(point=(32.0, 2.0), **numbers, reason="gain", measured=measured, gain=gain)


def result(*points: Any, **values: Any) -> Any:
    """Return the result of `splc suggest`."""
    known = {
        "names": ("p", "n"),
        "points": points,
        "model": MODEL,
        "target": None,
        "error": None,
        "checked": 2,
        "spent": 1234567.0,
        "repetitions": 3,
        "why": "because",
        "done": False,
        "strategy": "target",
        "candidates": 9,
        "notes": ("of the suggestions",),
    }
    return of(suggestions=of(**known | values), callpaths=("main",), cost="p", notes=())


def test_points(printed: Printed) -> None:
    """Points have their coordinates, expected values, intervals and costs."""
    suggest.show(result(point()), None)
    assert printed() == [
        "model: 2 + 3 * p (5 points)",
        "spent: 1.23457e+06 (cost: p)",
        "next, 3 measurements each:",
        " p  n  expected     from  to  cost",
        "32  2        98  1.23457  99   640",
        "because",
    ]
    one = replace(MODEL, points=1)
    suggest.show(result(model=one, target=TARGET, error=1.2345, checked=1, repetitions=1), 2345678.0)
    assert printed() == [
        "model: 2 + 3 * p (1 point)",
        "at p = 64, n = 2: 200, 90 % interval 150.123 … 250 (within 25 %)",
        "error: 1.23 % at 1 point off the lines",
        "spent: 1.23457e+06 of 2.34568e+06 (cost: p)",
        "because",
    ]


def test_an_error_that_is_rounding(printed: Printed) -> None:
    """An error that rounding alone causes is not printed with all its digits."""
    suggest.show(result(error=1.5e-14, checked=4), None)
    assert "error: < 0.001 % at 4 points off the lines" in printed()


def test_repeated_points(printed: Printed) -> None:
    """Points that were measured have the number of measurements, and gains are shown where they are known."""
    suggest.show(result(point(), point(2, 12.345), repetitions=1), None)
    assert printed()[2:5] == [
        "next, 1 measurement each:",
        " p  n  expected     from  to  cost  measured    gain",
        "32  2        98  1.23457  99   640         0",
    ]
    suggest.show(result(point(), point(2)), None)
    assert printed()[3:6] == [
        " p  n  expected     from  to  cost  measured",
        "32  2        98  1.23457  99   640         0",
        "32  2        98  1.23457  99   640         2",
    ]
    suggest.show(result(point(0, 12.345)), None)
    assert printed()[3:5] == [
        " p  n  expected     from  to  cost    gain",
        "32  2        98  1.23457  99   640  12.3 %",
    ]


def test_json() -> None:
    """Points name their parameters; the target has its interval and error."""
    content = {
        "parameters": ["p", "n"],
        "callpaths": ["main"],
        "next": [
            {
                "point": {"p": 32.0, "n": 2.0},
                "expected": 98.0,
                "interval": [1.2345678, 99.0],
                "cost": 640.0,
                "reason": "gain",
                "measured": 2,
                "gain": 12.5,
            }
        ],
        "done": False,
        "why": "because",
        "model": MODEL.text,
        "formula": "2 + 3 * p",
        "strategy": "target",
        "target": None,
        "measured_points": 5,
        "error": None,
        "error_points": 2,
        "until": 4.0,
        "spent": 1234567.0,
        "budget": 6.0,
        "cost": "p",
        "repetitions": 3,
        "candidates": 9,
        "notes": ["of the suggestions", "of the model"],
    }
    assert content_of(suggest.as_json(result(point(2, 12.5)), 4.0, 6.0), "splc.suggest.profile/1") == content
    target = {"point": {"p": 64.0, "n": 2.0}, "predicted": 200.0, "interval": [150.12345678, 250.0], "error": 25.0}
    assert suggest.as_json(result(target=TARGET), None, None)["target"] == target


SYSTEM = VariabilityModel("s", (NumericOption("x", (1.0, 2.5)),))


def configurations(goal: str, **values: Any) -> Any:
    """Return suggested configurations."""
    found = {
        "configurations": Configurations.from_columns(SYSTEM, {"x": [1, 2.5]}),
        "goal": goal,
        "gains": np.array([10.0, 2.345678]),
        "predicted": np.array([1.0, 2.0]),
        "low": np.array([3.0, 4.0]),
        "high": np.array([5.0, 6.0]),
        "costs": None,
        "candidates": 9,
        "model": of(name="log"),
        "columns": lambda: {"gain": np.array([10.0, 2.3456789])},
    } | values
    return of(suggestions=of(**found), nfp="time", measured=7, best=1.2345678, notes=(of(text="a note"),))


@pytest.mark.parametrize(
    ("goal", "measured", "text"),
    [
        ("variance", 7, "they are expected to reduce the mean variance of predictions by 12.3 %"),
        ("optimum", 7, "best of 7 measured values: 1.23457"),
        ("optimum", 1, "best of 1 measured value: 1.23457"),
    ],
)
def test_configurations(goal: str, measured: int, text: str, capsys: pytest.CaptureFixture[str], tmp_path: Any) -> None:
    """The table has rounded gains; the summary is about the goal."""
    found = configurations(goal)
    found.measured = measured
    table = "x,gain\n1,10\n2.5,2.34568\n"
    suggest_configurations.write(found, "-")
    assert capsys.readouterr() == (table, f"note: {text}\n")
    file = tmp_path / "c.csv"
    suggest_configurations.write(found, str(file))
    assert capsys.readouterr() == ("", f"note: {text}\nnote: 2 configurations written to {file}\n")
    assert file.read_text() == table


def test_json_of_configurations() -> None:
    """The configurations are in the object unless a file has them; the goal decides on the summary."""
    content = {
        "goal": "optimum",
        "nfp": "time",
        "measured": 7,
        "best_measured": 1.2345678,
        "configurations": 2,
        "candidates": 9,
        "scale": "log",
        "notes": ["a note"],
        "output": "f",
    }

    def found(*given: Any, **values: Any) -> dict[str, Any]:
        return content_of(
            suggest_configurations.as_json(configurations(given[0], **values), given[1]), "splc.suggest/1"
        )

    assert found("optimum", "f") == content
    variance = {**content, "goal": "variance", "scale": None, "variance_reduction_percent": 12.345678}
    assert found("variance", "f", model=None) == variance
    rows = [
        {"configuration": {"x": 1.0}, "gain": 10.0, "predicted": 1.0, "low": 3.0, "high": 5.0},
        {"configuration": {"x": 2.5}, "gain": 2.345678, "predicted": 2.0, "low": 4.0, "high": 6.0},
    ]
    assert found("optimum", None) == {**content, "output": None, "next": rows}
    costs = found("optimum", None, costs=np.array([8.0, 9.0]))
    assert [each["cost"] for each in costs["next"]] == [8.0, 9.0]
