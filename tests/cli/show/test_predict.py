"""Printed lines, files and JSON of predictions, samples and inferred descriptions, from given numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from splc.cli.show import init, predict, sample
from splc.data.configurations import Configurations
from splc.io.json import plain_values
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.support.objects import of
from tests.support.schemas import content_of

SYSTEM = VariabilityModel("s", (BinaryOption("a"), NumericOption("x", (1.0, 2.5))))
TWO = Configurations.from_columns(SYSTEM, {"a": [0, 1], "x": [1, 2.5]})


def result(**values: Any) -> Any:
    """Return two predictions."""
    known = {
        "rows": of(configurations=TWO, nfp="time", measured=np.array([1.0, 4.0]), report=of(invalid=[7, 8, 9])),
        "predicted": np.array([2.0, 3.0]),
        "model_nfp": "seconds",
        "error": 1.2345678,
        "judged": 2,
        "left_out": 1,
        "full": True,
        "intervals": None,
        "extrapolated": None,
    }
    return of(**known | values)


def intervals(covered: float | None) -> Any:
    """Return intervals of two predictions."""
    return of(level=0.9, low=np.array([1.0, 2.0]), high=np.array([3.0, 4.0]), covered=covered)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({}, "note: mean relative error 1.23457 % on 2 configurations with time\n"),
        ({"error": None, "judged": 1}, "note: mean relative error undefined on 1 configuration with time\n"),
        ({"rows": of(measured=None)}, ""),
        ({"rows": of(measured=None), "intervals": intervals(None)}, ""),
        (
            {"rows": of(measured=None), "intervals": intervals(0.12345)},
            "note: 12.3 % of the measured values lie in the 90 % prediction intervals\n",
        ),
    ],
)
def test_error(values: dict[str, Any], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The error and the share in the intervals are stated, where something was measured."""
    predict.show_error(result(**values))
    assert capsys.readouterr() == ("", text)


def test_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table has configurations, measured values, predictions and intervals."""
    file = tmp_path / "p.csv"
    predict.write(result(intervals=intervals(None)), str(file))
    assert file.read_text() == "a,x,time,predicted,low,high\n0,1,1,2,1,3\n1,2.5,4,3,2,4\n"
    assert capsys.readouterr() == ("", f"note: 2 predictions written to {file}\n")
    predict.write(result(rows=of(configurations=TWO, nfp="time", measured=None)), "-")
    assert capsys.readouterr() == ("a,x,predicted\n0,1,2\n1,2.5,3\n", "")
    rows = of(configurations=TWO, nfp=None, measured=np.array([1.0, 4.0]))
    predict.write(result(rows=rows), "-")
    assert capsys.readouterr().out.splitlines()[0] == "a,x,predicted"


@pytest.mark.parametrize(("nfp", "name"), [("predicted", "predicted_predicted"), (None, "predicted_value")])
def test_taken_names(nfp: str | None, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A prediction has another name, where an option or the property has its name."""
    system = VariabilityModel("s", (BinaryOption("a" if nfp else "predicted"),))
    rows = Configurations.from_columns(system, {system.names[0]: [1]})
    measured = np.array([5.0]) if nfp else None
    given = of(configurations=rows, nfp=nfp, measured=measured)
    predict.write(result(rows=given, predicted=np.array([6.0])), "-")
    assert capsys.readouterr().out == (f"a,predicted,{name}\n1,5,6\n" if nfp else f"predicted,{name}\n1,6\n")


def test_values_of_a_context(capsys: pytest.CaptureFixture[str]) -> None:
    """Each value of a context has a line with its error and the share in the intervals."""
    results = {
        "1": (result(intervals=intervals(0.5)), "p1.csv"),
        "2": (result(error=None, intervals=intervals(None), predicted=np.zeros(1200)), None),
        "3": (result(), None),
    }
    predict.show_by(results, "version")
    assert capsys.readouterr().out.splitlines() == [
        "version  configurations      error  in intervals  predictions",
        "'1'                   2  1.23457 %          50 %  p1.csv",
        "'2'               1,200",
        "'3'                   2  1.23457 %",
    ]
    values = predict.by_as_json(results, "version")
    assert values["by"] == "version"
    assert [each["value"] for each in values["values"]] == ["1", "2", "3"]
    assert [each["output"] for each in values["values"]] == ["p1.csv", None, None]


