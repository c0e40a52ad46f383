"""Experiments as plain CSV tables."""

from __future__ import annotations

import numpy as np
import pytest

from splc.data.experiment import ROOT_CALLPATH, Experiment
from splc.formats.columns import ColumnChoice
from splc.formats.experiments.csv import parse_experiment_csv
from splc.formats.experiments.read import parse_experiment, parse_experiments
from splc.io.files import Source

NAN = np.nan


def read(text: str, parameters: list[str] | None = None) -> Experiment:
    """Read a table."""
    return parse_experiment_csv(Source("e.csv", text.encode()), parameters)


@pytest.mark.parametrize("separator", [",", ";", "\t", " ,  "])
def test_a_column_per_metric(separator: str) -> None:
    """The named columns are parameters, all others metrics; rows of equal points are repetitions."""
    text = "n,time,p,flops\n10,1.5,4,7\n10,2,8,8\n\n10,3,4.0,\n".replace(",", separator)
    kept = read(text, ["p", "n"])
    assert kept.parameters == ("p", "n")
    assert kept.points.tolist() == [[4, 10], [8, 10]]
    assert list(kept.series) == [("<root>", "time"), ("<root>", "flops")]
    np.testing.assert_array_equal(kept["<root>", "time"], [[1.5, 3], [2, NAN]])
    np.testing.assert_array_equal(kept["<root>", "flops"], [[7], [8]])
    assert kept.report.notes == ()


@pytest.mark.parametrize(
    ("header", "parameters", "metrics"),
    [
        ("p,n,time", ("p", "n"), ("time",)),
        ("p,n,callpath,time,flops", ("p", "n"), ("time", "flops")),
        ("Region,p,n,time", ("p", "n"), ("time",)),
        ("p,n,time,region", ("p", "n"), ("time",)),
        ("p,n,rep,time", ("p", "n"), ("time",)),
        ("p,n,Value", ("p", "n"), ("<default>",)),
        ("p,n,metric,value", ("p", "n"), ("5",)),
        ("metric,callpath,p,value,host", ("p",), ("1",)),
        ("p,value", ("p",), ("<default>",)),
    ],
)
def test_columns_by_place(header: str, parameters: tuple[str, ...], metrics: tuple[str, ...]) -> None:
    """By default parameters follow from their place, as documented."""
    cells = header.split(",")
    values = {"metric": "5" if cells[0] == "p" else "1"}
    kept = read(header + "\n" + ",".join(values.get(cell, "3") for cell in cells) + "\n")
    assert kept.parameters == parameters
    assert kept.metrics == metrics
    assert kept.callpaths == (("3",) if {"callpath", "Region", "region"} & set(cells) else ("<root>",))


def test_notes() -> None:
    """Notes list guessed and ignored columns."""
    kept = read("p,n,rep,time\n1,2,1,3\n2,2,1,4\n2,3,1,4\n")
    assert kept.report.notes == ("not used: rep", "taken as parameters: p, n; as metrics: time")
    assert read("p,n,value\n1,2,3\n2,3,4\n").report.notes == ()
    assert read("p,value,load\n1,2,5\n2,3,6\n").report.notes == ("not used: load",)
    kept = read("p,value,host\n1,2,a\n2,3,a\n")
    assert (kept.report.notes, kept.contexts) == (("the context 'host' is 'a'",), {"host": "a"})


GRID = [(p, n) for p in (1, 2, 4) for n in (10, 20, 30)]
TIMES = "".join(f"{p},{n},{p * n / 7},{p + n}\n" for p, n in GRID)
REPEATED = "".join(f"{p},{n},{p * n + rep / 7},{p + n}\n" for p, n in GRID for rep in range(3))
WEAK = "".join(f"{p},{10 * p},{p / 7}\n" for p in (1, 2, 4, 8))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("p,n,time,energy\n" + TIMES, "time, energy"),
        ("p,n,time,energy\n" + REPEATED, "time, energy"),
        ("p,n,time\n" + WEAK, "n, time"),
        ("p,n,time\n" + WEAK + WEAK, "n, time"),
    ],
)
def test_columns_that_may_be_metrics(text: str, named: str) -> None:
    """A column that may be a metric or a parameter is not chosen silently: the message lists what is possible."""
    source = Source("e.csv", text.encode())
    # The advice is accepted.
    (kept,) = parse_experiments(source, None, None, ColumnChoice(), ["time"])
    assert (kept.parameters[0], kept.metrics[0]) == ("p", "time")
    assert read(text, ["p", "n"]).parameters == ("p", "n")


def test_contexts() -> None:
    """Rows of several versions are not mixed: one is selected, each is read separately, or the column is ignored."""
    text = "version,p,n,time\nv1,1,2,3\nv2,1,2,5\nv1,2,2,4\nv2,2,2,6\n"
    source = Source("e.csv", text.encode())
    kept = parse_experiment(source, choice=ColumnChoice(where={"version": "v2"}))
    np.testing.assert_array_equal(kept[ROOT_CALLPATH, "time"], [[5], [6]])
    assert (kept.parameters, kept.contexts) == (("p", "n"), {"version": "v2"})
    parts = parse_experiments(source, None, None, ColumnChoice(by=("version",)))
    assert [(part.contexts["version"], part[ROOT_CALLPATH, "time"].tolist()) for part in parts] == [
        ("v1", [[3], [4]]),
        ("v2", [[5], [6]]),
    ]
    kept = parse_experiment(source, choice=ColumnChoice(ignore=("version",)))
    np.testing.assert_array_equal(kept[ROOT_CALLPATH, "time"], [[3, 5], [4, 6]])


def test_long_tables() -> None:
    """A column names the metric of each value; points without values are noted."""
    kept = read("p,region,metric,value\n1,a,time,3\n2,a,time,4\n1,b,time,5\n1,a,flops,6\n1,a,time,7\n")
    assert list(kept.series) == [("a", "time"), ("b", "time"), ("a", "flops")]
    np.testing.assert_array_equal(kept["a", "time"], [[3, 7], [4, NAN]])
    assert not kept.report.missing
    assert kept.report.notes == ("2 of 3 series have no value at some points (b, time: 1 of 2, a, flops: 1 of 2)",)
    # Beside named parameters, other columns belong to no metric.
    kept = read("p,rep,n,metric,value,host\n1,1,5,time,3,8\n2,1,5,time,4,9\n", ["p"])
    assert (kept.parameters, list(kept.series)) == (("p",), [("<root>", "time")])
    assert kept.report.notes == ("not used: rep, n, host",)


def test_empty_cells() -> None:
    """An empty cell beside other values of its point is counted; a point without any is noted."""
    kept = read("p,time,flops\n1,3,1\n1,,1\n2,,1\n", ["p"])
    assert kept.report.missing == {"time": 1}
    assert "1 of 2 series have no value at some points (time: 1 of 2)" in kept.report.notes


def test_quotes_and_windows() -> None:
    """Quoted cells, Windows' line ends and a byte order mark are read."""
    kept = read('\ufeff"p","callpath","time"\r\n"1","f(int, ""x"")","2"\r\n')
    assert list(kept.series) == [('f(int, "x")', "time")]
