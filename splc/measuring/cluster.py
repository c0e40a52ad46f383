"""A dask cluster: the connection to it, and the distribution of many items of work, such as runs, over its workers.

A task of dask does several items, until `TASK_SECONDS` have passed: items may take milliseconds, which is about what
dask takes for a task. Items that a task did not reach are distributed again, as are those of tasks that were lost with
their worker or their scheduler, or whose machine cannot do any (its disk is full); such workers get no further tasks.
Each item is returned exactly once.

Simultaneous runs on one machine disturb each other, so that a lock of the machine makes its workers wait for each
other, also those that other measurements use.
"""

from __future__ import annotations

import os
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from threading import Lock
from typing import Any, Generic, TypeVar

from splc._version import __version__
from splc.errors import InputError, MachineError, Problem, Problems, SpecError
from splc.measuring.command import program
from splc.measuring.execution import Run, RunResult, execute, now
from splc.measuring.machine import machine, machine_errors
from splc.measuring.session import Recorder, batches, run_batches
from splc.measuring.setup import Setup

# The address that stands for a scheduler that is started on this machine.
LOCAL = "local"
# How long to wait for a scheduler.
CONNECT_SECONDS = 10
# The time to wait for a lost scheduler, or for another worker if none is left: a nanny starts one within seconds.
PATIENCE_SECONDS = 60
# The time to wait for the first worker, since a batch system may start workers late.
FIRST_WORKER_SECONDS = 30
# The version of splc that a worker has.
VERSION = "splc._version:__version__"
# Dask's servers listen for HTTP, too, without a password, which processes on this machine do not need.
_NO_HTTP = "def dask_setup(server):\n    server.http_server.stop()\n"
# Ctrl-C is sent to all processes of a terminal; the workers finish what they do.
_UNINTERRUPTED = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"


