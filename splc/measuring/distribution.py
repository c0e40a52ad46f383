"""Distribution of many items of work, such as runs, over the workers of a dask cluster; each is returned exactly once.

A task of dask does several items, until `TASK_SECONDS` have passed: items may take milliseconds, which is about what
dask takes for a task. Items that a task did not reach are distributed again, as are those of tasks that were lost with
their worker or their scheduler, or whose machine cannot do any (its disk is full); such workers get no further tasks.

Simultaneous runs on one machine disturb each other, so that a lock of the machine makes its workers wait for each
other, also those that other measurements use.
"""

from __future__ import annotations

import os
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar

from splc.errors import MachineError
from splc.measuring.batch import Recorder, batches, run_batches
from splc.measuring.cluster import Cluster
from splc.measuring.execution import Run, RunResult, execute, now
from splc.measuring.machine import machine_errors
from splc.measuring.setup import Setup

T = TypeVar("T")
R = TypeVar("R")
# The time after which a task begins no further item: at most this is repeated where a worker is lost.
TASK_SECONDS = 1.0
# The most items of a task.
TASK_ITEMS = 256
# The interval of checks for new and lost workers, and for Ctrl-C.
LOOK_SECONDS = 2.0
# Excludes other runs of this worker; the lock of the machine excludes other processes.
_ALONE = Lock()
_LOCK_FILE = "splc-measure-{user}.lock"
# Not `tempfile.gettempdir`, which writes a file: locks are also taken on a full disk.
LOCK_FOLDERS = ("/tmp", "/var/tmp")


@dataclass(frozen=True)
class ItemError:
    """The failure of an item, and the number of workers that disappeared while they did it."""

    error: Exception
    lost: int = 0


@dataclass(frozen=True)
class Done(Generic[T, R]):
    """An item with its result, or why there is none, and the worker that did it."""

    item: T
    result: R | ItemError
    worker: str


