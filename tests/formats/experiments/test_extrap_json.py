"""Experiments as JSON, JSON lines and in Talpas' form."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from splc.data.experiment import Experiment
from splc.errors import InputError, OutputError
from splc.formats.detect import commas
from splc.formats.experiments.extrap_json import parse_experiment_json
from splc.formats.experiments.json_lines import experiment_jsonl, parse_experiment_lines
from splc.io.files import Source

NAN = np.nan
NEW = {
    "parameters": ["p", "n"],
    "measurements": {
        "main": {
            "time": [{"point": [4, 10], "values": [3.5, 3.6]}, {"point": [8, 10], "values": [7]}],
            "flops": [{"point": [8, 10], "values": [1]}],
        }
    },
}
OLD = {
    "parameters": [{"id": 2, "name": "n"}, {"id": 1, "name": "p"}],
    "callpaths": [{"id": 1, "name": "main"}],
    "metrics": [{"id": 1, "name": "time"}, {"id": "2", "name": "flops"}],
    "coordinates": [
        {
            "id": at,
            "parameter_value_pairs": [
                {"parameter_id": 1, "parameter_value": p},
                {"parameter_id": 2, "parameter_value": "10"},
            ],
        }
        for at, p in ((1, "4"), (2, 8))
    ],
    "measurements": [
        {"id": at, "coordinate_id": c, "callpath_id": 1, "metric_id": m, "value": v}
        for at, (c, m, v) in enumerate([(1, 1, 3.5), (1, 1, "3.6"), (2, 1, 7), (2, 2, 1)])
    ],
}


def read(content: Any, talpas: bool | None = None) -> Experiment:
    """Read an object as JSON, a text as JSON lines or Talpas."""
    if isinstance(content, str) and talpas is not None:
        return parse_experiment_lines(Source("e", content.encode()), talpas=talpas)
    text = content if isinstance(content, str) else json.dumps(content)
    return parse_experiment_json(Source("e", text.encode()))


def refused(content: Any, talpas: bool | None = None) -> list[str]:
    """Return the first lines of the errors."""
    with pytest.raises(InputError) as caught:
        read(content, talpas)
    return [str(problem).splitlines()[0] for problem in caught.value.problems]


@pytest.mark.parametrize("content", [NEW, OLD])
def test_both_forms(content: Any) -> None:
    """Both forms hold the same experiment; points that are missing for some series are noted."""
    kept = read(content)
    assert kept.parameters == ("p", "n")
    assert kept.points.tolist() == [[4, 10], [8, 10]]
    np.testing.assert_array_equal(kept["main", "time"], [[3.5, 3.6], [7, NAN]])
    np.testing.assert_array_equal(kept["main", "flops"], [[NAN], [1]])
    assert not kept.report.missing
    assert len(kept.report.notes) == 1


def changed(content: Any, path: list[Any], value: Any) -> Any:
    """Return the content with another value at a path; `...` removes it."""
    copy = json.loads(json.dumps(content))
    place = copy
    for key in path[:-1]:
        place = place[key]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return copy


TIME = ["measurements", "main", "time"]
PAIRS = ["coordinates", 0, "parameter_value_pairs"]


@pytest.mark.parametrize(
    ("content", "path", "value", "expected"),
    [
        (NEW, ["parameters"], ..., "there is no 'parameters'"),
        (NEW, ["parameters"], "p", "parameters must be a list"),
        (NEW, ["parameters", 0], 1, "parameters must be a list of names"),
        (NEW, ["parameters", 0], "n", "duplicate parameter 'n'"),
        (NEW, ["parameters", 0], "", "a parameter has no name"),
        (NEW, ["measurements"], ..., "there is no 'measurements'"),
        (NEW, ["measurements"], None, "measurements must be an object"),
        (NEW, ["measurements"], {}, "there are no measurements"),
        (NEW, ["measurements", ""], {}, "measurements: a name is empty"),
        (NEW, ["measurements", "main"], [], "measurements.main must be an object"),
        (NEW, TIME, {}, "measurements.main.time must be a list of points"),
        (NEW, [*TIME, 0], 5, "measurements.main.time[0] must be an object"),
        (NEW, [*TIME, 0, "point"], ..., "measurements.main.time[0].point must be a list"),
        (NEW, [*TIME, 0, "point"], [1], "measurements.main.time[0].point has 1 coordinate, but there are 2 parameters"),
        (NEW, [*TIME, 0, "point", 1], None, "measurements.main.time[0].point[1]: null is not a number"),
        (NEW, [*TIME, 0, "values"], ..., "measurements.main.time[0] has no 'values'"),
        (NEW, [*TIME, 0, "values", 1], "x", "measurements.main.time[0].values[1]: 'x' is not a number"),
        (NEW, [*TIME, 0, "values", 1], [], "measurements.main.time[0].values[1]: a list is not a number"),
        (NEW, [*TIME, 0, "values", 1], True, "measurements.main.time[0].values[1]: true is not a number"),
        (NEW, [*TIME, 0, "values", 1], NAN, "measurements.main.time[0].values[1]: NaN is not a number"),
        (NEW, [*TIME, 0, "values", 1], 10**400, "measurements.main.time[0].values[1]: a number is too large"),
        (OLD, ["callpaths"], ..., "there is no 'callpaths'"),
        (OLD, ["callpaths", 0, "name"], 5, "callpaths[0].name must be a name"),
        (OLD, ["callpaths", 0], 5, "callpaths[0] must be an object with an 'id'"),
        (OLD, ["metrics", 1, "id"], 1, "metrics[1]: the id '1' is a duplicate"),
        (OLD, PAIRS, {}, "coordinates[0].parameter_value_pairs must be a list"),
        (OLD, [*PAIRS, 0], 5, "coordinates[0].parameter_value_pairs[0] must be an object"),
        (OLD, [*PAIRS, 0], ..., "coordinates[0]: the parameter 'p' has no value"),
        (
            OLD,
            [*PAIRS, 0, "parameter_id"],
            9,
            "coordinates[0].parameter_value_pairs[0].parameter_id refers to no param",
        ),
        (OLD, [*PAIRS, 0, "parameter_id"], 2, "coordinates[0].parameter_value_pairs[1]: n has a value already"),
        (
            OLD,
            [*PAIRS, 0, "parameter_value"],
            "x",
            "coordinates[0].parameter_value_pairs[0].parameter_value: 'x' is not",
        ),
        (OLD, ["measurements", 0], 5, "measurements[0] must be an object"),
        (OLD, ["measurements", 0, "metric_id"], 9, "measurements[0].metric_id refers to no metric"),
        (OLD, ["measurements", 0, "metric_id"], ..., "measurements[0].metric_id is missing"),
        (OLD, ["measurements", 0, "value"], ..., "measurements[0].value: null is not a number"),
    ],
)
def test_errors_of_json(content: Any, path: list[Any], value: Any, expected: str) -> None:
    """All errors of both forms have their place as a path."""
    assert any(message.startswith(f"e: {expected}") for message in refused(changed(content, path, value)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{\n "parameters": [,]}', "e:2:17: not JSON: Expecting value"),
        ("[]", "e: not an object"),
        ("[" * 100_000, "e: nested too deeply"),
        ('{"parameters": ["p"], "measurements": {"a": {}, "a": {}}}', "e: duplicate key 'a' in an object"),
        (r'{"parameters": ["\ud800"], "measurements": {}}', "e: not JSON: a string has an unpaired surrogate"),
    ],
)
def test_what_is_no_json(text: str, expected: str) -> None:
    """Content that is not JSON is an error with line and column, and so are duplicate keys, which would hide data."""
    assert refused(text) == [expected]


def test_lines() -> None:
    """Lines of a point are repetitions, a list is several, names are optional, other keys are noted."""
    text = (
        '{"params": {"p": 4, "n": 1}, "value": 3, "host": "a"}\n\n{"params": {"n": 1, "p": 8}, "value": [5, 6]}\r\n'
        '{"params": {"p": 4, "n": 1}, "value": "4"}\n'
        '{"parameters": {"p": 4, "n": 1}, "metric": "m", "callpath": "c", "value": null}\n'
        '{"params": {"p": 8, "n": 2}, "metric": "m", "callpath": "c", "value": 1e3}'
    )
    kept = read(text, talpas=False)
    assert kept.points.tolist() == [[4, 1], [8, 1], [8, 2]]
    np.testing.assert_array_equal(kept["<root>", "<default>"], [[3, 4], [5, 6], [NAN, NAN]])
    np.testing.assert_array_equal(kept["c", "m"], [[NAN], [NAN], [1000]])
    assert kept.report.notes[0] == "not used: host"


def test_talpas() -> None:
    """Semicolons are commas, except inside of texts."""
    line = r'{"parameters":{"x":20;"y":1};"metric":"time; \"wall\"";"callpath":"a;b";"value":[82.0;83]}'
    kept = read(line, talpas=True)
    assert kept.parameters == ("x", "y")
    assert kept["a;b", 'time; "wall"'].tolist() == [[82, 83]]
    assert commas('";"; ";') == '";", ",'


LINE = '{"params": {"x": 1, "y": 2}, "value": 3}\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\n", ["e: there are no measurements in the file"]),
        (LINE + LINE[:-3] + "\n", ["e:2:39: not JSON: Expecting"]),
        (LINE + "5\n", ["e:2: not an object"]),
        (LINE + '{"value": 3}\n', ["e:2: no parameters"]),
        (LINE + '{"params": {}, "value": 3}\n', ["e:2: no parameters"]),
        (
            LINE + '{"params": {"x": 1}, "parameters": {}, "value": 3}\n',
            ["e:2: both 'params' and 'parameters'"],
        ),
        (LINE.replace('"y"', '"x"'), ["e:1: duplicate key 'x'"]),
        (LINE.replace('"y"', '""'), ["e:1: a parameter has no name"]),
        (LINE + LINE.replace(', "y": 2', ""), ["e:2: the parameter 'y' has no value"]),
        (LINE + LINE.replace('"y"', '"Y"'), ["e:2: the parameter 'y' has no value", "e:2: another parameter, 'Y'"]),
        (LINE + LINE.replace("2", '"2,5"'), ["e:2: y: '2,5' is not a number"]),
        (
            LINE + LINE.replace("3", "[3, NaN, Infinity, {}]"),
            ["e:2: value: NaN", "e:2: value: a number is too large", "e:2: value: an object is not a number"],
        ),
        (LINE.replace("value", "valve"), ["e:1: no 'value'"]),
        (
            LINE.replace('"value"', '"metric": 5, "callpath": "", "value"'),
            ["e:1: 'callpath' must", "e:1: 'metric' must"],
        ),
        (LINE.replace("3", "9" * 5000), ["e:1: value: a number is too large"]),
        (LINE.replace("3", "[" * 99_999), ["e:1: nested too deeply"]),
    ],
)
def test_errors_of_lines(text: str, expected: list[str]) -> None:
    """All errors of a file are reported at once, each with its line."""
    found = refused(text, talpas=False)
    for message, beginning in zip(found, expected, strict=True):
        assert message.startswith(beginning)


def test_hints_of_other_parameters() -> None:
    """A parameter that the first line does not have is an error with the nearest name, or with all names."""
    for name, hint in (("yy", "did you mean 'y'?"), ("width", "the parameters of the first line are x, y")):
        with pytest.raises(InputError) as caught:
            read(LINE + LINE.replace("y", name), talpas=False)
        assert f"another parameter, {name!r}\n    {hint}" in str(caught.value)


def test_written() -> None:
    """Written JSON lines are as Extra-P reads them, with whole numbers as such and one value without a list."""
    kept = Experiment(("p",), np.array([4, 0.5]), {("c", "ä"): np.array([[1.5, 2], [3, NAN]])})
    assert experiment_jsonl(kept) == (
        '{"params": {"p": 4}, "callpath": "c", "metric": "ä", "value": [1.5, 2]}\n'
        '{"params": {"p": 0.5}, "callpath": "c", "metric": "ä", "value": 3}\n'
    )
    with pytest.raises(OutputError, match="has no name"):
        experiment_jsonl(Experiment(("p",), np.array([4]), {("", "m"): np.array([1])}))
