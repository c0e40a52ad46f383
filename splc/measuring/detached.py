"""Processes that a run started and that detached themselves from its session (daemons): they end with the run.

On Linux this process adopts them for the time of the run, so that they are found among its children. They are told from
the children of other threads by an environment variable. Elsewhere they are not ended.
"""

from __future__ import annotations

import os
import secrets
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from subprocess import Popen
from threading import Lock

# The environment variable that marks the processes of a run.
MARK = "SPLC_RUN"
_PR_SET_CHILD_SUBREAPER, _PR_GET_CHILD_SUBREAPER = 36, 37
# How long to wait for the end of killed processes.
_PATIENCE_SECONDS = 5.0
_PROCESSES = Path("/proc")
# The processes that runs of this process wait for; the lock is held while one is started, and while others are reaped.
_WAITED_FOR: set[int] = set()
_STARTING = Lock()


def start(popen: Callable[[], Popen[bytes]]) -> Popen[bytes]:
    """Return a process that a function starts; the runs of other threads leave it to `reaped`."""
    with _STARTING:
        process = popen()
        _WAITED_FOR.add(process.pid)
        return process


def reaped(process: int) -> None:
    """Note that a process that was started is reaped."""
    _WAITED_FOR.discard(process)


@contextmanager
def ended_with_run() -> Iterator[Mapping[str, str]]:
    """Yield the environment variables of a run; after the block end the processes that the run left elsewhere."""
    adopting = _subreaper()
    if adopting is None:
        yield {}
        return
    mark = secrets.token_hex(8)
    other_children = set(_children())
    was_subreaper = adopting(None)
    adopting(True)
    try:
        yield {MARK: mark}
    finally:
        _end(f"{MARK}={mark}".encode(), other_children)
        adopting(was_subreaper)


@cache
def _subreaper() -> Callable[[bool | None], bool] | None:
    """Return a function that sets whether orphans become children of this process, and returns whether they do.

    None if the system has no such call.
    """
    if sys.platform != "linux" or not (_PROCESSES / "self" / "stat").exists():
        return None
    import ctypes

    try:
        prctl = ctypes.CDLL(None).prctl
    except (OSError, AttributeError):
        return None
    current = ctypes.c_int()

    def call(state: bool | None) -> bool:
        if state is not None:
            prctl(_PR_SET_CHILD_SUBREAPER, ctypes.c_ulong(state), 0, 0, 0)
        prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(current), 0, 0, 0)
        return bool(current.value)

    return call


def _end(mark: bytes, other_children: set[int]) -> None:
    """End the adopted processes with a mark; their own children are adopted then, and ended, too."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    own_session = os.getsid(0)
    while time.monotonic() < deadline:
        has_running = False
        with _STARTING:
            for process in set(_children()) - other_children - _WAITED_FOR:
                fields = status(process)
                # What a run starts is never in the session of this process.
                if len(fields) <= 3 or int(fields[3]) == own_session:
                    continue
                if fields[0] == "Z":
                    has_running = True
                    with suppress(OSError):
                        os.waitpid(process, os.WNOHANG)
                elif mark in _environment(process):
                    has_running = True
                    with suppress(OSError):
                        os.kill(process, signal.SIGKILL)
        if not has_running:
            return
        time.sleep(0.001)


def descendants(process: int) -> list[int]:
    """Return the processes below a process."""
    pids = [process]
    for pid in pids:
        pids += _children(pid)
    return pids[1:]


def _children(process: int | None = None) -> list[int]:
    """Return the children of a process, by default of this one."""
    parent = os.getpid() if process is None else process
    try:
        texts = [file.read_text(encoding="ascii") for file in (_PROCESSES / str(parent) / "task").glob("*/children")]
    except OSError:
        texts = []
    if texts:
        return [int(child) for text in texts for child in text.split()]
    # Kernels without these files.
    parents = {process: status(process) for process in processes()}
    return [process for process, fields in parents.items() if len(fields) > 1 and int(fields[1]) == parent]


def _environment(process: int) -> list[bytes]:
    try:
        return (_PROCESSES / str(process) / "environ").read_bytes().split(b"\0")
    except OSError:
        return []


def processes() -> list[int]:
    """Return the ids of all processes, as far as the system shows them."""
    return [int(entry.name) for entry in _PROCESSES.glob("[0-9]*")]


def status(process: int) -> list[str]:
    """Return the fields of /proc/PID/stat after the name, which may contain any character."""
    try:
        text = (_PROCESSES / str(process) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()
