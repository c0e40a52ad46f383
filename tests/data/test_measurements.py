"""Measurements."""

from __future__ import annotations

import math
import pickle
import statistics
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.data.configurations import Configurations
from splc.data.experiment import Experiment, Key
from splc.data.measurements import AGGREGATES, Measurements, ReadingReport
from splc.errors import MeasurementError
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Aggregate
from tests.support.golden_messages import check_calls

SYSTEM = VariabilityModel("system", (BinaryOption("b"), NumericOption("x", (1.0, 2.0, 4.0))))
ALL = Configurations(SYSTEM, np.array([[b, x] for b in (0, 1) for x in (0, 1, 2)]))
NAN = math.nan

repetitions = st.lists(
    st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(NAN)), min_size=3, max_size=3),
    min_size=len(ALL),
    max_size=len(ALL),
).map(np.array)


def measured(**values: object) -> Measurements:
    """Return measurements of all configurations."""
    return Measurements(ALL, {name: np.asarray(column) for name, column in values.items()})


class TestValues:
    @pytest.mark.parametrize("aggregate", AGGREGATES)
    @given(values=repetitions)
    def test_the_value_used(self, aggregate: Aggregate, values: np.ndarray) -> None:
        """The value used is the aggregate of the existing repetitions, NaN without any."""
        column = Measurements(ALL, {"time": values}, aggregate)["time"]
        functions: dict[str, Callable[[list[float]], float]] = {
            "mean": statistics.fmean,
            "median": statistics.median,
            "min": min,
        }
        how = functions[aggregate]
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

    def test_configurations_with_a_value(self) -> None:
        """Configurations without a value of a property are left out for this property only."""
        ms = measured(time=[1, NAN, 3, NAN, 5, 6], size=[1, 2, 3, 4, 5, NAN], energy=[1, 2, 3, 4, 5, 6])
        for _ in range(2):
            assert ms.measured("time")["size"].tolist()[:3] == [1, 3, 5]
            assert ms.measured("size")["time"].tolist()[::2] == [1, 3, 5]
            assert ms.measured("energy") is ms

    @pytest.mark.parametrize("values", [[np.finfo(float).max] * 2, [np.inf, 1.0]])
    def test_values_that_are_too_large(self, values: list[float]) -> None:
        """An aggregate that is infinite is refused, with the configuration; overflow gives no warning."""
        ms = measured(time=[[1.0, 2.0], values, *[[1.0, 2.0]] * 4])
        with pytest.raises(MeasurementError, match=r"time: the values of .* are too large"):
            ms.column("time")

    def test_one_value_per_configuration(self) -> None:
        """A plain column is one repetition."""
        ms = measured(time=[1, 2, 3, 4, 5, 6])
        assert ms.repetitions("time").shape == (6, 1)
        assert ms["time"].tolist() == [1, 2, 3, 4, 5, 6]
        assert ms["time"].dtype == float

    def test_no_repetitions_at_all(self) -> None:
        """A property without any repetition has no values."""
        assert np.isnan(measured(time=np.zeros((6, 0)))["time"]).all()

    @given(repetitions)
    def test_measured(self, values: np.ndarray) -> None:
        """Missing values are dropped per property, together with their configurations."""
        ms = Measurements(ALL, {"time": values, "energy": np.arange(6)})
        there = ~np.isnan(values).all(axis=1)
        found = ms.measured("time")
        assert found.configurations == ALL[there]
        assert found["energy"].tolist() == np.arange(6)[there].tolist()
        assert len(ms.measured("energy")) == len(ms) == 6


class TestSubsets:
    @pytest.mark.parametrize(
        "rows", [slice(1, 4), slice(None, None, -2), [5, 0], [], np.array([True, False] * 3), np.array([2, 1])]
    )
    def test_rows(self, rows: slice | list[int] | np.ndarray) -> None:
        """A subset holds the same rows of configurations and of every property, and keeps aggregate and report."""
        report = ReadingReport("m.csv", rows=6)
        values = {"time": np.arange(12.0).reshape(6, 2), "energy": np.arange(6.0)}
        ms = Measurements(ALL, values, "min", report)[rows]
        assert isinstance(ms, Measurements)
        picked = np.arange(6)[np.asarray(rows, dtype=int) if isinstance(rows, list) else rows]
        assert ms.configurations == ALL[picked]
        assert ms.repetitions("time").tolist() == values["time"][picked].tolist()
        assert ms["energy"].tolist() == values["energy"][picked].tolist()
        assert (ms.aggregate, ms.report, ms.system) == ("min", report, SYSTEM)

    def test_duplicate_rows(self) -> None:
        """A subset with a duplicate row is refused."""
        with pytest.raises(MeasurementError, match="duplicate configuration"):
            measured(time=np.arange(6))[[1, 1]]


