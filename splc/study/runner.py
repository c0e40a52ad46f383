"""Tasks done here, in processes of joblib, or on a dask cluster; each result comes as soon as it is there."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from splc.errors import LearningError

T = TypeVar("T")
Done = TypeVar("Done")

# How often to look for workers that came, and for Ctrl-C.
LOOK_SECONDS = 2.0
# How often a process looks whether the one that it works for is alive.
ALIVE_SECONDS = 0.5
_WATCH = "splc-parent"


def done_tasks(
    tasks: Sequence[T],
    perform: Callable[[T], Done],
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Iterator[Done]:
    """Do tasks, and yield what each gave in the order in which they end.

    Args:
        tasks: the tasks.
        perform: does one; it is sent to the processes, so it must be one that can be sent.
        jobs: number of processes; 1: here.
        scheduler: address of a dask scheduler, None: on this machine.
        should_stop: once it is true, no further task is begun; those that were begun are finished.

    Raises:
        LearningError: if a process that did a task was ended from outside.
        SplcError: if there is no such cluster.
    """
    if scheduler is not None:
        yield from _on_cluster(tasks, perform, scheduler, should_stop)
    elif jobs == 1 or len(tasks) < 2:
        for task in tasks:
            if should_stop():
                return
            yield perform(task)
    else:
        yield from _in_processes(tasks, perform, min(jobs, len(tasks)), should_stop)


def _in_processes(
    tasks: Sequence[T], perform: Callable[[T], Done], jobs: int, should_stop: Callable[[], bool]
) -> Iterator[Done]:
    from joblib import Parallel, delayed
    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    # A task is handed out when another one is done, so that hardly any is begun after a request to stop.
    run = Parallel(n_jobs=jobs, backend="loky", return_as="generator_unordered", batch_size=1, pre_dispatch=jobs)
    calls = (delayed(perform_apart)(perform, task, os.getpid()) for task in tasks if not should_stop())
    outputs = run(calls)
    try:
        while True:
            with _quiet():
                done = next(outputs, None)
            if done is None:
                return
            yield done
    except TerminatedWorkerError:
        hint = "what is done is kept; go on with fewer processes: --jobs 1"
        message = "a process that did a task was ended from outside; perhaps there is not enough memory"
        raise LearningError(message, hint=hint) from None
    finally:
        with _quiet():
            outputs.close()
        get_reusable_executor().shutdown(wait=True, kill_workers=True)


@contextmanager
def _quiet() -> Iterator[None]:
    """Leave out joblib's advice about tasks that were cancelled, which an interruption is about."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "[0-9]+ tasks ", UserWarning)
        yield


def perform_apart(perform: Callable[[T], Done], task: T, parent: int) -> Done:
    """Do a task in a process of its own: requests to end go to the process that gave it, without which it ends."""
    if os.getpid() != parent and threading.current_thread() is threading.main_thread():
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, signal.SIG_IGN)
    if os.getppid() == parent and not any(thread.name == _WATCH for thread in threading.enumerate()):
        threading.Thread(target=_end_with, args=(parent,), name=_WATCH, daemon=True).start()
    return perform(task)


def _end_with(parent: int) -> None:
    """End this process when its parent is gone: what it does is for nobody."""
    while os.getppid() == parent:
        time.sleep(ALIVE_SECONDS)
    os._exit(1)


def _on_cluster(
    tasks: Sequence[T], perform: Callable[[T], Done], scheduler: str, should_stop: Callable[[], bool]
) -> Iterator[Done]:
    from splc.measuring.cluster import Cluster

    ended: SimpleQueue[Any] = SimpleQueue()
    waiting = deque(tasks)
    flying = set[Any]()
    with Cluster(scheduler) as cluster:
        # What all tasks share is within it, and goes to every worker once.
        shared = cluster.client.scatter(perform, broadcast=True)
        try:
            while True:
                # One more than there are workers keeps them busy, and few are left to finish after a request to stop.
                while waiting and len(flying) <= len(cluster.workers()) and not should_stop():
                    future = cluster.client.submit(_call, shared, waiting.popleft(), pure=False)
                    flying.add(future)
                    future.add_done_callback(ended.put)
                if not flying:
                    return
                with suppress(Empty):
                    future = ended.get(timeout=LOOK_SECONDS)
                    flying.discard(future)
                    yield _result(future, scheduler)
        finally:
            for future in flying:
                future.cancel()


def _call(perform: Callable[[T], Done], task: T) -> Done:
    return perform(task)


def _result(future: Any, scheduler: str) -> Any:
    if future.status == "finished":
        return future.result()
    error = future.exception() if future.status == "error" else future.status
    raise LearningError(
        f"a worker of {scheduler} failed: {type(error).__name__}: {error}",
        hint="every worker needs the same version of splc; what is done is kept, and the same command goes on",
    )
