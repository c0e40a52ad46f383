"""Experiments as values."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from splc.data.experiment import Experiment, Key
from splc.data.measurements import ReadingReport
from splc.errors import MeasurementError

NAN = np.nan


def experiment(**changes: object) -> Experiment:
    """Return a small experiment with changes."""
    series: dict[Key, object] = {
        ("main", "time"): [[1.0, 3.0, 8.0], [NAN, NAN, NAN], [5.0, NAN, NAN]],
        ("main->f", "time"): [2.0, 4.0, 6.0],
        ("main", "flops"): [[7.0, 9.0], [1.0, 2.0], [3.0, 4.0]],
    }
    given = {"parameters": ("p", "n"), "points": [[1, 10], [2, 10], [4, 10]], "series": series}
    return Experiment(**(given | changes))  # type: ignore[arg-type]


def test_names_and_values() -> None:
    """Call paths, metrics and constant parameters are listed in order of first appearance."""
    kept = experiment()
    assert len(kept) == 3
    assert kept.callpaths == ("main", "main->f")
    assert kept.metrics == ("time", "flops")
    assert kept.constant == {"n": 10.0}
    assert kept["main->f", "time"].tolist() == [[2], [4], [6]]


def test_measured_points() -> None:
    """The measured points of a series are those with a value, repetitions kept."""
    points, values = experiment().measured("main", "time")
    assert points.tolist() == [[1, 10], [4, 10]]
    np.testing.assert_array_equal(values, [[1, 3, 8], [5, NAN, NAN]])


def test_equality() -> None:
    """Experiments are equal if names, points and values are; neither padding nor the sign of 0 counts."""
    kept = experiment(points=[[0.0, 10], [2, 10], [4, 10]])
    wider = {key: np.pad(values, ((0, 0), (0, 2)), constant_values=NAN) for key, values in kept.series.items()}
    assert kept == experiment(points=[[-0.0, 10], [2, 10], [4, 10]], series=wider)
    assert kept == pickle.loads(pickle.dumps(kept))  # noqa: S301
    assert kept != experiment()
    assert kept != experiment(points=kept.points, parameters=("p", "m"))
    other = {**kept.series, ("main->f", "time"): np.array([2.0, 4.0, 7.0])}
    assert kept != experiment(points=kept.points, series=other)
    assert kept != experiment(points=kept.points, series=dict(reversed(list(kept.series.items()))))
    assert kept != "kept"


def test_numbers() -> None:
    """Whole numbers are floats in points and values, and single values are one repetition."""
    kept = experiment(series={("a", "b"): [1, 2, 3]})
    assert kept["a", "b"].dtype == kept.points.dtype == float
    assert kept["a", "b"].shape == (3, 1)
    assert experiment(parameters=["p", "n"]).parameters == ("p", "n")
    assert experiment(parameters=("p",), points=[1, 2, 4]).points.tolist() == [[1], [2], [4]]


def test_copies_in_other_processes() -> None:
    """A copy for another process has the report and the contexts."""
    kept = experiment(report=ReadingReport("a.txt", rows=7), contexts={"version": "2"})
    copy = pickle.loads(pickle.dumps(kept))  # noqa: S301
    assert (copy, copy.report, copy.contexts) == (kept, kept.report, {"version": "2"})


def test_read_only() -> None:
    """Points and values are read-only copies."""
    points = np.array([[1.0], [2.0]])
    kept = Experiment(("p",), points, {("a", "b"): np.array([1.0, 2.0])})
    points[0] = 9
    assert kept.points.tolist() == [[1], [2]]
    with pytest.raises(ValueError, match="read-only"):
        kept.points[0] = 9
    with pytest.raises(ValueError, match="read-only"):
        kept["a", "b"][0] = 9
    with pytest.raises(TypeError):
        kept.series["a", "c"] = points  # type: ignore[index]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"parameters": ()}, "an experiment needs parameters, each with a name"),
        ({"parameters": ("p", "")}, "an experiment needs parameters, each with a name"),
        ({"parameters": ("p", "p")}, "duplicate parameter in p, p"),
        ({"parameters": ("p",)}, "1 parameters, but points of shape (3, 2)"),
        ({"points": np.ones((3, 2, 1))}, "2 parameters, but points of shape (3, 2, 1)"),
        ({"points": np.empty((0, 2))}, "an experiment needs points and measurements"),
        ({"series": {}}, "an experiment needs points and measurements"),
        ({"points": [[1, 10], [2, NAN], [4, 10]]}, "the coordinates of points must be finite numbers"),
        ({"points": [[1, 10], [2, 10], [1, 10]]}, "duplicate point; its repetitions belong into one row"),
        ({"series": {("a", "b"): [1.0, 2.0]}}, "a, b: 3 points, but values of shape (2, 1)"),
        ({"series": {("a", "b"): 3.0}}, "a, b: 3 points, but values of shape ()"),
        ({"series": {("a", "b"): np.ones((3, 2, 1))}}, "a, b: 3 points, but values of shape (3, 2, 1)"),
        ({"series": {("a", "b"): [1.0, 2.0, np.inf]}}, "a, b: a value is infinite"),
    ],
)
def test_what_is_no_experiment(changes: dict[str, object], expected: str) -> None:
    """Shapes that disagree, and duplicate, empty or infinite parts, are refused."""
    with pytest.raises(MeasurementError) as caught:
        experiment(**changes)
    assert str(caught.value) == expected


def test_unknown_names() -> None:
    """Unknown call paths and metrics are errors that name the nearest known one."""
    kept = experiment()
    with pytest.raises(MeasurementError, match=r"no call path 'main->g'\n.*did you mean 'main->f'"):
        kept["main->g", "time"]
    with pytest.raises(MeasurementError, match=r"'flops' was not measured for 'main->f'\n.*known are: time"):
        kept["main->f", "flops"]
