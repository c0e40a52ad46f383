"""Plans: what is run in which order, and when a configuration has been repeated often enough."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from splc.measuring.execution import Run, RunResult, RunResults, failure_reasons
from splc.measuring.plan import LIMIT, PART, Order, Plan, relative_deviation, scatters

PLANS = st.builds(
    Plan,
    repeat=st.integers(1, 3),
    warmup=st.integers(0, 2),
    order=st.sampled_from(["repetition", "random"]),
    seed=st.integers(0, 5),
    max_deviation=st.one_of(st.none(), st.floats(0.01, 0.5)),
    max_repeat=st.integers(3, 6),
)


def result(run: Run) -> RunResult:
    """Return a made-up result: noisy for odd rows, a failure now and then."""
    row, repetition = run
    if row % 4 == 3 and repetition % 2:
        return RunResult({}, "failed")
    return RunResult({"t": 1.0 + (row % 2) * float(np.random.default_rng([row, repetition + 9]).random())})


def runs_of(plan: Plan, count: int, recorded: RunResults) -> Iterator[Run]:
    """Yield what a plan still runs, and record it."""
    for stage in plan.stages(count, recorded):
        for run in stage:
            if run not in recorded.results:
                recorded.add(run, result(run))
                yield run


@given(PLANS, st.integers(1, 6), st.integers(0, 60))
def test_resumed_anywhere(plan: Plan, count: int, stop: int) -> None:
    """Interrupted after any number of runs and resumed, a plan runs the same as without interruption."""
    whole = RunResults(["t"])
    undisturbed = list(runs_of(plan, count, whole))
    assert len(undisturbed) == len(set(undisturbed))
    parts = RunResults(["t"])
    before = [run for run, _ in zip(runs_of(plan, count, parts), range(stop), strict=False)]
    after = list(runs_of(plan, count, parts))
    # One run may be done and recorded, but not yielded, where the first part was cut off.
    assert set(before) | set(after) <= set(undisturbed)
    assert parts.results == whole.results


@given(PLANS, st.integers(1, 6))
def test_repetitions(plan: Plan, count: int) -> None:
    """Every configuration has its repetitions and warm-ups; more only while it deviates, and never beyond the limit."""
    recorded = RunResults(["t"])
    runs = list(runs_of(plan, count, recorded))
    for row in range(count):
        measured = sorted(repetition for at, repetition in runs if at == row and repetition >= 0)
        assert measured == list(range(len(measured)))
        assert sum(at == row for at, repetition in runs if repetition < 0) == plan.warmup
        assert len(measured) >= plan.repeat
        if plan.max_deviation is None:
            assert len(measured) == plan.repeat
        else:
            assert len(measured) <= plan.max_repeat
            settled = row not in plan.unsettled([row], recorded)
            assert settled or len(measured) == plan.max_repeat
            if len(measured) > plan.repeat:
                assert plan.unsettled([row], recorded, len(measured) - 1) == [row]


def test_orders() -> None:
    """By repetition all configurations come once before any comes again; random orders depend on the seed only."""
    base = list(runs_of(Plan(repeat=2, warmup=1), 2, RunResults(["t"])))
    assert base == [(0, -1), (1, -1), (0, 0), (1, 0), (0, 1), (1, 1)]
    twice = list(runs_of(Plan(warmup=2), 2, RunResults(["t"])))
    assert twice == [(0, -2), (1, -2), (0, -1), (1, -1), (0, 0), (1, 0)]
    mixed = list(runs_of(Plan(warmup=1, order="random"), 9, RunResults(["t"])))
    assert [row for row, _ in mixed[:9]] != [row for row, _ in mixed[9:]]
    shuffled = [list(runs_of(Plan(repeat=3, order="random", seed=seed), 5, RunResults(["t"]))) for seed in (1, 1, 2)]
    assert shuffled[0] == shuffled[1] != shuffled[2]
    assert sorted(shuffled[0]) == sorted(shuffled[2])


def test_what_always_fails_is_not_repeated() -> None:
    """A configuration without any value does not deviate."""
    recorded = RunResults(["t"], {})
    plan = Plan(max_deviation=0.1)
    recorded.add((0, 0), RunResult({}, "failed"))
    assert [stage for stage in plan.stages(1, recorded) if any(run not in recorded.results for run in stage)] == []


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=8), st.sampled_from([1e-300, 1.0, 1e300]))
def test_deviation(values: list[float], scale: float) -> None:
    """The deviation is the sample's standard deviation over its absolute mean, in every magnitude."""
    array = np.array(values)
    mean = abs(float(array.mean()))
    assume(mean >= 1e-6 * float(np.abs(array).max()) and float(np.abs(array).max()) >= 1e-3)
    expected = float(array.std(ddof=1)) / mean
    assert relative_deviation([value * scale for value in values]) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_deviation_of_special_values() -> None:
    """Equal values do not deviate, zeros neither; one value is not enough; a mean of 0 is infinitely far."""
    assert relative_deviation([3.0, 3.0]) == 0
    assert relative_deviation([0.0, 0.0]) == 0
    assert relative_deviation([3.0]) == math.inf
    assert relative_deviation([1.0, -1.0]) == math.inf


