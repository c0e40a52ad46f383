"""Printed lines and JSON of runs of a command, from runs with given results."""

from __future__ import annotations

from typing import Any

import pytest

from splc.cli.show import measure
from splc.measuring.execution import RunResult
from splc.measuring.plan import Plan
from splc.measuring.run_results import RunResults
from splc.measuring.session import Progress, Remaining
from tests.cli.show.conftest import Printed
from tests.support.objects import of
from tests.support.schemas import content_of

# The relative standard deviation of 1 and 3 is 1 / sqrt(2) = 70.7 %.
SPREAD = "70.7 %"


def recorded(*runs: tuple[int, int, float | str]) -> RunResults:
    """Return results of runs: configuration, repetition, and the value or the reason of the failure."""
    found = RunResults(("time",))
    for row, repetition, value in runs:
        failed = RunResult({}, str(value), seconds=2.0)
        result = failed if isinstance(value, str) else RunResult({"time": float(value)}, seconds=2.0)
        found.add((row, repetition), result)
    return found


def setup(configurations: int = 2, **plan: Any) -> Any:
    """Return a setup of the command `run` with numbered configurations."""
    return of(
        configurations=range(configurations),
        plan=Plan(**plan),
        property_names=("time", "energy"),
        batch=None,
        assignment=lambda row: {"x": row + 0.5, "y": None if row else 1.0},
        job=lambda run: of(arguments=("run", f"x {run[0]}", str(run[1]))),
    )


def result(found: RunResults, of_setup: Any, **values: Any) -> Any:
    """Return the result of a measurement."""
    records = [{"kind": "session", "machine": "one"}, {"kind": "run"}, {"kind": "session", "machine": "two"}]
    session = of(setup=of_setup, recorded=found, resumed=1, journal=of(records=records))
    outputs = of(measurements="m.csv", failures="f.csv", journal="m.journal")
    known = {
        "session": session,
        "outputs": outputs,
        "progress": Progress(7, 4, 3, 8.0, 1),
        "interrupted": False,
        "stopped": None,
    }
    return of(**{**known, "written": True, **values})


@pytest.mark.parametrize(
    ("progress", "at_once", "text"),
    [
        (Progress(1200, 0), 1, "0 of 1,200 runs"),
        (Progress(6, 2, 2, 8.0), 1, "2 of 6 runs, about 16 s left"),
        (Progress(6, 2, 2, 8.0, 1), 2, "2 of 6 runs, 1 failed, about 8 s left"),
    ],
)
def test_progress(progress: Progress, at_once: int, text: str) -> None:
    """The remaining time is that of the remaining runs by the mean of those so far."""
    assert measure.progress_text(progress, at_once) == text


@pytest.mark.parametrize(
    ("plan", "text"),
    [
        ({}, "1 repetition"),
        ({"repeat": 2, "warmup": 1}, "2 repetitions, after 1 warm-up"),
        ({"warmup": 2}, "1 repetition, after 2 warm-ups"),
        (
            {"max_deviation": 0.125, "max_repeat": 9, "warmup": 1},
            "1 repetition and up to 9 until time deviates by at most 12.5 %, after 1 warm-up",
        ),
    ],
)
def test_repetitions(plan: dict[str, Any], text: str) -> None:
    """The plan of a measurement as text."""
    assert measure.repetitions(setup(**plan)) == text


def preview(found: RunResults, rows: tuple[int, ...], runs: int, total: int) -> Any:
    """Return what a dry run shows."""
    return of(prepared=of(setup=setup()), recorded=found, left=Remaining(rows, runs, total))


