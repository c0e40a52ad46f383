"""Experiments as JSON and JSON lines."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from splc.data.experiment import Experiment
from splc.errors import OutputError
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


def read(content: Any) -> Experiment:
    """Read an object, or its text, as JSON."""
    text = content if isinstance(content, str) else json.dumps(content)
    return parse_experiment_json(Source("e", text.encode()))


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


def test_lines() -> None:
    """Lines of a point are repetitions, a list is several, names are optional, other keys are noted."""
    text = (
        '{"params": {"p": 4, "n": 1}, "value": 3, "host": "a"}\n\n{"params": {"n": 1, "p": 8}, "value": [5, 6]}\r\n'
        '{"params": {"p": 4, "n": 1}, "value": "4"}\n'
        '{"parameters": {"p": 4, "n": 1}, "metric": "m", "callpath": "c", "value": null}\n'
        '{"params": {"p": 8, "n": 2}, "metric": "m", "callpath": "c", "value": 1e3}'
    )
    kept = parse_experiment_lines(Source("e", text.encode()))
    assert kept.points.tolist() == [[4, 1], [8, 1], [8, 2]]
    np.testing.assert_array_equal(kept["<root>", "<default>"], [[3, 4], [5, 6], [NAN, NAN]])
    np.testing.assert_array_equal(kept["c", "m"], [[NAN], [NAN], [1000]])
    assert kept.report.notes[0] == "not used: host"


def test_written() -> None:
    """Written JSON lines are as Extra-P reads them, with whole numbers as such and one value without a list."""
    kept = Experiment(("p",), np.array([4, 0.5]), {("c", "ä"): np.array([[1.5, 2], [3, NAN]])})
    assert experiment_jsonl(kept) == (
        '{"params": {"p": 4}, "callpath": "c", "metric": "ä", "value": [1.5, 2]}\n'
        '{"params": {"p": 0.5}, "callpath": "c", "metric": "ä", "value": 3}\n'
    )
    with pytest.raises(OutputError, match="has no name"):
        experiment_jsonl(Experiment(("p",), np.array([4]), {("", "m"): np.array([1])}))
