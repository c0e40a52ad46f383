"""Plans of runs, and the machine that does them: its description, errors and load."""

from __future__ import annotations

import errno
import json
import math
import os
import platform
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from splc import __version__
from splc.errors import MachineError
from splc.measuring import execution
from splc.measuring.machine import BUSY_BEFORE, BUSY_DURING, load_warning, machine, machine_errors
from tests.support.golden_messages import check_messages

PLANS = st.builds(
    execution.Plan,
    repeat=st.integers(1, 3),
    warmup=st.integers(0, 2),
    order=st.sampled_from(["repetition", "random"]),
    seed=st.integers(0, 5),
    max_deviation=st.one_of(st.none(), st.floats(0.01, 0.5)),
    max_repeat=st.integers(3, 6),
)


def result(run: execution.Run) -> execution.RunResult:
    """Return a made-up result: noisy for odd rows, a failure now and then."""
    row, repetition = run
    if row % 4 == 3 and repetition % 2:
        return execution.RunResult({}, "failed")
    return execution.RunResult({"t": 1.0 + (row % 2) * float(np.random.default_rng([row, repetition + 9]).random())})


def runs_of(plan: execution.Plan, count: int, recorded: execution.RunResults | None = None) -> Iterator[execution.Run]:
    """Yield what a plan still runs, and record it."""
    recorded = execution.RunResults(["t"]) if recorded is None else recorded
    for stage in plan.stages(count, recorded):
        for run in stage:
            if run not in recorded.results:
                recorded.add(run, result(run))
                yield run


@given(PLANS, st.integers(1, 6))
def test_repetitions(plan: execution.Plan, count: int) -> None:
    """Every configuration has its repetitions and warm-ups; more only while it deviates, and never beyond the limit."""
    recorded = execution.RunResults(["t"])
    runs = list(runs_of(plan, count, recorded))
    assert len(runs) == len(set(runs))
    for row in range(count):
        measured = sorted(repetition for at, repetition in runs if at == row and repetition >= 0)
        assert measured == list(range(len(measured)))
        assert sum(at == row for at, repetition in runs if repetition < 0) == plan.warmup
        most = plan.repeat if plan.max_deviation is None else plan.max_repeat
        assert plan.repeat <= len(measured) <= most
        assert len(measured) == most or row not in plan.unsettled([row], recorded)
        if len(measured) > plan.repeat:
            assert plan.unsettled([row], recorded, len(measured) - 1) == [row]


def test_orders() -> None:
    """By repetition all configurations come once before any comes again; random orders depend on the seed only."""
    assert list(runs_of(execution.Plan(repeat=2, warmup=1), 2)) == [(0, -1), (1, -1), (0, 0), (1, 0), (0, 1), (1, 1)]
    assert list(runs_of(execution.Plan(warmup=2), 2)) == [(0, -2), (1, -2), (0, -1), (1, -1), (0, 0), (1, 0)]
    mixed = list(runs_of(execution.Plan(warmup=1, order="random"), 9))
    assert [row for row, _ in mixed[:9]] != [row for row, _ in mixed[9:]]
    shuffled = [list(runs_of(execution.Plan(repeat=3, order="random", seed=seed), 5)) for seed in (1, 1, 2)]
    assert shuffled[0] == shuffled[1] != shuffled[2]
    assert sorted(shuffled[0]) == sorted(shuffled[2])


