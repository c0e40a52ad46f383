"""Runs on the workers of a dask cluster, one at a time on each machine; this process records the results.

Simultaneous runs on one machine disturb each other, so that a lock of the machine makes its workers wait for each
other, also those that other measurements use.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

from splc.errors import MachineError
from splc.measuring.batch import Recorder, batches, run_batches
from splc.measuring.cluster import Cluster
from splc.measuring.distribution import ItemError, distribute
from splc.measuring.execution import RunResult, execute, now
from splc.measuring.machine import machine_errors
from splc.measuring.run_results import Run
from splc.measuring.setup import Setup

# Excludes other runs of this worker; the lock of the machine excludes other processes.
_ALONE = Lock()
_LOCK_FILE = "splc-measure-{user}.lock"
# Not `tempfile.gettempdir`, which writes a file: locks are also taken on a full disk.
LOCK_FOLDERS = ("/tmp", "/var/tmp")


def run_on_cluster(
    cluster: Cluster, setup: Setup, runs: Sequence[Run], record: Recorder, should_stop: Callable[[], bool]
) -> None:
    """Distribute runs over the workers, and record each when its task is done."""
    items = [[run] for run in runs] if setup.batch is None else batches(setup, runs)
    for task in distribute(cluster, execute_alone, setup, items, should_stop, per_worker=lambda threads: 1):
        if isinstance(task.result, ItemError):
            if not task.result.lost:
                raise _no_result(task.result.error)
            lost = f"{task.result.lost} workers disappeared while they measured it"
            for run in task.item:
                record(run, RunResult({}, lost, started=now()), {"worker": task.worker})
        else:
            for run, result in task.result:
                record(run, result, {"worker": task.worker})


def _no_result(error: Exception) -> MachineError:
    """Return the error of a worker that says nothing about the measured program."""
    hint = "every worker needs the same versions of Python and splc; run the same command again with --resume"
    return MachineError(f"a worker failed: {type(error).__name__}: {error}", hint=hint)


def execute_alone(setup: Setup, runs: Sequence[Run]) -> list[tuple[Run, RunResult]]:
    """Run one item on a worker when its other runs have ended, and return the results."""
    results: list[tuple[Run, RunResult]] = []
    with _ALONE, machine_lock():
        if setup.batch is None:
            return [(run, execute(setup.job(run))) for run in runs]
        run_batches(setup, runs, lambda run, result, _: results.append((run, result)), lambda: False)
    return results


@contextmanager
def machine_lock() -> Iterator[None]:
    """Wait for the runs of other workers on this machine; the lock of a process that is killed is released."""
    import fcntl

    with machine_errors():
        descriptor = _lock_descriptor()
    try:
        # Some file systems have no locks.
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _lock_descriptor() -> int:
    """Open the file of the lock, in the first folder that can have it."""
    name = _LOCK_FILE.format(user=os.getuid())
    folders = [candidate for candidate in (os.environ.get("TMPDIR"), *LOCK_FOLDERS) if candidate]
    for folder in folders[:-1]:
        with suppress(OSError):
            return _opened(folder, name)
    return _opened(folders[-1], name)


def _opened(folder: str, name: str) -> int:
    return os.open(Path(folder, name), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