class TestErrors:
    @pytest.mark.parametrize("values", [[1, 2], np.zeros((5, 2)), np.zeros((6, 2, 2)), 3.0])
    def test_shapes(self, values: object) -> None:
        """A property needs values for every configuration."""
        with pytest.raises(MeasurementError, match="time: 6 configurations, but values of shape"):
            measured(time=values)

    def test_a_repeated_configuration(self) -> None:
        """Configurations are distinct: repetitions belong into one row."""
        with pytest.raises(MeasurementError, match="duplicate configuration"):
            Measurements(Configurations.concatenate([ALL, ALL[2]]), {"time": np.arange(7)})

    def test_an_unknown_aggregate(self) -> None:
        """An unknown aggregate is an error that names the nearest known one."""
        with pytest.raises(MeasurementError, match="did you mean 'median'"):
            Measurements(ALL, {}, "medain")  # type: ignore[arg-type]

    def test_an_unknown_property(self) -> None:
        """An unknown property is an error that names the nearest one, in every method."""
        ms = measured(solve_seconds=np.arange(6), energy=np.arange(6))
        for ask in (ms.column, ms.repetitions, ms.resolve_property, ms.measured, ms.__getitem__):
            with pytest.raises(MeasurementError, match="'solve_second' was not measured") as caught:
                ask("solve_second")
            assert caught.value.problems[0].hint == "did you mean 'solve_seconds'?"

    def test_immutable(self) -> None:
        """Values can be written neither through the measurements nor through the array they were made from."""
        array = np.arange(6.0)
        ms = measured(time=array)
        array[0] = 99
        assert ms["time"][0] == 0
        with pytest.raises(ValueError, match="read-only"):
            ms.repetitions("time")[0] = 99
        with pytest.raises(AttributeError):
            ms.aggregate = "min"  # type: ignore[misc]


class TestProperty:
    def test_the_only_one(self) -> None:
        """The default is the only property."""
        assert measured(time=np.arange(6)).resolve_property() == "time"
        assert measured(time=np.arange(6), energy=np.arange(6)).resolve_property("energy") == "energy"
        assert measured(time=np.arange(6), energy=np.arange(6)).properties == ("time", "energy")

    def test_several(self) -> None:
        """Without a name, several properties are listed."""
        with pytest.raises(MeasurementError, match="there are several properties: time, energy") as caught:
            measured(time=np.arange(6), energy=np.arange(6)).resolve_property()
        assert caught.value.problems[0].hint == "choose one with --property (in Python the argument nfp)"

    def test_none(self) -> None:
        """Measurements without a property are an error."""
        with pytest.raises(MeasurementError, match="no property"):
            measured().resolve_property()


def test_many_repetitions_of_one_of_many_configurations() -> None:
    """A table in memory is refused where most of the repetitions of all configurations would be missing."""
    system = VariabilityModel("s", (NumericOption("x", tuple(map(float, range(3000)))),))
    columns = {"x": [*range(3000), *[0] * 2000], "time": [1.0] * 5000}
    with pytest.raises(MeasurementError, match="a configuration has 2,001 repetitions, too many beside 3,000 configur"):
        Measurements.from_columns(system, columns)
    fewer = Measurements.from_columns(system, {name: values[:4000] for name, values in columns.items()})
    assert fewer.repetitions("time").shape == (3000, 1001)


def experiment(**changes: object) -> Experiment:
    """Return a small experiment with changes."""
    series: dict[Key, object] = {
        ("main", "time"): [
            [1.0, 3.0, 8.0],
            [NAN, NAN, NAN],
            [5.0, NAN, NAN],
        ],
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


def test_unknown_names() -> None:
    """Unknown call paths and metrics are errors that name the nearest known one."""
    kept = experiment()
    with pytest.raises(MeasurementError, match=r"no call path 'main->g'\n.*did you mean 'main->f'"):
        kept["main->g", "time"]
    with pytest.raises(MeasurementError, match=r"'flops' was not measured for 'main->f'\n.*known are: time"):
        kept["main->f", "flops"]


def test_calls() -> None:
    """Shapes that disagree, and duplicate, empty or infinite parts, are refused."""
    check_calls("experiments", experiment, np=np, NAN=NAN)