def test_defaults() -> None:
    """A plan has a single repetition in the order of the configurations, and the seed 0, unless others are given."""
    assert Plan() == Plan(repeat=1, warmup=0, order="repetition", seed=0, max_deviation=None, max_repeat=10)


@pytest.mark.parametrize("order", ["repetition", "random"])
@pytest.mark.parametrize("kind", ["repeat", "warmup"])
def test_huge_plans(order: Order, kind: str) -> None:
    """A plan of 10^15 repetitions is listed part by part."""
    plan = Plan(order=order, **{kind: LIMIT})
    first = next(plan.stages(3, RunResults(["t"])))
    assert len(set(first)) == len(first) <= PART
    assert {row for row, _ in first} == {0, 1, 2}


@given(PLANS, st.integers(1, 6), st.integers(1, 20))
def test_parts(plan: Plan, count: int, part: int) -> None:
    """However long a part is, all runs are listed once, earlier repetitions in earlier parts."""
    plan = replace(plan, max_deviation=None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("splc.measuring.plan.PART", part)
        parts = list(plan.stages(count, RunResults(["t"])))
    runs = [run for each in parts for run in each]
    assert sorted(runs) == sorted((row, at) for row in range(count) for at in range(-plan.warmup, plan.repeat))
    lowest = [min(repetition for _, repetition in each) for each in parts]
    assert lowest == sorted(set(lowest))


def recorded() -> RunResults:
    """Return two configurations with repetitions, one with a single value, and failures."""
    found = RunResults(("time", "work"))
    values = {0: [1.0, 2.0, 3.0], 1: [5.0, 5.0], 2: [7.0], 3: [4.0, 6.0]}
    for row, own in values.items():
        for repetition, value in enumerate(own):
            found.add((row, repetition), RunResult({"time": value, "work": 4.0}))
    found.add((0, -1), RunResult({"time": 1e6, "work": 1e6}))
    for repetition, reason in enumerate(("exit code 1", "exit code 2", "exit code 2"), 3):
        found.add((1, repetition), RunResult({"time": 1e6, "work": 1e6}, reason))
    return found


def test_scatter() -> None:
    """The median and the largest relative standard deviation, without warm-ups, failed runs and single values."""
    time, work = scatters(recorded())
    assert (time.name, time.configurations, time.row) == ("time", 3, 0)
    assert time.largest == pytest.approx(np.std([1, 2, 3], ddof=1) / 2)
    assert time.median == pytest.approx(np.std([4, 6], ddof=1) / 5)
    assert (work.name, work.median, work.largest) == ("work", 0, 0)


def test_reasons_of_failures() -> None:
    """The most frequent reason comes first, then the order is that of the alphabet; failed warm-ups do not count."""
    assert failure_reasons(recorded()) == (("exit code 2", 2), ("exit code 1", 1))
    found = RunResults(("time",))
    for run, reason in {(0, 0): "b", (0, 1): "c", (1, 0): "a", (1, 1): "c", (2, -1): "b"}.items():
        found.add(run, RunResult({}, reason))
    assert failure_reasons(found) == (("c", 2), ("a", 1), ("b", 1))


def test_without_repetitions() -> None:
    """Single values have no scatter."""
    found = RunResults(("time",))
    found.add((0, 0), RunResult({"time": 1.0}))
    assert scatters(found) == ()
    assert failure_reasons(found) == ()
