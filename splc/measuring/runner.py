"""One process without a shell: its output is collected; a time limit stops it with all its descendants.

Processes that it started and that detached themselves from its session (daemons) end with it, too: on Linux this
process adopts them for the time of the run, so that they are found among its children. They are told from the children
of other threads by an environment variable. Elsewhere they are not ended.
"""

from __future__ import annotations

import os
import secrets
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO

from splc.measuring.machine import LACKING, machine_error, text_of

# Seconds between SIGTERM and SIGKILL: mpirun needs one or two to end its ranks.
GRACE_SECONDS = 5.0
# The limit of the output of a program; beyond it the run fails.
MAX_PRINTED = 64 * 1024**2
# The largest timeout of a single wait in seconds; systems refuse very large ones.
LONGEST_WAIT = 86_400.0
_CHUNK = 1 << 16
# The environment variable that marks the processes of a run.
MARK = "SPLC_RUN"
_PR_SET_CHILD_SUBREAPER, _PR_GET_CHILD_SUBREAPER = 36, 37
# How long to wait for the end of killed processes.
_PATIENCE_SECONDS = 5.0
_PROCESSES = Path("/proc")
# The processes that runs of this process wait for; the lock is held while one is started, and while others are reaped.
_WAITED_FOR: set[int] = set()
_STARTING = threading.Lock()


@dataclass(frozen=True)
class Ended:
    """The end of a process."""

    exit_code: int | None  # its exit code, negative: the signal that ended it; None: it could not be started
    stdout: str = ""
    stderr: str = ""
    seconds: float = 0.0
    cpu: float = 0.0  # CPU seconds of it and those of its children that it waited for
    timed_out: bool = False  # whether the time limit stopped it
    error: str | None = None  # why it could not be started, or why its output is incomplete


def run(
    arguments: Sequence[str],
    *,
    executable: str | None = None,
    folder: str | None = None,
    environment: Mapping[str, str] | None = None,
    timeout: float | None = None,
    stdin: bytes = b"",
    on_start: Callable[[int], None] | None = None,
    on_line: Callable[[str], None] | None = None,
) -> Ended:
    """Run a process in a session of its own and wait for it; then end all processes that it left."""
    with ended_with_run() as marks:
        started = time.perf_counter()
        try:
            with _STARTING:
                process = subprocess.Popen(
                    list(arguments),
                    executable=executable,
                    cwd=folder,
                    env={**os.environ, **(environment or {}), **marks},
                    stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    bufsize=0,
                    start_new_session=True,
                )
                _WAITED_FOR.add(process.pid)
        except (OSError, ValueError) as error:
            if isinstance(error, OSError) and error.errno in LACKING:
                raise machine_error(error) from None
            reason = getattr(error, "strerror", None) or str(error)
            return Ended(None, error=f"cannot be started: {reason}")
        deadline = None if timeout is None else started + timeout
        return _Running(process, started, deadline, memoryview(stdin), on_start, on_line).wait()