class Cluster:
    """A connection to a dask scheduler.

    The certificates of a scheduler at `tls://` are those of dask's configuration. Processes that are started on this
    machine have certificates of their own, so that no other user of the machine can send them work.

    The address is such as `tcp://10.0.0.1:8786`, the name of a scheduler file, which ends in `.json`, or `local`: a
    scheduler and so many workers are started on this machine.
    """

    def __init__(self, address: str, workers: int = 1) -> None:
        try:
            from distributed import Security

            self._security = Security.temporary() if address == LOCAL else None
        except ImportError:
            hint = "pip install 'splc[cluster]'"
            raise SpecError("the backend dask needs the packages distributed and cryptography", hint=hint) from None
        self._stack = ExitStack()
        try:
            self.address = self._started(workers) if address == LOCAL else address
            self.client: Any = self._connected(CONNECT_SECONDS)
            self._stack.callback(lambda: self.client.close())  # noqa: PLW0108 - it may be replaced
            if not self._wait_for_workers(FIRST_WORKER_SECONDS):
                hint = f"start one on each machine: dask worker {address} --nthreads 1"
                raise InputError(Problem(f"the dask scheduler {address} has no workers", hint=hint))
            self._require_version()
        except BaseException:
            self._stack.close()
            raise

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _started(self, workers: int) -> str:
        """Start a scheduler and workers on this machine; return the address."""
        import dask
        from distributed import LocalCluster

        # Dask would give up workers that take longer to restart.
        settings = {"distributed.deploy.lost-worker-timeout": "1h", "distributed.scheduler.preload": [_NO_HTTP]}
        self._stack.enter_context(dask.config.set(settings))
        cluster = self._stack.enter_context(
            LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                security=self._security,
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                silence_logs=50,
                preload=[_UNINTERRUPTED, _NO_HTTP],
            )
        )
        return str(cluster.scheduler_address)

    def _connected(self, seconds: float) -> Any:
        """Return a client that is connected to the scheduler."""
        from distributed import Client, Security
        from distributed.comm import get_address_host_port

        security = self._security or Security()
        if self.address.startswith("tls:") and security.get_connection_args("client")["ssl_context"] is None:
            hint = "name them in dask's configuration, such as DASK_DISTRIBUTED__COMM__TLS__CA_FILE"
            raise InputError(Problem(f"no certificates for the dask scheduler {self.address!r}", hint=hint))
        by_file = self.address.endswith(".json")
        try:
            # Dask waits forever for a missing file, and leaves a client open for a malformed address.
            if by_file:
                Path(self.address).stat()
            elif "://" not in self.address:
                get_address_host_port(self.address)
            connection = {"scheduler_file" if by_file else "address": self.address}
            return Client(**connection, security=security, timeout=seconds, set_as_default=False)
        except (OSError, ValueError, TypeError, KeyError, RuntimeError) as error:
            hint = "start one with 'dask scheduler', and workers with 'dask worker ADDRESS --nthreads 1'"
            text = " ".join(str(error).split())
            raise InputError(Problem(f"no dask scheduler answers at {self.address!r}: {text}", hint=hint)) from None

    def _require_version(self) -> None:
        """Check that every worker has splc in the version of this process."""
        # A function of the standard library, since workers without splc cannot unpickle one of splc.
        versions = self.client.run(resolve_name, VERSION, on_error="return")
        hint = f"every worker needs what this process has: pip install 'splc[cluster]=={__version__}'"
        problems = Problems()
        for worker, version in sorted(versions.items()):
            if version != __version__:
                found = f"splc {version}" if isinstance(version, str) else "no splc"
                problems.add(f"worker {worker} has {found}", hint=hint)
        problems.raise_if_any()

    def restore(self) -> None:
        """Wait until there is a connection with a worker again, after a scheduler or the last worker was lost."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (remaining_seconds := deadline - time.monotonic()) > 0:
            if self.client.status in {"closed", "closing"}:
                try:
                    self.client = self._connected(remaining_seconds)
                except InputError:
                    break
            if self.client.status == "running" and self._wait_for_workers(remaining_seconds):
                return
            time.sleep(0.1)
        hint = "start it again, and run the same command again (splc measure: with --resume); what is done is kept"
        raise InputError(Problem(f"no worker is left at {self.address}", hint=hint))

    def _wait_for_workers(self, seconds: float) -> bool:
        """Return whether there is a worker within a time."""
        try:
            if not self.workers():
                self.client.wait_for_workers(1, timeout=seconds)
        except (TimeoutError, OSError):
            return False
        return True

    def workers(self) -> dict[str, int]:
        """Return address → number of threads of the current workers; none while the scheduler is lost."""
        try:
            threads_by_worker: Mapping[str, int] = self.client.nthreads() if self.client.status == "running" else {}
        except (OSError, ValueError):
            return {}
        return dict(sorted(threads_by_worker.items()))

    def machines(self) -> dict[str, Any]:
        """Return the machine of each worker."""
        return dict(self.client.run(machine))

    def machines_at_once(self) -> int:
        """Return the number of machines, which is that of simultaneous runs."""
        return len(self._hosts())

    def shared_machines(self) -> list[str]:
        """Return the machines with several workers."""
        return sorted(host for host, workers in self._hosts().items() if workers > 1)

    def _hosts(self) -> Counter[str]:
        return Counter(address.rpartition("://")[2].rpartition(":")[0] for address in self.workers())

    def require_programs(self, names: Sequence[str], folder: str | None, environment: Mapping[str, str]) -> None:
        """Check that every worker has the programs."""
        missing = self.client.run(missing_programs, list(names), folder, environment.get("PATH"))
        problems = Problems()
        for worker, messages in sorted(missing.items()):
            for message in messages:
                problems.add(f"worker {worker}: {message}", hint="install it there, in the same place")
        problems.raise_if_any()


def missing_programs(names: Sequence[str], folder: str | None, path: str | None) -> list[str]:
    """Return what is wrong with programs on this machine."""
    messages = []
    for name in names:
        try:
            program(name, folder or ".", path)
        except InputError as error:
            messages += [problem.message for problem in error.problems]
    return messages


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
        if isinstance(results, ItemError) and not results.lost:
            # It says nothing about the measured program.
            hint = "every worker needs the same versions of Python and splc; run the same command again with --resume"
            raise MachineError(f"a worker failed: {type(results.error).__name__}: {results.error}", hint=hint)
        if isinstance(results, ItemError):
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
