"""Summaries of measurements."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements, ReadingReport, most_cells, offsets, require_size
from splc.data.summary import drift_of, property_summaries, run_pattern
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.golden_messages import Lines, check_calls
from tests.support.objects import present


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), max_size=30))
def test_offsets_are_those_of_a_plain_loop(rows: list[tuple[int, int]]) -> None:
    """The values of a row follow those of the earlier rows of its group, without gaps."""
    columns = [0] * 5
    expected = []
    for group, slots in rows:
        expected.append(columns[group])
        columns[group] += slots
    groups = np.array([group for group, _ in rows], dtype=np.int64)
    sizes = np.array([slots for _, slots in rows], dtype=np.int64)
    found, totals = offsets(groups, sizes, 5)
    assert found.tolist() == expected
    assert totals.tolist() == columns


COUNT = 24
SYSTEM = VariabilityModel("s", (NumericOption("x", tuple(map(float, range(COUNT)))),))


def measured(factor: str, repetitions: int = 6, noise: float = 0.01, *, adjacent: bool = False) -> Measurements:
    """Return measurements of a file: all configurations once, then all again; or the runs of each side by side.

    `factor`: of each run, for its repetition `r`, or by `chance`, which is True for half of the runs.
    """
    rng = np.random.default_rng(3)
    configuration, repetition = (each.ravel() for each in np.indices((COUNT, repetitions)))
    order = np.arange(len(repetition)) if adjacent else np.lexsort((configuration, repetition))
    chance = np.random.default_rng(5).random(COUNT * 6) < 0.5
    values = (5 + configuration) * eval(factor, {"np": np}, {"r": repetition, "chance": chance})  # noqa: S307
    values = values * np.exp(noise * rng.normal(size=len(order)))
    report = ReadingReport(lines=np.arange(len(order)) + 2, groups=configuration[order])
    configurations = Configurations(SYSTEM, np.arange(COUNT)[:, np.newaxis])
    return Measurements(configurations, {"time": values.reshape(COUNT, repetitions)}, report=report)


@pytest.mark.parametrize("seed", range(4))
def test_independent_runs_have_no_pattern(seed: int) -> None:
    """Runs with noise of their own, and few outliers, have no pattern; nor have negative values or huge ones."""
    rng = np.random.default_rng(seed)
    for repetitions in (2, 3, 4, 5, 10):
        values = 5 * np.exp(rng.normal(0, 0.2, (COUNT, repetitions)))
        values[rng.random(values.shape) < 0.02] *= 20
        configurations = Configurations(SYSTEM, np.arange(COUNT)[:, np.newaxis])
        for scale in (1.0, -1.0, 1e300):
            assert run_pattern([Measurements(configurations, {"time": scale * values})], "time") is None


REPEATED = VariabilityModel("s", (NumericOption("x", tuple(map(float, range(400)))),))


def summarized(values: list[list[float]], *, first: int = 0, name: str = "time") -> Measurements:
    """Return measurements of the configurations from x = first on."""
    count = len(values)
    configurations = Configurations(REPEATED, np.arange(first, first + count)[:, np.newaxis])
    return Measurements(configurations, {name: np.array(values)})


def kendall(rows: list[list[float]]) -> tuple[int, float]:
    """Return the score of all rows, and its probability over all orders of each row, by brute force."""

    def score(row: tuple[float, ...]) -> int:
        return sum(int(np.sign(b - a)) for a, b in itertools.combinations(row, 2))

    own = sum(score(tuple(row)) for row in rows)
    every = [sum(map(score, orders)) for orders in itertools.product(*(itertools.permutations(row) for row in rows))]
    return own, float(np.mean([abs(each) >= abs(own) for each in every]))


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=2, max_size=4))
def test_brute_force(rows: list[list[float]]) -> None:
    """The probability is near the share of orders of the repetitions with such a trend, and never far below it."""
    found = drift_of(np.array(rows, dtype=float))
    score, exact = kendall(rows)
    if all(len(set(row)) == 1 for row in rows):
        assert found is None
        return
    assert found is not None
    unequal = sum(a != b for row in rows for a, b in itertools.combinations(row, 2))
    assert found.rising == pytest.approx((unequal + score) / (2 * unequal))
    assert found.probability == pytest.approx(exact, abs=0.13)


def drifting(slope: float) -> Array:
    """Return the repetitions of very different configurations, each run later by this share slower."""
    rng = np.random.default_rng(1)
    base = rng.uniform(1, 1000, (200, 1))
    return base * (1 + slope * np.arange(3) + 0.02 * rng.normal(size=(200, 3)))


def test_drift() -> None:
    """A drift of less than the scatter is found, with its direction and size; its absence is not reported."""
    rising, none, falling = (present(drift_of(drifting(slope))) for slope in (0.01, 0.0, -0.01))
    assert (rising.significant, none.significant, falling.significant) == (True, False, True)
    assert rising.change == pytest.approx(0.02, abs=0.005)
    assert rising.rising > 0.6
    assert falling.rising < 0.4


def test_parts_are_strata() -> None:
    """Rows of several parts count as rows of one."""
    table = drifting(0.01).tolist()
    both, one = (property_summaries(list(map(summarized, parts))) for parts in ((table[:50], table[50:]), (table,)))
    assert both[0].drift == one[0].drift


def summary(*parts: Measurements) -> Lines:
    """Return what is known of the values of each property."""
    lines = []
    for each in property_summaries(parts):
        range_ = f"{each.minimum:g} to {each.maximum:g}, {each.configurations} with {each.values} values"
        scatter = None if each.scatter is None else round(each.scatter, 9)
        repetitions = "{} to {} repetitions".format(*each.repetitions)
        lines.append(f"{each.name}: {range_}, {repetitions}, scatter {scatter}, drift {each.drift is not None}")
    return Lines("\n".join(lines))


def pattern(factor: str, *arguments: Any, **more: Any) -> Any:
    """Return the kind of what runs have in common, the rows of a block, and the factor."""
    found = run_pattern([measured(factor, *arguments, **more)], "time")
    return found and (found.kind, found.block, round(found.factor, 2))


def drift(*table: list[float]) -> Any:
    """Return the share of rising pairs and the change."""
    found = drift_of(np.array(table))
    return found and (found.rising, found.change)


def test_calls() -> None:
    """What is counted, patterns of runs, and sizes of tables of repetitions."""
    check_calls("summaries", pattern, summary, summarized, drift, most_cells, require_size)
