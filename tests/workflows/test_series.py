"""Selection of series by call path and metric, and notes on columns that may be parameters."""

from __future__ import annotations

import numpy as np
import pytest

from splc.data.experiment import Experiment
from splc.errors import MeasurementError
from splc.workflows.scaling_view import chosen_series, pooling_notes

POINTS = np.arange(1.0, 7.0)


def experiment(**metrics: object) -> Experiment:
    """Return an experiment of one call path with 6 points and these metrics."""
    return Experiment(("p",), POINTS, {("f", name): np.array(values, dtype=float) for name, values in metrics.items()})


def noted(values: object) -> bool:
    """Return whether there is a note on an unused metric with these values."""
    found = pooling_notes(experiment(time=np.ones((6, 2)), m=values), [("f", "time")])
    assert all("rows of the same point differ in m " in str(note) for note in found)
    return bool(found)


def test_columns_that_may_be_parameters() -> None:
    """Few whole values that differ at the same point may be those of a parameter, others not."""
    assert noted([[1, 2]] * 6)
    assert noted([[1, 1]] * 5 + [[1, 2]])
    assert not noted([[1, 1], [2, 2]] * 3)
    assert not noted([[1, 1.5]] * 6)
    assert noted([[1, 2], [3, 4], [5, 6], [1, 2], [1, 2], [1, 2]])
    assert not noted([[1, 2], [3, 4], [5, 6], [7, 2], [1, 2], [1, 2]])
    assert not noted([[1, np.nan]] * 6)


def test_used_metrics_are_no_parameters() -> None:
    """There are no notes on the metrics of the series; the advice names the first of several columns."""
    found = experiment(time=[[1, 2]] * 6, a=[[1, 2]] * 6, b=[[3, 4]] * 6)
    assert pooling_notes(found, list(found.series)) == ()
    (note,) = pooling_notes(found, [("f", "time")])
    assert note.warning
    assert "differ in a, b and" in str(note)
    assert note.details == ("if a is a parameter, add it to --coordinates; else use one value with --where a=VALUE",)


def test_series() -> None:
    """Names match themselves first, then as patterns; call paths and metrics have to occur together."""
    keys = [("main", "time"), ("a[]", "time"), ("ab", "time"), ("a[b]", "bytes")]
    found = Experiment(("p",), POINTS, {key: np.ones((6, 1)) for key in keys})
    assert chosen_series(found, None, None) == keys
    assert chosen_series(found, ["a*"], None) == keys[1:]
    assert chosen_series(found, ["a[]"], None) == [keys[1]]
    assert chosen_series(found, ["a[b]", "main"], ["bytes", "time"]) == [keys[0], keys[3]]
    assert chosen_series(found, ["a[bc]"], None) == [keys[2]]
    with pytest.raises(MeasurementError, match="there is no metric 'tim'\n    did you mean 'time'"):
        chosen_series(found, None, ["tim"])
    with pytest.raises(MeasurementError, match="none of the call paths has any of the metrics\n    choose others"):
        chosen_series(found, ["main"], ["bytes"])
