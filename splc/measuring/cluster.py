"""Runs on the workers of an existing dask cluster, one at a time on each; this process records the results.

Dask schedules the runs. A worker gets its next run only after the previous one, since simultaneous runs disturb each
other.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from threading import Event
from types import TracebackType
from typing import Any

from splc.errors import InputError, Problem, SpecError, listed
from splc.measuring.batch import Recorder
from splc.measuring.command import program
from splc.measuring.execution import RunResult, execute, now
from splc.measuring.machine import machine
from splc.measuring.run_results import Run
from splc.measuring.setup import Setup

# How long to wait for a scheduler, and how often to look for workers that came or went.
CONNECT_SECONDS = 10
LOOK_SECONDS = 2.0
# The time to wait for another worker if none is left: a nanny starts one within seconds.
PATIENCE_SECONDS = 60
# After so many lost workers a run has failed.
LOSSES = 3


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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.client.close()

    def workers(self) -> list[str]:
        """Return the addresses of the current workers."""
        return sorted(self.client.scheduler_info(n_workers=-1)["workers"])

    def machines(self) -> dict[str, Any]:
        """Return the machine of each worker."""
        return dict(self.client.run(machine))

    def shared_machines(self) -> list[str]:
        """Return the machines with several workers, whose runs disturb each other."""
        hosts = [address.rpartition("://")[2].rpartition(":")[0] for address in self.workers()]
        return sorted({host for host in hosts if hosts.count(host) > 1})

    def require_programs(self, names: Sequence[str], folder: str | None, environment: Mapping[str, str]) -> None:
        """Check that every worker has the programs."""
        found: Mapping[str, list[str]] = self.client.run(missing_programs, list(names), folder, environment.get("PATH"))
        lacking = {worker: problems for worker, problems in found.items() if problems}
        if lacking:
            problems = [
                Problem(f"worker {worker}: {message}", hint="install it there, in the same place")
                for worker, messages in sorted(lacking.items())
                for message in messages
            ]
            raise InputError(problems)

    def __call__(self, setup: Setup, runs: Sequence[Run], record: Recorder, should_stop: Callable[[], bool]) -> None:
        """Do runs, and record each when it is done.

        The run of a worker that disappears is given to another one.
        """
        waiting, flying = deque(runs), dict[Any, tuple[str, Run]]()
        losses, ended = Counter[Run](), Event()

        def lost(worker: str, this: Run) -> None:
            losses[this] += 1
            if losses[this] < LOSSES:
                waiting.appendleft(this)
            else:
                reason = f"{LOSSES} workers disappeared while they measured it"
                record(this, RunResult({}, reason, started=now()), {"worker": worker})

        try:
            while waiting or flying:
                there = self.workers()
                for future in [future for future, (worker, _) in flying.items() if worker not in there]:
                    future.cancel()
                    lost(*flying.pop(future))
                stopping = should_stop()
                if stopping and not flying:
                    return
                busy = {worker for worker, _ in flying.values()}
                for worker in there:
                    if waiting and not stopping and worker not in busy:
                        this = waiting.popleft()
                        future = self._submit(setup, this, worker)
                        future.add_done_callback(lambda _: ended.set())
                        flying[future] = (worker, this)
                if not flying:
                    if waiting:
                        self._wait_for_workers()
                    continue
                # No run ended within that time: check for new and lost workers, and for Ctrl-C.
                ended.wait(LOOK_SECONDS)
                ended.clear()
                for future in [future for future in flying if future.done()]:
                    worker, this = flying.pop(future)
                    result = self._result(future)
                    if result is None:
                        lost(worker, this)
                    else:
                        record(this, result, {"worker": worker})
        finally:
            for future in flying:
                future.cancel()

    def _wait_for_workers(self) -> None:
        """Wait until lost workers are replaced."""
        try:
            self.client.wait_for_workers(1, timeout=PATIENCE_SECONDS)
        except TimeoutError:
            raise InputError(
                Problem(f"no worker is left at {self.address}", hint="start some, and continue with --resume")
            ) from None

    def _submit(self, setup: Setup, this: Run, worker: str) -> Any:
        return self.client.submit(
            execute, setup.job(this), workers=[worker], allow_other_workers=False, pure=False, retries=0
        )

    @staticmethod
    def _result(future: Any) -> RunResult | None:
        """Return the result of a run, None if its worker disappeared."""
        if future.status == "finished":
            result: RunResult = future.result()
            return result
        if future.status == "error":
            error = future.exception()
            if type(error).__name__ in {"KilledWorker", "NoValidWorkerError"}:
                return None
            return RunResult({}, f"the worker failed: {type(error).__name__}: {error}")
        return None


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
    return f"several workers on one machine ({listed(hosts)}) measure at the same time, which disturbs run times"
