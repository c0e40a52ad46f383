"""The scatter of repetitions, and the reasons of failures."""

from __future__ import annotations

import numpy as np
import pytest

from splc.measuring.execution import RunResult, RunResults, failure_reasons
from splc.measuring.plan import scatters


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
    """The most frequent reason comes first."""
    assert failure_reasons(recorded()) == (("exit code 2", 2), ("exit code 1", 1))


def test_reasons_that_are_equally_frequent() -> None:
    """Of equally frequent reasons the order is that of the alphabet; failed warm-ups do not count."""
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
