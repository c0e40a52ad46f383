"""Measurements."""

from __future__ import annotations

import math
import pickle
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.data.configurations import Configurations, Observed
from splc.data.measurements import AGGREGATES, Experiment, Key, Measurements, ReadingReport
from splc.errors import MeasurementError
from splc.formats.measurements.read import read_measurements
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Aggregate
from tests.support.golden_messages import check_calls

SYSTEM = VariabilityModel("system", (BinaryOption("b"), NumericOption("x", (1.0, 2.0, 4.0))))
ALL = Configurations(SYSTEM, np.array([[b, x] for b in (0, 1) for x in (0, 1, 2)]))
NAN = math.nan

slots = st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(NAN)), min_size=3, max_size=3)
repetitions = st.lists(slots, min_size=len(ALL), max_size=len(ALL)).map(np.array)


def measured(**values: object) -> Measurements:
    """Return measurements of all configurations."""
    return Measurements(ALL, {name: np.asarray(column) for name, column in values.items()})


class TestValues:
    @pytest.mark.parametrize("aggregate", AGGREGATES)
    @given(values=repetitions)
    def test_the_value_used(self, aggregate: Aggregate, values: np.ndarray) -> None:
        """The value used is the aggregate of the existing repetitions, NaN without any."""
        column = Measurements(ALL, {"time": values}, aggregate)["time"]
        how = min if aggregate == "min" else getattr(statistics, aggregate)
        for row, found in zip(values.tolist(), column, strict=True):
            there = [value for value in row if not math.isnan(value)]
            if there:
                assert found == pytest.approx(how(there), rel=1e-12, abs=1e-6)
            else:
                assert math.isnan(found)

    @pytest.mark.parametrize("width", [1, 2])
    def test_columns_may_be_changed(self, width: int) -> None:
        """A column that is changed changes neither the measurements nor a later column."""
        ms = measured(time=np.ones((len(ALL), width)))
        ms.column("time")[:] = 7
        assert ms.column("time").tolist() == [1] * len(ALL)
        assert (ms.values["time"] == 1).all()

    @given(repetitions)
    def test_measured(self, values: np.ndarray) -> None:
        """Missing values are dropped per property, together with their configurations."""
        ms = Measurements(ALL, {"time": values, "energy": np.arange(6)})
        there = ~np.isnan(values).all(axis=1)
        found = ms.measured("time")
        assert found.configurations == ALL[there]
        assert found["energy"].tolist() == np.arange(6)[there].tolist()
        assert len(ms.measured("energy")) == len(ms) == 6


@given(repetitions, repetitions)
def test_runs_are_those_of_a_plain_loop(times: np.ndarray, energies: np.ndarray) -> None:
    """A configuration has a row for each slot up to its last value of any property, and at least one."""
    tables = {"time": times, "energy": energies[:, :2]}
    expected = []
    for row in range(len(ALL)):
        last = [at for table in tables.values() for at, value in enumerate(table[row]) if not math.isnan(value)]
        expected += [(row, slot) for slot in range(max(last, default=0) + 1)]
    configurations, values = Measurements(ALL, tables).runs()
    assert configurations == ALL[[row for row, _ in expected]]
    for name, table in tables.items():
        column = [table[row][slot] if slot < table.shape[1] else NAN for row, slot in expected]
        np.testing.assert_array_equal(values[name], column)


ARRAYS: dict[str, Callable[[Any], Any]] = {
    "indices": lambda given: Configurations(SYSTEM, given).indices,
    "values": lambda given: measured(time=given[:, 0]).values["time"],
    "points": lambda given: Experiment(("p", "q"), given, {("f", "time"): given[:, 0]}).points,
    "series": lambda given: Experiment(("p", "q"), given, {("f", "time"): given[:, 0]})["f", "time"],
    "observed": lambda given: Observed({"cells": given[:, 0]}, given[:, 0] >= 0).columns["cells"],
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_are_read_only_copies(name: str) -> None:
    """Values can be written neither through what has them nor through the array that they were made from."""
    given = ALL.indices.astype(int)
    found = ARRAYS[name](given)
    before = found.tolist()
    given[:] = 1
    assert found.tolist() == before
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 1


def test_many_repetitions_of_one_of_many_configurations() -> None:
    """A table in memory is refused where most of the repetitions of all configurations would be missing."""
    system = VariabilityModel("s", (NumericOption("x", tuple(map(float, range(3000)))),))
    columns = {"x": [*range(3000), *[0] * 2000], "time": [1.0] * 5000}
    with pytest.raises(MeasurementError, match="a configuration has 2,001 repetitions, too many beside 3,000 configur"):
        read_measurements(columns, system)
    fewer = read_measurements({name: values[:4000] for name, values in columns.items()}, system)
    assert fewer.repetitions("time").shape == (3000, 1001)


def experiment(**changes: object) -> Experiment:
    """Return a small experiment with changes."""
    series: dict[Key, object] = {
        ("main", "time"): [[1.0, 3.0, 8.0], [NAN] * 3, [5.0, NAN, NAN]],
        ("main->f", "time"): [2.0, 4.0, 6.0],
        ("main", "flops"): [[7.0, 9.0], [1.0, 2.0], [3.0, 4.0]],
    }
    given = {"parameters": ("p", "n"), "points": [[1, 10], [2, 10], [4, 10]], "series": series}
    return Experiment(**(given | changes))  # type: ignore[arg-type]


def test_copies_in_other_processes() -> None:
    """A copy for another process has the report and the contexts."""
    kept = experiment(report=ReadingReport("a.txt", rows=7), contexts={"version": "2"})
    copy = pickle.loads(pickle.dumps(kept))  # noqa: S301
    assert (copy.parameters, copy.report, copy.contexts) == (kept.parameters, kept.report, {"version": "2"})
    np.testing.assert_equal(dict(copy.series), dict(kept.series))


def picked(rows: Any) -> tuple[Any, ...]:
    """Return the configurations of some rows, their values, and what a subset keeps of its measurements."""
    report = ReadingReport("m.csv", rows=6)
    values = {"time": np.arange(12.0).reshape(6, 2), "energy": np.arange(6.0)}
    found = Measurements(ALL, values, "min", report)[rows]
    assert (found.report, found.system) == (report, SYSTEM)
    every = found.configurations.indices.tolist(), found.repetitions("time").tolist(), found["energy"].tolist()
    return *every, found.aggregate


def test_calls() -> None:
    """Values, properties and parts of measurements and experiments; what does not fit together is refused."""
    functions = (experiment, measured, picked, Measurements, Configurations.concatenate)
    check_calls("experiments", *functions, ALL=ALL, np=np, NAN=NAN)