def test_preview(printed: Printed) -> None:
    """A dry run prints the commands that are left, once per configuration, and how long they take."""
    measure.show_preview(preview(recorded((0, 0, 1)), (0, 1), 3, 4))
    assert printed() == [
        "2 configurations, 1 repetition",
        "4 runs, 1 of them recorded, 3 to do",
        "about 6 s left, by the 1 run so far",
        "    run 'x 0' 0",
        "    run 'x 1' 0",
    ]
    for count, more in ((5, []), (6, ["    … and 1 more command"]), (7, ["    … and 2 more commands"])):
        measure.show_preview(preview(recorded(), tuple(range(count)), count, 1))
        lines = printed()
        assert lines[1:3] == [
            f"1 run, 0 of them recorded, {count} to do",
            "the duration is not known before the first runs",
        ]
        assert len(lines[3:8]) == 5
        assert lines[8:] == more


def test_preview_json() -> None:
    """The remaining seconds are unknown before the first run."""
    content = {
        "dry_run": True,
        "configurations": 2,
        "runs": 4,
        "recorded": 1,
        "left": 3,
        "seconds_left": 6.0,
        "properties": ["time", "energy"],
        "commands": ["run 'x 0' 0", "run 'x 1' 0"],
    }
    found = measure.preview_json(preview(recorded((0, 0, 1)), (0, 1), 3, 4))
    assert content_of(found, "splc.measure.preview/1") == content
    none = measure.preview_json(preview(recorded(), (0, 1), 3, 4))
    assert content_of(none, "splc.measure.preview/1") == {**content, "recorded": 0, "seconds_left": None}


def shown(capsys: pytest.CaptureFixture[str], each: Any, *, quiet: bool = False) -> tuple[list[str], list[str]]:
    """Return the lines printed about a result, to stdout and to stderr."""
    measure.show(each, quiet=quiet)
    captured = capsys.readouterr()
    return captured.out.splitlines(), captured.err.splitlines()


def test_measured(capsys: pytest.CaptureFixture[str]) -> None:
    """Configurations and repetitions that succeeded are counted, without warm-ups; then comes their scatter."""
    found = recorded((0, -1, 9), (0, 0, 1), (0, 1, 3), (1, -1, 9), (1, 0, 2), (1, 1, 2))
    each = result(found, setup())
    half = "note: repetitions of time deviate by 35.4 % in the median of 2 configurations"
    scatter = f"{half}, at most by {SPREAD} (x=0.5, y=1)"
    assert shown(capsys, each) == (["2 configurations, 4 runs: m.csv"], [scatter])
    assert shown(capsys, each, quiet=True) == ([], [])
    each.outputs.measurements = "-"
    assert shown(capsys, each) == ([], [scatter])
    each.written = False
    warning = "warning: no run succeeded, so there are no measurements"
    assert shown(capsys, each) == ([], [warning])
    assert shown(capsys, each, quiet=True) == ([], [warning])


def test_scatter_of_one_configuration(capsys: pytest.CaptureFixture[str]) -> None:
    """The scatter of one configuration has no maximum, and equal values no configuration with the largest."""
    text = f"note: repetitions of time deviate by {SPREAD} in the median"
    assert shown(capsys, result(recorded((0, 0, 1), (0, 1, 3)), setup())) == (
        ["1 configuration, 2 runs: m.csv"],
        [text],
    )
    equal = recorded((0, 0, 1), (0, 1, 1), (1, 0, 2), (1, 1, 2))
    text = "note: repetitions of time deviate by 0 % in the median of 2 configurations, at most by 0 %"
    assert shown(capsys, result(equal, setup()))[1] == [text]
    assert shown(capsys, result(recorded((0, 0, 1)), setup())) == (["1 configuration, 1 run: m.csv"], [])


def test_unsettled(capsys: pytest.CaptureFixture[str]) -> None:
    """Configurations that still deviate are counted, unless the measurement was interrupted."""
    each = result(recorded((0, 0, 1), (0, 1, 3), (1, 0, 1), (1, 1, 1)), setup(max_deviation=0.5))
    warning = "warning: 1 configuration: time still deviates by more than 50 %"
    assert shown(capsys, each, quiet=True)[1] == [warning]
    each.interrupted = True
    interrupted = "note: interrupted with 3 runs left; the same command with --resume continues"
    assert shown(capsys, each, quiet=True)[1] == [interrupted]


