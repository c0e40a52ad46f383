"""Experiments in Extra-P's text format."""

from __future__ import annotations

import numpy as np
import pytest

from splc.data.experiment import Experiment
from splc.errors import InputError, OutputError
from splc.formats.experiments.extrap_text import experiment_text, parse_experiment_text
from splc.io.files import Source

NAN = np.nan
HEAD = "PARAMETER p n\nPOINTS (4 10) (8 10)\nREGION main\nMETRIC time\n"


def read(text: str) -> Experiment:
    """Read a text."""
    return parse_experiment_text(Source("e.txt", text.encode()))


def refused(text: str) -> list[str]:
    """Return the first lines of the errors of a text."""
    with pytest.raises(InputError) as caught:
        read(text)
    return [str(problem).splitlines()[0] for problem in caught.value.problems]


def test_statements() -> None:
    """Regions and metrics apply until the next ones, comments and empty lines are ignored, repetitions may differ."""
    kept = read(
        "# a comment\nPARAMETER p # processes\nPARAMETER n\n\nPOINTS ( 4 1e2 )\t(8 1E+2) # two\nPOINTS(.5 -2)\n"
        "METRIC time (s)\nREGION main \n  DATA 1 2.5 3 # fast\nDATA\t4\nDATA 5 6\n"
        "REGION main->f(int, {lambda #1}) # not a comment\nDATA 7\nDATA 8\nDATA 9\n"
        "METRIC flops\nDATA 1\nDATA 2\nDATA 3\n"
    )
    assert kept.parameters == ("p", "n")
    assert kept.points.tolist() == [[4, 100], [8, 100], [0.5, -2]]
    second = "main->f(int, {lambda #1}) # not a comment"
    assert list(kept.series) == [("main", "time (s)"), (second, "time (s)"), (second, "flops")]
    np.testing.assert_array_equal(kept["main", "time (s)"], [[1, 2.5, 3], [4, NAN, NAN], [5, 6, NAN]])
    assert kept[second, "flops"].tolist() == [[1], [2], [3]]
    assert kept.report.notes == ()
    assert kept.report.rows == 9


def test_one_parameter_and_no_metric() -> None:
    """Points of one parameter need no parentheses; without a metric it is the default one."""
    kept = read("PARAMETER p\r\nPOINTS 4 8\r\nPOINTS (16)\r\nREGION main\r\nDATA 1\r\nDATA 2\r\nDATA 3\r\n")
    assert kept.points.tolist() == [[4], [8], [16]]
    assert kept["main", "<default>"].tolist() == [[1], [2], [3]]


def test_points_without_values() -> None:
    """A point that was not measured has no value, which is noted."""
    kept = read(HEAD + "DATA 1 2\nDATA\nMETRIC flops\nDATA 1\nDATA 3\n")
    np.testing.assert_array_equal(kept["main", "time"], [[1, 2], [NAN, NAN]])
    assert not kept.report.missing
    assert kept.report.notes == ("1 of 2 series have no value at some points (main, time: 1 of 2)",)


def test_equal_points() -> None:
    """Equal points become one, with the repetitions of all of them, which is noted."""
    kept = read("PARAMETER p\nPOINTS 4 8 4.0\nREGION a\nDATA 1\nDATA 2\nDATA 3 4\n")
    np.testing.assert_array_equal(kept["a", "<default>"], [[1, 3, 4], [2, NAN, NAN]])
    assert kept.report.notes == ("1 point is equal to earlier ones: used as repetitions",)


def test_names_without_data() -> None:
    """Regions and metrics that have no data are noted with their lines."""
    notes = read(HEAD + "REGION other\nREGION main\nDATA 1\nDATA 2\nMETRIC flops\n").report.notes
    assert notes[:2] == ("line 5: REGION other has no DATA", "line 9: METRIC flops has no DATA")
    text = HEAD + "DATA 1\nDATA 2\n" + "".join(f"REGION r{number}\n" for number in range(9))
    assert read(text).report.notes[4:6] == ("line 11: REGION r4 has no DATA", "4 more names have no DATA")


def test_many_errors() -> None:
    """Of very many errors the first ones are shown and the others counted."""
    found = refused(HEAD + "DATA x\n" * 5_000)
    assert len(found) == 21
    assert found[-1] == "e.txt: … and 4981 more problems"


def test_written() -> None:
    """Written text has a line per point, without missing values."""
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
