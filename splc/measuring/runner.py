"""One process without a shell: its output is collected; a time limit stops it with all its descendants."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from splc.measuring.detached import descendants, ended_with_run, processes, reaped, start, status
from splc.measuring.machine import LACKING, machine_error

# Seconds between SIGTERM and SIGKILL: mpirun needs one or two to end its ranks.
GRACE_SECONDS = 5.0
# The limit of the output of a program; beyond it the run fails.
MAX_PRINTED = 64 * 1024**2
# The largest timeout of a single wait in seconds; systems refuse very large ones.
LONGEST_WAIT = 86_400.0
_CHUNK = 1 << 16


@dataclass(frozen=True)
class Ended:
    """The end of a process.

    Attributes:
        exit_code: its exit code, negative: the signal that ended it; None: it could not be started.
        stdout: what it printed.
        stderr: what it printed on standard error.
        seconds: wall seconds.
        cpu: CPU seconds of it and those of its children that it waited for.
        timed_out: whether the time limit stopped it.
        error: why it could not be started, or why its output is incomplete.
    """

    exit_code: int | None
    stdout: str = ""
    stderr: str = ""
    seconds: float = 0.0
    cpu: float = 0.0
    timed_out: bool = False
    error: str | None = None


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
    """Run a process in a session of its own and wait for it; then end all processes that it left.

    `timeout`: seconds until it is stopped.

    Raises:
        MachineError: if the machine has no memory or no processes left.
    """
    with ended_with_run() as marks:
        started = time.perf_counter()
        try:
            process = start(
                lambda: subprocess.Popen(
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
            )
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
        pid = self.process.pid
        woken, wake = os.pipe()
        watcher = threading.Thread(target=self._watch, args=(wake,), daemon=True)
        try:
            # It waits for the thread, so that an interruption is likely to arrive here.
            watcher.start()
            if self.on_start is not None:
                self.on_start(pid)
            self._collect(woken)
        finally:
            self._end_session(thorough=not self.tidy)
            self._end_below()
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
        return Ended(
            self.process.returncode,
            self.printed["stdout"].decode("utf-8", "replace"),
            self.printed["stderr"].decode("utf-8", "replace"),
            self.ended - self.started,
            self.cpu,
            self.timed_out,
            error,
        )

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
            reaped(self.process.pid)

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
            for name, stream in (("stdout", process.stdout), ("stderr", process.stderr)):
                assert stream is not None
                os.set_blocking(stream.fileno(), False)
                selector.register(stream, selectors.EVENT_READ, name)
            if process.stdin is not None:
                os.set_blocking(process.stdin.fileno(), False)
                selector.register(process.stdin, selectors.EVENT_WRITE, "stdin")
            while True:
                remaining_seconds = None if self.deadline is None else self.deadline - time.perf_counter()
                if remaining_seconds is not None and remaining_seconds <= 0:
                    if self.timed_out:
                        self._end_session()
                        self.deadline = None
                        continue
                    self.timed_out = True
                    self.deadline = time.perf_counter() + GRACE_SECONDS
                    if not self._replaced():
                        self.below = [(child, birth(child)) for child in descendants(process.pid)]
                        with suppress(OSError):
                            os.killpg(process.pid, signal.SIGTERM)
                    continue
                events = selector.select(None if remaining_seconds is None else min(remaining_seconds, LONGEST_WAIT))
                for key, _ in events:
                    if key.data != "ended":
                        self._move(selector, key)
                if any(key.data == "ended" for key, _ in events):
                    break
            self._end_session(thorough=False)
            # The pipes still contain what was printed before the end.
            for key in [key for key in selector.get_map().values() if key.data in self.printed]:
                while not self.overflow and self._read(key.data, key.fileobj):
                    pass
            self.tidy = not (self.timed_out or self.overflow or self.held)

    def _end_below(self) -> None:
        """Kill the processes that were below this one when its time was over, whatever their session is."""
        for child, born in self.below:
            if born is not None and birth(child) == born:
                with suppress(OSError):
                    os.kill(child, signal.SIGKILL)

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
        if self.on_line is None:
            return
        output = self.printed["stdout"]
        while (end := output.find(b"\n", self.lined)) >= 0 or (last and self.lined < len(output)):
            stop = end if end >= 0 else len(output)
            line = output[self.lined : stop].decode("utf-8", "replace")
            self.lined = stop + 1
            self.on_line(line)


def end_session(leader: int, *, thorough: bool = True) -> None:
    """Kill the processes of the session that a process leads: its group, and other groups (mpirun makes some)."""
    with suppress(OSError):
        os.killpg(leader, signal.SIGKILL)
    if not thorough:
        return
    for process in processes():
        fields = status(process)
        if len(fields) > 3 and fields[0] != "Z" and int(fields[3]) == leader != process:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)


def birth(process: int) -> str | None:
    """Return boot and start time, which distinguish a process from earlier ones with its id; None if unknown."""
    fields = status(process)
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return None
    return f"{boot}:{fields[19]}" if len(fields) > 19 else None
