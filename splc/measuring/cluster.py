"""Runs on the workers of an existing dask cluster, one at a time on each machine; this process records the results.

Dask schedules the runs. Simultaneous runs on one machine disturb each other, so that a lock of the machine makes its
workers wait for each other, also those that other measurements use.
"""

from __future__ import annotations

import os
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any

from splc.errors import InputError, Problem, SpecError, listed
from splc.measuring.batch import Recorder
from splc.measuring.command import program
from splc.measuring.execution import Job, RunResult, execute, now
from splc.measuring.machine import machine
from splc.measuring.run_results import Run
from splc.measuring.setup import Setup

# How long to wait for a scheduler, and how often to look for workers that came or went.
CONNECT_SECONDS = 10
LOOK_SECONDS = 2.0
# The time to wait for another worker if none is left: a nanny starts one within seconds.
PATIENCE_SECONDS = 60
# Held by the run of a worker; the lock of the machine is between processes.
_ALONE = Lock()
_LOCK_FILE = "splc-measure-{user}.lock"


class Cluster:
    """A connection to a dask scheduler.

    Args:
        address: its address, such as `tcp://10.0.0.1:8786`.

    Raises:
        SpecError: if dask is not installed.
        InputError: if there is no scheduler, or it has no workers.
    """

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            hint = "pip install 'splc[cluster]'"
            raise SpecError("the backend dask needs the package distributed", hint=hint) from None
        self.address = address
        try:
            self.client: Any = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            hint = "start one with 'dask scheduler', and workers with 'dask worker ADDRESS --nthreads 1'"
            raise InputError(Problem(f"no dask scheduler answers at {address!r}: {error}", hint=hint)) from None
        if not self.workers():
            self.client.close()
            hint = f"start one on each machine: dask worker {address} --nthreads 1"
            raise InputError(Problem(f"the dask scheduler {address} has no workers", hint=hint))

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def workers(self) -> list[str]:
        """Return the addresses of the current workers."""
        return sorted(self.client.scheduler_info(n_workers=-1)["workers"])

    def machines(self) -> dict[str, Any]:
        """Return the machine of each worker."""
        return dict(self.client.run(machine))

    def machines_at_once(self) -> int:
        """Return the number of machines, which is that of simultaneous runs."""
        return len(set(self._hosts()))

    def shared_machines(self) -> list[str]:
        """Return the machines with several workers."""
        hosts = self._hosts()
        return sorted({host for host in hosts if hosts.count(host) > 1})

    def _hosts(self) -> list[str]:
        return [address.rpartition("://")[2].rpartition(":")[0] for address in self.workers()]

    def require_programs(self, names: Sequence[str], folder: str | None, environment: Mapping[str, str]) -> None:
        """Check that every worker has the programs."""
        found: Mapping[str, list[str]] = self.client.run(missing_programs, list(names), folder, environment.get("PATH"))
        problems = [
            Problem(f"worker {worker}: {message}", hint="install it there, in the same place")
            for worker, messages in sorted(found.items())
            for message in messages
        ]
        if problems:
            raise InputError(problems)

    def __call__(self, setup: Setup, runs: Sequence[Run], record: Recorder, should_stop: Callable[[], bool]) -> None:
        """Do runs, and record each when it is done.

        Dask gives the run of a worker that disappears to another one, a few times.
        """
        from distributed import wait

        waiting, flying = deque(runs), dict[Any, Run]()
        try:
            while waiting or flying:
                free = 0 if should_stop() else len(self.workers()) - len(flying)
                for this in [waiting.popleft() for _ in range(min(free, len(waiting)))]:
                    flying[self.client.submit(execute_alone, setup.job(this), pure=False)] = this
                if not flying and should_stop():
                    return
                if not self.workers():
                    self._wait_for_workers()
                    continue
                # If no run ends within that time: check for new and lost workers, and for Ctrl-C.
                with suppress(TimeoutError), self.client.as_current():
                    wait(list(flying), timeout=LOOK_SECONDS, return_when="FIRST_COMPLETED")
                for future in [future for future in flying if future.done()]:
                    result, worker = self._result(future)
                    record(flying.pop(future), result, {"worker": worker})
        finally:
            self.client.cancel(list(flying))

    def _wait_for_workers(self) -> None:
        """Wait until lost workers are replaced."""
        try:
            self.client.wait_for_workers(1, timeout=PATIENCE_SECONDS)
        except TimeoutError:
            hint = "start some, and continue with --resume"
            raise InputError(Problem(f"no worker is left at {self.address}", hint=hint)) from None

    @staticmethod
    def _result(future: Any) -> tuple[RunResult, str]:
        """Return the result of a run and the address of its (last) worker."""
        from distributed import KilledWorker

        try:
            result: tuple[RunResult, str] = future.result()
        except KilledWorker as error:
            reason = f"{error.allowed_failures + 1} workers disappeared while they measured it"
            return RunResult({}, reason, started=now()), error.last_worker.address
        except Exception as error:
            return RunResult({}, f"the worker failed: {type(error).__name__}: {error}"), ""
        return result


def execute_alone(job: Job) -> tuple[RunResult, str]:
    """Do a run on a worker, after the others there; return its result and the worker's address."""
    from distributed import get_worker

    with _ALONE, machine_lock():
        return execute(job), get_worker().address


@contextmanager
def machine_lock() -> Iterator[None]:
    """Wait for the runs of other workers on this machine; the lock of a process that is killed is released."""
    import fcntl

    path = Path(tempfile.gettempdir(), _LOCK_FILE.format(user=os.getuid()))
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        # Some file systems have no locks.
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def missing_programs(names: Sequence[str], folder: str | None, path: str | None) -> list[str]:
    """Return what is wrong with programs on this machine."""
    found = []
    for name in names:
        try:
            program(name, folder or ".", path)
        except InputError as error:
            found += [problem.message for problem in error.problems]
    return found


def described(hosts: Sequence[str]) -> str:
    """Return the note about machines with several workers."""
    return f"several workers on one machine ({listed(hosts)}) measure one after the other; one worker is enough"