@given(PLANS, st.integers(1, 6), st.integers(1, 20))
def test_parts(plan: execution.Plan, count: int, part: int) -> None:
    """However long a part is, all runs are listed once, earlier repetitions in earlier parts."""
    plan = replace(plan, max_deviation=None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("splc.measuring.execution.PART", part)
        parts = list(plan.stages(count, execution.RunResults(["t"])))
    runs = [run for each in parts for run in each]
    assert sorted(runs) == sorted((row, at) for row in range(count) for at in range(-plan.warmup, plan.repeat))
    lowest = [min(repetition for _, repetition in each) for each in parts]
    assert lowest == sorted(set(lowest))


@pytest.mark.parametrize("order", ["repetition", "random"])
@pytest.mark.parametrize("kind", ["repeat", "warmup"])
def test_huge_plans(order: execution.Order, kind: str) -> None:
    """A plan of 10^15 repetitions is listed part by part."""
    first = next(execution.Plan(order=order, **{kind: execution.LIMIT}).stages(3, execution.RunResults(["t"])))
    assert len(set(first)) == len(first) <= execution.PART
    assert {row for row, _ in first} == {0, 1, 2}


def test_values() -> None:
    """The least values are accepted; others are refused, all of them. The defaults are those that are documented."""
    check_messages("plans", lambda text: execution.Plan(**json.loads(text)))
    assert execution.Plan(max_repeat=0).max_repeat == 0
    assert execution.Plan(repeat=2, max_deviation=1e-9, max_repeat=2).max_repeat == 2
    assert execution.Plan() == execution.Plan(
        repeat=1, warmup=0, order="repetition", seed=0, max_deviation=None, max_repeat=10
    )


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=8), st.sampled_from([1e-300, 1.0, 1e300]))
def test_deviation(values: list[float], scale: float) -> None:
    """The deviation is the sample's standard deviation over its absolute mean, in every magnitude."""
    array = np.array(values)
    mean = abs(float(array.mean()))
    assume(mean >= 1e-6 * float(np.abs(array).max()) and float(np.abs(array).max()) >= 1e-3)
    expected = float(array.std(ddof=1)) / mean
    assert execution.relative_deviation([value * scale for value in values]) == pytest.approx(
        expected, rel=1e-6, abs=1e-9
    )


@pytest.mark.parametrize(
    ("values", "expected"), [([3, 3], 0), ([0, 0], 0), ([3], math.inf), ([1, -1], math.inf), ([0.0, 1e-9], 2**0.5)]
)
def test_deviation_of_special_values(values: list[float], expected: float) -> None:
    """Equal values do not deviate, zeros neither; one value is not enough; a mean of 0 is infinitely far."""
    assert execution.relative_deviation(values) == pytest.approx(expected)


def test_scatter() -> None:
    """The median and the largest relative standard deviation, without warm-ups, failed runs and single values.

    The most frequent reason of failures comes first, then the order is that of the alphabet, also without warm-ups.
    """
    found = execution.RunResults(("time", "work"))
    for row, values in enumerate(([1.0, 2.0, 3.0], [5.0, 5.0], [7.0], [4.0, 6.0])):
        for repetition, value in enumerate(values):
            found.add((row, repetition), execution.RunResult({"time": value, "work": 4.0}))
    for at, reason in (((0, -1), None), ((1, 3), "b"), ((1, 4), "c"), ((1, 5), "c"), ((2, 3), "a"), ((2, -1), "b")):
        found.add(at, execution.RunResult({"time": 1e6, "work": 1e6}, reason))
    time, work = execution.scatters(found)
    assert (time.name, time.configurations, time.row) == ("time", 3, 0)
    assert time.largest == pytest.approx(np.std([1, 2, 3], ddof=1) / 2)
    assert time.median == pytest.approx(np.std([4, 6], ddof=1) / 5)
    assert (work.name, work.median, work.largest) == ("work", 0, 0)
    assert execution.failure_reasons(found) == (("c", 2), ("a", 1), ("b", 1))
    single = execution.RunResults(("time",))
    single.add((0, 0), execution.RunResult({"time": 1.0}))
    assert (execution.scatters(single), execution.failure_reasons(single)) == ((), ())


CPUINFO = "processor\t: 0\nvendor_id\t: X\nmodel name\t:  Fast CPU: 3 GHz \nmodel name\t: other\n"


