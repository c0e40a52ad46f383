"""Calls in child processes: order, errors, and requests to end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from splc.errors import MachineError
from splc.io.processes import in_processes


def process(code: str, **more: Any) -> subprocess.Popen[str]:
    """Start another process with some code."""
    head = "import os, pathlib, signal, subprocess, sys, threading, time\nfrom functools import partial\n"
    command = [sys.executable, "-c", f"{head}from splc.io.processes import *\n{code}"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def output(code: str) -> str:
    """Return what the code of another process prints."""
    written, messages = process(code).communicate(timeout=200)
    assert messages == ""
    return written


def slow_square(number: int) -> int:
    """Return a square, the later the smaller the number is."""
    time.sleep(0.02 * (4 - number))
    return number * number


def ended(number: int) -> int:
    """End the process without a word."""
    os.kill(os.getpid(), signal.SIGKILL)
    return number


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("jobs", [1, 2])
def test_results(jobs: int, ordered: bool) -> None:
    """Each call has its result; ordered ones come in the order of the calls."""
    found = list(in_processes([partial(slow_square, number) for number in range(4)], jobs, ordered=ordered))
    assert sorted(found) == [0, 1, 4, 9]
    assert found == sorted(found) or not ordered
    assert list(in_processes([], jobs)) == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_calls_are_taken_when_others_are_finished(jobs: int) -> None:
    """Few calls are begun before they are needed, so that an end that is asked for is soon."""
    taken = []

    def calls() -> Iterator[Callable[[], int]]:
        for number in range(40):
            taken.append(number)
            yield partial(slow_square, 0)

    results = in_processes(calls(), jobs)
    assert next(results) == 0
    assert len(taken) <= 20
    results.close()


def children() -> set[str]:
    """Return the processes that calls of this one run in."""
    found = [child for file in Path("/proc/self/task").glob("*/children") for child in file.read_text().split()]
    return {child for child in found if "popen_loky" in Path(f"/proc/{child}/cmdline").read_text()}


needs_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are counted in /proc")


@needs_proc
@pytest.mark.parametrize(("calls", "most"), [(1, 0), (2, 2), (3, 2), (40, 2)])
@pytest.mark.parametrize("jobs", [200, 10**30])
def test_no_more_processes_than_calls_or_two_per_core(
    calls: int, most: int, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many processes are wished for, one call is made in this one, and a single core has two of them."""
    monkeypatch.setenv("LOKY_MAX_CPU_COUNT", "1")
    before = children()
    assert list(in_processes([partial(divmod, 7, 2)] * calls, jobs)) == [(3, 1)] * calls
    assert len(children() if calls > 1 else children() - before) <= most


def test_errors_of_calls() -> None:
    """An error of a call is raised, and processes work again afterwards."""
    with pytest.raises(ZeroDivisionError):
        list(in_processes([partial(divmod, 1, 0), partial(divmod, 7, 2)], 2))
    assert list(in_processes([partial(divmod, 7, 2)] * 2, 2)) == [(3, 1), (3, 1)]


def test_killed_processes() -> None:
    """A process that was killed is an error with a hint, and others work afterwards."""
    with pytest.raises(MachineError, match=r"a process was killed.*\n.*take one"):
        list(in_processes([partial(ended, number) for number in range(4)], 2, hint="take one"))
    assert list(in_processes([partial(slow_square, 3)] * 2, 2)) == [9, 9]


def test_interrupted() -> None:
    """Ctrl-C for a whole group of processes is one interruption, without a traceback of the others."""
    code = (
        "try:\n"
        "    for each in in_processes((partial(time.sleep, 0.05) for _ in range(1000)), 2):\n"
        "        print('one', flush=True)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    running = process(code, start_new_session=True)
    assert running.stdout is not None
    assert running.stdout.readline() == "one\n"
    os.killpg(running.pid, signal.SIGINT)
    written, messages = running.communicate(timeout=60)
    assert (written.splitlines()[-1], messages) == ("interrupted", "")


def alive(state: Path) -> bool:
    """Return whether a process runs, by its `/proc/PID/stat`; one that has ended may wait for its parent."""
    with suppress(OSError):
        return ") Z " not in state.read_text(encoding="utf-8")
    return False


@needs_proc
def test_children_end_with_their_parent() -> None:
    """If a process is killed, those that do its calls end soon; a call in a process itself leaves the process alone."""
    code = (
        "before = threading.active_count()\n"
        "assert list(in_processes([os.getpid], 1)) == [os.getpid()]\n"
        "assert threading.active_count() == before\n"
        "for found in in_processes([os.getpid] * 2 + [partial(time.sleep, 600)] * 2, 2):\n"
        "    print(found, flush=True)\n"
    )
    with process(code) as running:
        assert running.stdout is not None
        child = Path("/proc", running.stdout.readline().strip(), "stat")
        assert alive(child)
        running.kill()
    deadline = time.monotonic() + 30
    while alive(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(child)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_requests_to_end_are_not_for_the_processes(name: str) -> None:
    """A process that does tasks ignores requests to end, from its first moment on; its parent does not."""
    own = "from splc.io.processes import _in_child\n_in_child(os.getpid, os.getppid())\n"
    assert output(f"{own}signal.raise_signal(signal.{name})\nprint('alive')") == "alive\n"
    code = (
        "from splc.io.processes import _requests_held_back\n"
        "with _requests_held_back():\n"
        "    from multiprocessing import resource_tracker\n"
        "    resource_tracker.ensure_running()\n"
        f"    code = 'import signal; signal.raise_signal(signal.{name}); print(1)'\n"
        "    print(subprocess.run([sys.executable, '-c', code], capture_output=True, text=True).stdout)\n"
        "assert not signal.pthread_sigmask(signal.SIG_BLOCK, [])\n"
    )
    assert output(code).split() == ["1"]
