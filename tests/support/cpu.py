"""The CPU time of each test, whose limit is a second: what takes longer is slow, or a named exception.

A run of the whole suite enforces it. CPU times differ between machines, and on a busy machine: seconds are those of a
machine that adds 45 million numbers in a second, and a test fails only above three times the limit, since the same
test took 2.1 such seconds in one run and less than 2 in others.
"""

from __future__ import annotations

import importlib
import os
import time
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager

import pytest

from tests.support.examples import EXPLORING, TRACING

LIMIT, TOLERANCE = 1.0, 3.0
ADDITIONS, ADDITIONS_PER_SECOND = 1_000_000, 45_000_000
INTERVAL = 20  # seconds between measurements of the machine's speed
# When it was measured, how many times faster than the reference the machine was.
SPEEDS: deque[tuple[float, float]] = deque(maxlen=6)
# A run with fewer tests is one of chosen files; modules that it imports would count for the test that needs them first.
WHOLE = 2000
MODULES = (
    "distributed", "hypothesis", "joblib", "lxml.etree", "matplotlib.figure", "numpy.testing", "pandas", "polars",
    "rich.console", "scipy.linalg", "scipy.optimize", "scipy.sparse", "scipy.stats", "sklearn.base", "sklearn.ensemble",
    "sklearn.linear_model", "sklearn.model_selection", "sklearn.neighbors", "sklearn.svm", "typer",
)  # fmt: skip
# Tests that may take longer in `make test`, at most 30: nothing smaller has their promise. File::function → reason.
EXCEPTIONS = {
    "tests/cli/test_measure.py::test_killed_at_any_moment": "kills processes",
    "tests/cli/test_start.py::test_learning_from_few_rows_imports_little": "starts two processes",
    "tests/cli/test_start.py::test_no_arguments": "runs every command that the text of no arguments names",
    "tests/cli/test_extremes.py::test_units_of_any_size": "whole commands in many units",
    "tests/fuzz/commands/test_commands.py::test_sessions": "a session is 20 command lines in a process",
    "tests/io/test_processes.py::test_calls_are_taken_when_others_are_finished": "starts processes",
    "tests/measuring/test_cluster.py::test_the_lock_of_a_machine_with_a_full_disk": "starts a cluster",
    "tests/study/test_study.py::test_killed_at_random_moments": "kills processes",
    "tests/test_action.py::test_a_slow_commit_fails_and_says_where": "the steps of the action are commands",
    "tests/test_public_names.py::test_public_names": "imports every public name in a new process",
    "tests/cli/test_golden.py::test_golden": "the output of whole commands, one file per command",
    "tests/test_documentation.py::test_commands_give_what_the_page_shows": "the commands of a page are one session",
}


def preload() -> None:
    """Import what many tests need, where it is installed."""
    for name in MODULES:
        try:
            importlib.import_module(name)
        except ImportError:
            continue


def used() -> float:
    """Return the CPU seconds of this process and of those that it started and that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _speed() -> float:
    """Return how many times faster than the reference this machine is now."""
    begin, total = time.process_time(), 0
    while total < ADDITIONS:
        total += 1
    return ADDITIONS / (time.process_time() - begin) / ADDITIONS_PER_SECOND


@contextmanager
def limited(item: pytest.Item) -> Generator[None, None, None]:
    """Fail a test that takes far more than its limit, in a run of the whole suite without more examples or tracing."""
    free = item.get_closest_marker("slow") or item.nodeid.partition("[")[0] in EXCEPTIONS
    if free or len(item.session.items) < WHOLE or {EXPLORING, TRACING} & os.environ.keys():
        yield
        return
    begin, own, everything = time.monotonic(), time.process_time(), used()
    if not SPEEDS or begin - SPEEDS[-1][0] > INTERVAL:
        SPEEDS.append((begin, _speed()))
    yield
    elapsed, own = time.monotonic() - begin, time.process_time() - own
    # A worker that earlier tests used may end now, with the time of all of them.
    seconds = own + min(used() - everything - own, elapsed * (os.cpu_count() or 1))
    if seconds < LIMIT:
        return
    # Of a machine whose speed changes, the slowest one counts.
    seconds *= min(_speed(), *(speed for _, speed in SPEEDS))
    if seconds > TOLERANCE * LIMIT:
        pytest.fail(f"{seconds:.1f} s of CPU: mark it as slow, make it smaller, or name it in {__name__}")