@dataclass
class _Running:
    """A process while it runs."""

    process: subprocess.Popen[bytes]
    started: float
    deadline: float | None
    unsent: memoryview
    on_start: Callable[[int], None] | None
    on_line: Callable[[str], None] | None

    def __post_init__(self) -> None:
        self.printed = {"stdout": bytearray(), "stderr": bytearray()}
        self.held = set(self.printed)
        self.lined = 0
        self.ended = self.started
        self.timed_out = self.overflow = self.lost = False
        self.cpu = 0.0
        self.below: list[tuple[int, str | None]] = []
        # Whether all pipes are closed, so that probably no process is left.
        self.tidy = False

    def wait(self) -> Ended:
        """Collect the output until the process has ended, then end the processes that it left."""
        woken, wake = os.pipe()
        watcher = threading.Thread(target=self._watch, args=(wake,), daemon=True)
        try:
            # It waits for the thread, so that an interruption is likely to arrive here.
            watcher.start()
            if self.on_start is not None:
                self.on_start(self.process.pid)
            self._collect(woken)
        finally:
            self._end_session(thorough=not self.tidy)
            # Whatever their session is, processes that were below this one when its time was over.
            for child, born in self.below:
                if born is not None and birth(child) == born:
                    with suppress(OSError):
                        os.kill(child, signal.SIGKILL)
            if watcher.ident is not None:
                watcher.join()
            if self.process.returncode is None:
                self._reap()
            os.close(woken)
            for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
                if stream is not None:
                    with suppress(OSError):
                        stream.close()
        self._lines(last=True)
        error = f"printed more than {MAX_PRINTED:,} bytes" if self.overflow else None
        if self.lost:
            error = "its exit code is unknown: splc was started with SIGCHLD ignored"
        out, err = (printed.decode("utf-8", "replace") for printed in self.printed.values())
        seconds = self.ended - self.started
        return Ended(self.process.returncode, out, err, seconds, self.cpu, self.timed_out, error)

    def _watch(self, wake: int) -> None:
        """Note when the process ends, if possible without reaping it, so that its id cannot be reused."""
        if hasattr(os, "waitid"):
            with suppress(ChildProcessError):
                os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        else:  # macOS before Python 3.13
            self._reap()
        self.ended = time.perf_counter()
        os.close(wake)

    def _reap(self) -> None:
        try:
            _, status, usage = os.wait4(self.process.pid, 0)
            self.process.returncode = os.waitstatus_to_exitcode(status)
            self.cpu = usage.ru_utime + usage.ru_stime
        except ChildProcessError:
            self.process.returncode, self.lost = 0, True
        finally:
            _WAITED_FOR.discard(self.process.pid)

    def _replaced(self) -> bool:
        """Return whether another process has the id of the reaped one; then its group and session are empty."""
        if self.process.returncode is None:
            return False
        try:
            os.kill(self.process.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
        return True

    def _end_session(self, *, thorough: bool = True) -> None:
        if not self._replaced():
            end_session(self.process.pid, thorough=thorough)

    def _collect(self, woken: int) -> None:
        """Read and write until the process has ended; its descendants may keep the pipes open."""
        process = self.process
        with selectors.DefaultSelector() as selector:
            selector.register(woken, selectors.EVENT_READ, "ended")
            for name, stream in (("stdout", process.stdout), ("stderr", process.stderr), ("stdin", process.stdin)):
                if stream is not None:
                    os.set_blocking(stream.fileno(), False)
                    selector.register(stream, selectors.EVENT_WRITE if name == "stdin" else selectors.EVENT_READ, name)
            running = True
            while running:
                remaining_seconds = None if self.deadline is None else self.deadline - time.perf_counter()
                if remaining_seconds is not None and remaining_seconds <= 0:
                    self._stop()
                    continue
                longest = None if remaining_seconds is None else min(remaining_seconds, LONGEST_WAIT)
                for key, _ in selector.select(longest):
                    if key.data == "ended":
                        running = False
                    else:
                        self._move(selector, key)
            self._end_session(thorough=False)
            # The pipes still contain what was printed before the end.
            for key in [key for key in selector.get_map().values() if key.data in self.printed]:
                while not self.overflow and self._read(key.data, key.fileobj):
                    pass
            self.tidy = not (self.timed_out or self.overflow or self.held)

    def _stop(self) -> None:
        """Ask the process to end when its time is over; end it when the time for that is over, too."""
        if self.timed_out:
            self._end_session()
            self.deadline = None
            return
        self.timed_out = True
        self.deadline = time.perf_counter() + GRACE_SECONDS
        if not self._replaced():
            self.below = [(child, birth(child)) for child in descendants(self.process.pid)]
            with suppress(OSError):
                os.killpg(self.process.pid, signal.SIGTERM)

    def _move(self, selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
        if key.data == "stdin":
            stream: IO[bytes] = key.fileobj  # type: ignore[assignment]
            try:
                self.unsent = self.unsent[os.write(stream.fileno(), self.unsent[:_CHUNK]) :]
            except BlockingIOError:
                return
            except OSError:
                self.unsent = self.unsent[:0]
            if not self.unsent:
                selector.unregister(key.fileobj)
                stream.close()
        elif not self._read(key.data, key.fileobj):
            selector.unregister(key.fileobj)

    def _read(self, name: str, stream: object) -> bool:
        """Read once; False at the end, or if there is nothing to read."""
        try:
            chunk = os.read(stream.fileno(), _CHUNK)  # type: ignore[attr-defined]
        except BlockingIOError:
            return False
        if not chunk:
            self.held.discard(name)
        elif len(self.printed[name]) + len(chunk) > MAX_PRINTED:
            self.overflow = True
            self._end_session()
        else:
            self.printed[name] += chunk
            if name == "stdout":
                self._lines()
        return bool(chunk)

    def _lines(self, last: bool = False) -> None:
        output = self.printed["stdout"]
        while self.on_line and ((end := output.find(b"\n", self.lined)) >= 0 or (last and self.lined < len(output))):
            stop = end if end >= 0 else len(output)
            line = output[self.lined : stop].decode("utf-8", "replace")
            self.lined = stop + 1
            self.on_line(line)


def end_session(leader: int, *, thorough: bool = True) -> None:
    """Kill the processes of the session that a process leads: its group, and other groups (mpirun makes some)."""
    with suppress(OSError):
        os.killpg(leader, signal.SIGKILL)
    for process in _processes() if thorough else ():
        fields = status(process)
        if len(fields) > 3 and fields[0] != "Z" and int(fields[3]) == leader != process:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)


def birth(process: int) -> str | None:
    """Return boot and start time, which distinguish a process from earlier ones with its id; None if unknown."""
    boot, fields = text_of("/proc/sys/kernel/random/boot_id"), status(process)
    return f"{boot}:{fields[19]}" if boot and len(fields) > 19 else None


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
        _end_adopted(f"{MARK}={mark}".encode(), other_children)
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


def _end_adopted(mark: bytes, other_children: set[int]) -> None:
    """End the adopted processes with a mark; their own children are adopted then, and ended, too."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    has_running = True
    while has_running and time.monotonic() < deadline:
        has_running = False
        with _STARTING:
            for process in set(_children()) - other_children - _WAITED_FOR:
                fields = status(process)
                # What a run starts is never in the session of this process.
                if len(fields) <= 3 or int(fields[3]) == os.getsid(0):
                    continue
                environment = _environment(process)
                with suppress(OSError):
                    if fields[0] == "Z":
                        os.waitpid(process, os.WNOHANG)
                    elif environment and mark in environment:
                        os.kill(process, signal.SIGKILL)
                    elif environment is not None:
                        continue
                has_running = True
        if has_running:
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
    parents = {process: status(process) for process in _processes()}
    return [process for process, fields in parents.items() if len(fields) > 1 and int(fields[1]) == parent]


def _environment(process: int) -> list[bytes] | None:
    """Return the environment of a process; None as long as it is hidden: while a program is loaded, and at the end."""
    # The address of its end is 0 then, here before or after it is read.
    before = status(process)[48:49]
    try:
        environment = (_PROCESSES / str(process) / "environ").read_bytes()
    except PermissionError:
        return []
    except OSError:
        return None
    hidden = not environment and ["0"] in (before, status(process)[48:49])
    return None if hidden else environment.split(b"\0")


def _processes() -> list[int]:
    """Return the ids of all processes, as far as the system shows them."""
    return [int(entry.name) for entry in _PROCESSES.glob("[0-9]*")]


def status(process: int) -> list[str]:
    """Return the fields of /proc/PID/stat after the name, which may contain any character."""
    return (text_of(_PROCESSES / str(process) / "stat") or "").rpartition(")")[2].split()
