"""A dask scheduler and workers as separate processes, which tests kill, stop and restart."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support.paths import ROOT

# Seconds until a process is expected to listen.
_PATIENCE = 60


class DaskProcesses:
    """A scheduler, with its address, and workers on this machine."""

    def __init__(self, folder: Path, workers: int, protocol: str, options: Sequence[str]) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"{protocol}://127.0.0.1:{self.port}"
        self.folder = folder
        self.count = workers
        self.options = list(options)
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Start the scheduler and the workers."""
        protocol = self.address.partition(":")[0]
        at = ["--host", f"{protocol}://127.0.0.1", "--port", str(self.port), "--no-dashboard", "--no-show"]
        self.scheduler = self._process("scheduler", *at)
        until = time.monotonic() + _PATIENCE
        while not self._listens():
            assert time.monotonic() < until, "the scheduler does not listen"
            time.sleep(0.05)
        worker = (self.address, "--nthreads", "1", "--no-dashboard", "--local-directory", str(self.folder))
        self.workers += [self._process("worker", *worker) for _ in range(self.count)]

    def _listens(self) -> bool:
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", self.port)) == 0

    def _process(self, kind: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", kind, *arguments, *self.options]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
        with (self.folder / f"{kind}.log").open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=self.folder)

    def kill_scheduler(self) -> None:
        """Kill the scheduler, and wait for the workers, which end with it."""
        assert self.scheduler is not None
        self.scheduler.kill()
        self.scheduler.wait()
        for worker in self.workers:
            try:
                worker.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                worker.kill()
                worker.wait()
        self.workers.clear()

    def lose_worker(self) -> None:
        """Kill a worker, with its nanny, which would start it again."""
        worker = self.workers.pop()
        worker.kill()
        worker.wait()

    def stop(self) -> None:
        """End all processes."""
        for process in (*self.workers, self.scheduler):
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in (*self.workers, self.scheduler):
            if process is not None:
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


@contextmanager
def dask_processes(
    folder: Path, workers: int = 2, protocol: str = "tcp", options: Sequence[str] = ()
) -> Iterator[DaskProcesses]:
    """Start a scheduler and workers, and end them after the block; print their logs if it fails."""
    folder.mkdir(parents=True, exist_ok=True)
    started = DaskProcesses(folder, workers, protocol, options)
    try:
        started.start()
        yield started
    except BaseException:
        # The report of a failed test shows what was printed.
        for log in sorted(folder.glob("*.log")):
            print(f"{log.name}:\n{log.read_text(encoding='utf-8', errors='replace')}")
        raise
    finally:
        started.stop()