def test_json() -> None:
    """The predictions are in the file, if there is one, or else in the object."""
    own = intervals(0.5)
    assert content_of(predict.as_json(result(intervals=own, extrapolated="some"), "p.csv"), "splc.predict/1") == {
        "configurations": 2,
        "nfp": "time",
        "full_model": True,
        "error": 1.2345678,
        "left_out": 1,
        "invalid": 3,
        "intervals": plain_values(vars(own)),
        "extrapolated": "some",
        "predicted": None,
        "output": "p.csv",
        "model_nfp": "seconds",
    }
    content = content_of(predict.as_json(result(), None), "splc.predict/1")
    assert content["predicted"] == [2.0, 3.0]
    assert content["intervals"] is None


SAMPLED: Any = of(configurations=TWO, spec="pb:9,3", seed=4, removed=5, notes=("a note",), extended=None)


def test_sample(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A sample is a table, or lines; the number of configurations in a file is stated."""
    file = tmp_path / "c.csv"
    sample.write(SAMPLED, str(file), None)
    assert file.read_text() == "a,x\n0,1\n1,2.5\n"
    assert capsys.readouterr() == ("", f"note: 2 configurations written to {file}\n")
    sample.write(SAMPLED, "-", ["one", "two"])
    assert capsys.readouterr() == ("one\ntwo\n", "")


def test_sample_json() -> None:
    """The configurations are in the object unless a file has them."""
    content = {"sampling": "pb:9,3", "seed": 4, "configurations": 2, "removed": 5, "notes": ["a note"]}
    rows = [{"a": 0.0, "x": 1.0}, {"a": 1.0, "x": 2.5}]
    assert content_of(sample.as_json(SAMPLED, None, None), "splc.sample/1") == {**content, "output": None, "rows": rows}
    assert content_of(sample.as_json(SAMPLED, None, ["one"]), "splc.sample/1") == {
        **content,
        "output": None,
        "commands": ["one"],
    }
    assert content_of(sample.as_json(SAMPLED, "f", ["one"]), "splc.sample/1") == {**content, "output": "f"}
    extended = of(**vars(SAMPLED) | {"extended": 0})
    assert content_of(sample.as_json(extended, "f", None), "splc.sample/1") == {**content, "output": "f", "extended": 0}


def test_inferred_description() -> None:
    """An inferred description has its options, columns and assumptions."""
    group = [BinaryOption(name, optional=False, excluded=((other,),)) for name, other in ("lr", "rl")]
    system = VariabilityModel("s", (BinaryOption("a"), *group, NumericOption("x", (1.0, 2.5))), source="m.csv")
    inference = of(
        system=system,
        uncertain=(("a", "b"),),
        properties=("time",),
        contexts=("version",),
        ignored={"c": "empty"},
        assumptions=("one",),
    )
    found = of(inference=inference, differences=("d",), output="-", notes=(of(text="a note"),))
    content = {
        "source": "m.csv",
        "binary_options": ["a", "l", "r"],
        "numeric_options": {"x": [1.0, 2.5]},
        "alternative_groups": [["l", "r"]],
        "uncertain_groups": [["a", "b"]],
        "properties": ["time"],
        "contexts": ["version"],
        "ignored": {"c": "empty"},
        "assumptions": ["one"],
        "name": "s",
        "differences": ["d"],
        "notes": ["a note"],
    }
    assert content_of(init.as_json(found), "splc.init/1") == {**content, "output": None}
    found.output = "s.xml"
    assert content_of(init.as_json(found), "splc.init/1") == {**content, "output": "s.xml"}