@dataclass
class Distribution(Generic[T, R]):
    """The distribution of items over the workers; its iterator yields each when it is done, in any order."""

    cluster: Cluster
    function: Callable[[Any, T], R]  # a worker calls it with `shared`, which is sent to it once, and an item
    shared: Any
    items: Sequence[T]
    should_stop: Callable[[], bool]  # once it returns true, no task is started; items of running tasks are returned
    per_worker: Callable[[int], int] = int  # the number of threads of a worker → that of its simultaneous tasks

    def __post_init__(self) -> None:
        self.waiting = deque(self.items)
        self.flying: dict[Any, list[T]] = {}
        # Items of tasks that failed, each of which is done by a task of its own.
        self.single: deque[T] = deque()
        self.common: Any = None
        # Workers whose machine cannot do any item; they get no further ones.
        self.unusable: dict[str, MachineError] = {}
        self.seconds, self.finished = 0.0, 0

    def __iter__(self) -> Iterator[Done[T, R]]:
        try:
            while self.waiting or self.single or self.flying:
                stop = self.should_stop()
                if stop and not self.flying:
                    return
                workers = self.cluster.workers()
                if not workers:
                    self._restore()
                    continue
                usable = {address: threads for address, threads in workers.items() if address not in self.unusable}
                if not usable and not self.flying:
                    raise MachineError(problem for error in self.unusable.values() for problem in error.problems)
                if not stop:
                    self._start(usable)
                yield from self._collect()
        finally:
            with suppress(Exception):
                self.cluster.client.cancel(list(self.flying), force=True)

    def _start(self, workers: Mapping[str, int]) -> None:
        """Start tasks where workers are free."""
        slots = sum(map(self.per_worker, workers.values()))
        # Other workers are allowed, since a task whose workers were all lost would wait forever.
        options = {"workers": list(workers), "allow_other_workers": True} if self.unusable else {}
        while len(self.flying) < slots and (self.single or self.waiting):
            if self.single:
                chunk = [self.single.popleft()]
            else:
                chunk = [self.waiting.popleft() for _ in range(self._size(slots))]
            if self.common is None or self.common.status in {"cancelled", "lost"}:
                # A task, since dask repeats tasks whose results were lost.
                self.common = self._submit(options, _identity, self.shared)
            self.flying[self._submit(options, _run_items, self.function, self.common, chunk, TASK_SECONDS)] = chunk

    def _submit(self, options: Mapping[str, Any], *call: Any) -> Any:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            return self.cluster.client.submit(*call, pure=False, **options)

    def _size(self, slots: int) -> int:
        """Return the number of items of the next task."""
        if not self.finished:
            return 1
        target_size = TASK_SECONDS * self.finished / max(self.seconds, 1e-9)
        # The last items are shared by all workers.
        return max(1, int(min(target_size, TASK_ITEMS, -(-len(self.waiting) // slots))))

    def _collect(self) -> Iterator[Done[T, R]]:
        """Wait for a task, and yield the items that are done."""
        from distributed import wait

        with suppress(TimeoutError, CancelledError), self.cluster.client.as_current():
            wait(list(self.flying), timeout=LOOK_SECONDS, return_when="FIRST_COMPLETED")
        for future in [future for future in self.flying if future.status != "pending"]:
            chunk = self.flying.pop(future)
            if future.status == "finished":
                yield from self._finished(future, chunk)
            elif future.status == "error":
                yield from self._failed(future.exception(), chunk)
            else:
                self._requeue(chunk)

    def _finished(self, future: Any, chunk: list[T]) -> Iterator[Done[T, R]]:
        try:
            results, seconds, worker, machine_error = future.result()
        except CancelledError:
            # Its worker was lost before the result was fetched.
            self._requeue(chunk)
            return
        except Exception as error:
            yield from self._failed(error, chunk)
            return
        self.waiting.extendleft(reversed(chunk[len(results) :]))
        if machine_error is not None:
            self.unusable[worker] = machine_error
        self.seconds += seconds
        self.finished += len(results)
        for item, result in zip(chunk, results, strict=False):
            yield Done(item, result, worker)

    def _failed(self, error: Exception, chunk: list[T]) -> Iterator[Done[T, R]]:
        from distributed import KilledWorker

        if len(chunk) > 1:
            # Run the items one by one to find the faulty one.
            self.single.extend(chunk)
        elif isinstance(error, KilledWorker):
            yield Done(chunk[0], ItemError(error, error.allowed_failures + 1), error.last_worker.address)
        else:
            yield Done(chunk[0], ItemError(error), "")

    def _requeue(self, chunk: list[T]) -> None:
        """Distribute the items of a cancelled task again: its scheduler was lost, or the shared part with it."""
        self.common = None
        (self.waiting if len(chunk) > 1 else self.single).extendleft(reversed(chunk))

    def _restore(self) -> None:
        """Wait for a scheduler with workers; tasks that a new scheduler does not know are distributed again."""
        client = self.cluster.client
        self.cluster.restore()
        if self.cluster.client is not client:
            for future in list(self.flying):
                self._requeue(self.flying.pop(future))


def _identity(value: Any) -> Any:
    return value


def _run_items(
    function: Callable[[Any, T], R], shared: Any, items: Sequence[T], seconds: float
) -> tuple[list[R], float, str, MachineError | None]:
    """Process items until a time has passed; return results, duration, worker, and the error of a useless machine."""
    from distributed import get_worker

    started = time.monotonic()
    results: list[R] = []
    machine_error = None
    for item in items:
        try:
            results.append(function(shared, item))
        except MachineError as error:
            machine_error = error
            break
        if time.monotonic() - started >= seconds:
            break
    return results, time.monotonic() - started, str(get_worker().address), machine_error


def run_on_cluster(
    cluster: Cluster, setup: Setup, runs: Sequence[Run], record: Recorder, should_stop: Callable[[], bool]
) -> None:
    """Distribute runs over the workers, one at a time on each machine; record each here when its task is done."""
    items = [[run] for run in runs] if setup.batch is None else batches(setup, runs)
    for task in Distribution(cluster, execute_alone, setup, items, should_stop, per_worker=lambda threads: 1):
        results = task.result
        if isinstance(results, ItemError):
            if not results.lost:
                # It says nothing about the measured program.
                raise MachineError(
                    f"a worker failed: {type(results.error).__name__}: {results.error}",
                    hint="every worker needs the same versions of Python and splc; "
                    "run the same command again with --resume",
                )
            lost = f"{results.lost} workers disappeared while they measured it"
            results = [(run, RunResult({}, lost, started=now())) for run in task.item]
        for run, result in results:
            record(run, result, {"worker": task.worker})


def execute_alone(setup: Setup, runs: Sequence[Run]) -> list[tuple[Run, RunResult]]:
    """Run one item on a worker when its other runs have ended, and return the results."""
    results: list[tuple[Run, RunResult]] = []
    with _ALONE, machine_lock():
        if setup.batch is None:
            return [(run, execute(setup.process(run), setup.properties)) for run in runs]
        run_batches(setup, runs, lambda run, result, _: results.append((run, result)), lambda: False)
    return results


@contextmanager
def machine_lock() -> Iterator[None]:
    """Wait for the runs of other workers on this machine; the lock of a process that is killed is released."""
    import fcntl

    name = _LOCK_FILE.format(user=os.getuid())
    folders = [candidate for candidate in (os.environ.get("TMPDIR"), *LOCK_FOLDERS) if candidate]
    descriptor = -1
    for folder in folders:
        # It is in the first folder that can have it; the error is that of the last.
        with machine_errors() if folder == folders[-1] else suppress(OSError):
            descriptor = os.open(Path(folder, name), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            break
    try:
        # Some file systems have no locks.
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