def test_failures(capsys: pytest.CaptureFixture[str]) -> None:
    """5 failures are shown; of more the rest is counted, with the reasons of all."""
    found = recorded((0, -1, "warm-up"), (0, 0, 1), (1, 0, "exit code 1"))
    assert shown(capsys, result(found, setup())) == (
        ["1 configuration, 1 run: m.csv"],
        [
            "warning: 1 run of 1 configuration failed (all in f.csv; --resume --retry-failed repeats them)",
            "    x=1.5, y=-, repetition 1: exit code 1",
        ],
    )
    few = recorded(*((row, row % 2, "e") for row in range(5)))
    lines = shown(capsys, result(few, setup()))[1]
    assert lines[-1] == "    x=4.5, y=-, repetition 1: e"
    assert len(lines) == 1 + 5
    reasons = [f"e{place}" for place in (0, 1, 1, 2, 3, 4, 5)]
    many = recorded(*((row // 2, row % 2, reason) for row, reason in enumerate(reasons)))
    lines = shown(capsys, result(many, setup()))[1]
    assert lines[0].startswith("warning: 7 runs of 4 configurations failed")
    assert lines[2] == "    x=0.5, y=1, repetition 2: e1"
    assert lines[6:] == [
        "    … and 2 more",
        "    2 runs in all: e1",
        *(f"    1 run in all: e{place}" for place in (0, 2, 3, 4)),
    ]


def test_long_texts(capsys: pytest.CaptureFixture[str]) -> None:
    """Configurations and reasons are cut at 120 characters."""
    own = setup()
    own.assignment = lambda row: {"x" * 200: 1.0}
    found = recorded(*((0, at, "r" * 200) for at in range(6)), (1, 0, 1), (1, 1, 3), (2, 0, 1), (2, 1, 1))
    lines = shown(capsys, result(found, own))[1]
    assert {line.count("x") for line in lines[2:7]} == {119}
    assert {line.count("r") - line.count("repetition") for line in lines[2:7]} == {119}
    assert lines[-1].endswith("r…")
    assert lines[-1].count("r") == 119 + 1
    assert lines[0].count("x") == 119


def test_json() -> None:
    """Deviations are percentages; failures have a file where there are some; the last session names the machine."""
    found = recorded((0, 0, 1), (0, 1, 3), (1, 0, "e"), (1, 1, 5))
    content = {
        "dry_run": False,
        "configurations": 2,
        "properties": ["time", "energy"],
        "runs": 7,
        "recorded": 4,
        "resumed": 1,
        "measured": 3,
        "failed": 1,
        "unsettled": 2,
        "scatter": [
            {
                "property": "time",
                "configurations": 1,
                "median_percent": pytest.approx(100 / 2**0.5),
                "largest_percent": pytest.approx(100 / 2**0.5),
                "largest_at": {"x": 0.5, "y": 1.0},
            }
        ],
        "failure_reasons": [{"reason": "e", "runs": 1}],
        "seconds": 8.0,
        "interrupted": False,
        "stopped": None,
        "output": "m.csv",
        "journal": "m.journal",
        "failures": "f.csv",
        "sessions": 2,
        "machine": "two",
    }
    each = result(found, setup(max_deviation=0.5))
    assert content_of(measure.as_json(each), "splc.measure/1") == content
    none = result(recorded(), setup(), written=False, interrupted=True)
    none.session.journal.records = []
    content |= {"recorded": 0, "failed": 0, "unsettled": 0, "scatter": [], "failure_reasons": [], "interrupted": True}
    content |= {"output": None, "failures": None, "sessions": 0, "machine": None}
    assert content_of(measure.as_json(none), "splc.measure/1") == content
