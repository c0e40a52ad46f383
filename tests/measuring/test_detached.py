"""Processes that detach themselves from a run end with it, on systems that can find them."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from splc.measuring.runner import run
from tests.measuring.conftest import Program
from tests.measuring.test_runner import gone, wait_until_gone

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere they are not found")

# Starts a process in a session of its own, without any pipe of the run, and prints its id.
DETACH = """
import subprocess, sys, time
def detached(*command):
    quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    return subprocess.Popen(command, start_new_session=True, **quiet)
"""
# The same from a process that is gone when the run ends.
NESTED = """
import os
inner = [sys.executable, "-c", DETACH + "print(detached('sleep', '60').pid); print(detached('sleep', '60').pid)"]
print(subprocess.run(["setsid", "-w", *inner], capture_output=True, text=True).stdout)
""".replace("DETACH", repr(DETACH))
CHAIN = """
inner = "import subprocess, time; subprocess.Popen(['sleep', '60'], start_new_session=True); time.sleep(60)"
print(detached(sys.executable, "-c", inner).pid, flush=True)
time.sleep(0.5)
"""


def asleep(process: int) -> list[int]:
    """Return the processes below one, itself included."""
    below = [process]
    for child in Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split():
        below += asleep(int(child))
    return below


@pytest.mark.parametrize(
    "code", ["print(detached('sleep', '60').pid)", NESTED, CHAIN], ids=["daemon", "nested", "chain"]
)
def test_daemons(program: Program, code: str) -> None:
    """A process in a session of its own is ended after the run, also if it was started by another such process."""
    seen: list[int] = []
    ended = run([program(DETACH + code)], on_line=lambda line: seen.extend(asleep(int(line)) if line else ()))
    assert (ended.exit_code, ended.error) == (0, None)
    assert len(seen) >= 1
    assert all(wait_until_gone(process) for process in seen)


def test_time_limit(program: Program) -> None:
    """A time limit ends such a process, too."""
    code = "print(detached('sleep', '60').pid, flush=True); time.sleep(60)"
    ended = run([program(DETACH + code)], timeout=1.0)
    assert ended.timed_out
    assert wait_until_gone(int(ended.stdout))


def test_time_limit_without_environment(program: Program) -> None:
    """A time limit ends a process that has neither the session nor the environment of the run, and those below it."""
    code = """
sleep = "subprocess.Popen(['sleep', '60'], start_new_session=True)"
inner = [sys.executable, "-c", f"import subprocess, time; print({sleep}.pid, flush=True); time.sleep(60)"]
outer = subprocess.Popen(inner, start_new_session=True, env={}, stdout=subprocess.PIPE, text=True)
print(outer.pid, outer.stdout.readline(), flush=True)
time.sleep(60)
"""
    ended = run([program(DETACH + code)], timeout=1.0)
    assert ended.timed_out
    started = list(map(int, ended.stdout.split()))
    assert len(started) == 2
    assert all(wait_until_gone(process) for process in started)


def test_nothing_is_left(program: Program) -> None:
    """Detached processes that have ended are reaped, so that many runs do not fill the table of processes."""
    code = "child = detached('true'); print(child.pid); time.sleep(0.2)"
    ended = run([program(DETACH + code)])
    assert not Path(f"/proc/{int(ended.stdout)}").exists()


def test_processes_of_others(program: Program) -> None:
    """Other children of this process stay, whatever their session is and whenever they were started."""
    others: list[subprocess.Popen[bytes]] = []

    def start(_: int = 0) -> None:
        others.extend(subprocess.Popen(["sleep", "60"], start_new_session=apart) for apart in (False, True))

    start()
    try:
        run([program("import time; time.sleep(0.2)")], on_start=start)
        assert len(others) == 4
        assert not any(gone(each.pid) for each in others)
    finally:
        for each in others:
            each.kill()
            each.wait()


def test_orphans_of_others(program: Program) -> None:
    """After a run, orphans are children of the system again."""
    run([program("pass")])
    child = "subprocess.Popen(['sleep', '60'], start_new_session=True, stdout=-3, stderr=-3)"
    script = f"import subprocess; print({child}.pid)"
    orphan = int(subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True).stdout)
    try:
        time.sleep(0.1)
        mine = Path("/proc/self/task").glob("*/children")
        assert orphan not in {int(child) for file in mine for child in file.read_text(encoding="ascii").split()}
    finally:
        subprocess.run(["kill", str(orphan)], check=True)
