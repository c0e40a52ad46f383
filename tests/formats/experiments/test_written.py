"""Experiments that are written: as JSON lines, and in Extra-P's text format."""

from __future__ import annotations

import numpy as np
import pytest

from splc.data.experiment import Experiment
from splc.errors import OutputError
from splc.formats.experiments.extrap import experiment_text
from splc.formats.experiments.json_lines import experiment_jsonl

NAN = np.nan


def test_lines() -> None:
    """JSON lines are as Extra-P reads them, with whole numbers as such and one value without a list."""
    kept = Experiment(("p",), np.array([4, 0.5]), {("c", "ä"): np.array([[1.5, 2], [3, NAN]])})
    assert experiment_jsonl(kept) == (
        '{"params": {"p": 4}, "callpath": "c", "metric": "ä", "value": [1.5, 2]}\n'
        '{"params": {"p": 0.5}, "callpath": "c", "metric": "ä", "value": 3}\n'
    )
    with pytest.raises(OutputError, match="has no name"):
        experiment_jsonl(Experiment(("p",), np.array([4]), {("", "m"): np.array([1])}))


def test_text() -> None:
    """Text has a line per point, without missing values."""
    series = {("main->f", "time"): np.array([[1.5, NAN, 2], [NAN, NAN, NAN]]), ("main", "n"): np.array([1e20, -3])}
    assert experiment_text(Experiment(("p", "q"), np.array([[4, 0.5], [8, 1]]), series)) == (
        "PARAMETER p\nPARAMETER q\nPOINTS (4 0.5)\nPOINTS (8 1)\n\n"
        "REGION main->f\nMETRIC time\nDATA 1.5 2\nDATA\n\nREGION main\nMETRIC n\nDATA 1e+20\nDATA -3\n"
    )


@pytest.mark.parametrize(
    ("parameter", "callpath", "metric"),
    [("a b", "c", "m"), ("#p", "c", "m"), ("p", "a\nb", "m"), ("p", " c", "m"), ("p", "", "m"), ("p", "c", "m\r")],
)
def test_names_that_cannot_be_written(parameter: str, callpath: str, metric: str) -> None:
    """A name that would read back as another one is refused."""
    experiment = Experiment((parameter,), np.array([1.0]), {(callpath, metric): np.array([1.0])})
    with pytest.raises(OutputError, match="cannot be written in Extra-P's text format"):
        experiment_text(experiment)