def test_machine() -> None:
    """The description has what Python and the system state."""
    found, system = machine(), os.uname()
    total = re.search(r"^MemTotal:\s*(\d+) kB$", Path("/proc/meminfo").read_text(encoding="ascii"), re.MULTILINE)
    assert total is not None
    assert found.pop("memory_bytes") == pytest.approx(1024 * int(total[1]), rel=0.1)
    assert found == {
        **{key: found[key] for key in ("cpu", "governor")},
        **{"node": platform.node(), "architecture": system.machine, "system": system.sysname, "kernel": system.release},
        **{"cores": os.cpu_count(), "usable_cores": len(os.sched_getaffinity(0))},
        **{"python": platform.python_version(), "splc": __version__},
    }


@pytest.mark.parametrize(
    ("text", "processor", "cpu"),
    [
        (CPUINFO, "x86", "Fast CPU: 3 GHz"),
        ("model name\n", "x86", "x86"),
        ("", "", None),
        (OSError(), "x86", "x86"),
        (UnicodeError(), "", None),
    ],
)
def test_what_a_system_does_not_provide(
    text: str | Exception, processor: str, cpu: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The processor is the first one that the system names, else that of Python; what is not known is None."""
    raised = text if isinstance(text, Exception) else None
    monkeypatch.setattr(Path, "read_text", Mock(return_value=text, side_effect=raised))
    monkeypatch.setattr(platform, "processor", lambda: processor)
    for name in ("sched_getaffinity", "sysconf"):
        monkeypatch.delattr(os, name)
    found = machine()
    assert (found["cpu"], found["usable_cores"], found["memory_bytes"]) == (cpu, os.cpu_count(), None)


@pytest.mark.parametrize(
    ("error", "reason", "remedy"),
    [
        (OSError(errno.ENOSPC, "No space left", "a.csv"), "No space left: a.csv", "free disk space or memory there"),
        (OSError(errno.EMFILE, "Too many open files"), "Too many open files", "allow more open files (ulimit -n)"),
        (OSError("broken"), "broken", "free disk space or memory there"),
    ],
)
def test_errors_of_a_machine(error: OSError, reason: str, remedy: str) -> None:
    """Errors of the system are those of the machine, with the file and what to do."""
    with pytest.raises(MachineError) as caught, machine_errors():
        raise error
    again = "and run the same command again (splc measure: with --resume); what is done is kept"
    expected = [f"the machine {platform.node()} cannot do any run: {reason}", f"{remedy}, {again}"]
    assert str(caught.value).split("\n    ") == expected


MACHINE = {"kind": "session", "load": 9.0, "machine": {"cores": 4}}
SEVERAL = {**MACHINE, "workers": {"a": {"cores": 2}, "b": {"cores": 64}}}
BEFORE, DURING = 4 * BUSY_BEFORE, 4 * BUSY_DURING


@pytest.mark.parametrize(
    ("session", "loads", "text"),
    [
        # The load before the first run is that of other programs; half of the cores may be busy.
        (MACHINE, [BEFORE, BEFORE], ""),
        (MACHINE, [BEFORE + 0.1, 0.0, 0.0], "2.1 on 4 cores"),
        # Runs may use all cores themselves, so that the median may be a little above their number; few runs may not.
        (MACHINE, [0.0, DURING, DURING, 99.0], ""),
        (MACHINE, [0.0, DURING + 1, DURING + 1], "6 on 4 cores"),
        # Of a cluster the machine with the fewest cores counts, not only the one that starts the runs.
        (SEVERAL, [1.5], "1.5 on 2 cores"),
        (SEVERAL, [1.0], ""),
        # Some systems have no load average, or no number of cores, as in some containers.
        *((MACHINE, loads, "") for loads in ([], [None, None], [0.0, None])),
        ({**MACHINE, "kind": "other"}, [9.0], ""),
        ({**MACHINE, "machine": {}}, [9.0], ""),
    ],
)
def test_loads(session: dict[str, Any], loads: list[float | None], text: str) -> None:
    """A load that is too high for the number of cores is a warning with both."""
    found = load_warning([session, *({"kind": "run", "load": load} for load in loads)])
    assert (found is None) == (not text)
    assert text in (found or "")
