"""Plans of runs, and the machine that does them: its description, errors and load."""

from __future__ import annotations

import errno
import os
import platform
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from splc import __version__
from splc.measuring import execution
from splc.measuring.machine import load_warning, machine, machine_errors
from tests.support.golden_messages import check_calls

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


def processor(text: str | Exception, processor: str) -> Any:
    """Return the processor where the system has this text about it, and Python this name."""
    with pytest.MonkeyPatch.context() as patch:
        raised = text if isinstance(text, Exception) else None
        patch.setattr(Path, "read_text", Mock(return_value=text, side_effect=raised))
        patch.setattr(platform, "processor", lambda: processor)
        return machine()["cpu"]


def counts_without_system_calls() -> Any:
    """Return the cores and the memory of a system without the functions that state them."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("sched_getaffinity", "sysconf"):
            patch.delattr(os, name)
        found = machine()
    return found["usable_cores"] == os.cpu_count(), found["memory_bytes"]


def raised(*error: Any) -> None:
    """Raise an error of the system as one of the machine."""
    with machine_errors():
        raise OSError(*error)


def summary(outcomes: Mapping[execution.Run, float | str]) -> tuple[Any, ...]:
    """Return the scatter of times and work (its configurations, the median, the largest, and whose) and the failures.

    `outcomes`: the time of each run, or the reason why it failed.
    """
    found = execution.RunResults(("time", "work"))
    for run, outcome in outcomes.items():
        reason = outcome if isinstance(outcome, str) else None
        values: dict[str, Any] = {"time": outcome, "work": 4.0} if reason is None else {"time": 1e6, "work": 1e6}
        found.add(run, execution.RunResult(values, reason))
    scatters = [
        (one.name, one.configurations, round(one.median, 9), round(one.largest, 9), one.row)
        for one in execution.scatters(found)
    ]
    return *scatters, *execution.failure_reasons(found)


def warned(*loads: float | None, **session: Any) -> str | None:
    """Return the warning about the loads of runs, on a machine of four cores."""
    begin = {"kind": "session", "load": 9.0, "machine": {"cores": 4}, **session}
    return load_warning([begin, *({"kind": "run", "load": load} for load in loads)])


def listed(count: int, **plan: Any) -> list[execution.Run]:
    """Return the runs of a plan in their order."""
    return list(runs_of(execution.Plan(**plan), count))


def test_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans, orders of runs, their scatter, and what is said about a machine."""
    monkeypatch.setattr(platform, "node", lambda: "here")
    runs = (execution.Plan, listed, execution.relative_deviation, summary)
    machines = (processor, counts_without_system_calls, raised, warned)
    check_calls("plans-and-machines", *runs, *machines, errno=errno, CPUINFO=CPUINFO)
