"""Tasks done here, in processes of joblib, or on a dask cluster; each result comes as soon as it is there."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from splc.errors import LearningError
from splc.study.inputs import Inputs
from splc.study.learning import perform
from splc.study.records import Record
from splc.study.tasks import Task

if TYPE_CHECKING:
    from splc.learning.learning_set import Missing

Done = tuple[Record, float]


def done_tasks(
    tasks: Sequence[Task],
    inputs: Inputs,
    missing: Missing,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Iterator[Done]:
    """Do tasks, and yield what each gave (and its seconds) in the order in which they end.

    Args:
        tasks: the tasks.
        inputs: what they learn from.
        missing: see `perform`.
        jobs: number of processes; 1: here.
        scheduler: address of a dask scheduler, None: on this machine.
        should_stop: once it is true, no further task is begun; those that were begun are finished.

    Raises:
        LearningError: if a process that learned was ended from outside.
        SplcError: if there is no such cluster.
    """
    if scheduler is not None:
        yield from _on_cluster(tasks, inputs, missing, scheduler, should_stop)
    elif jobs == 1 or len(tasks) < 2:
        for task in tasks:
            if should_stop():
                return
            yield perform(task, inputs, missing)
    else:
        yield from _in_processes(tasks, inputs, missing, min(jobs, len(tasks)), should_stop)


def _in_processes(
    tasks: Sequence[Task], inputs: Inputs, missing: Missing, jobs: int, should_stop: Callable[[], bool]
) -> Iterator[Done]:
    from joblib import Parallel, delayed
    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    # A task is handed out when another one is done, so that hardly any is begun after a request to stop.
    run = Parallel(n_jobs=jobs, backend="loky", return_as="generator_unordered", batch_size=1, pre_dispatch=jobs)
    calls = (delayed(perform_apart)(task, inputs, missing, os.getpid()) for task in tasks if not should_stop())
    try:
        yield from run(calls)
    except TerminatedWorkerError:
        hint = "what is done is kept; go on with fewer processes: --jobs 1"
        message = "a process that learned was ended from outside; perhaps there is not enough memory"
        raise LearningError(message, hint=hint) from None
    finally:
        get_reusable_executor().shutdown(wait=True, kill_workers=True)


def perform_apart(task: Task, inputs: Inputs, missing: Missing, parent: int) -> Done:
    """Do a task in a process of its own, in which Ctrl-C is left to the process that gave it."""
    if os.getpid() != parent and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return perform(task, inputs, missing)


def _on_cluster(
    tasks: Sequence[Task], inputs: Inputs, missing: Missing, scheduler: str, should_stop: Callable[[], bool]
) -> Iterator[Done]:
    from splc.measuring.cluster import Cluster

    with Cluster(scheduler) as cluster:
        from distributed import as_completed

        client = cluster.client
        shared = client.scatter(inputs, broadcast=True)
        futures = [client.submit(perform, task, shared, missing, pure=False) for task in tasks]
        stopping = False
        for future in as_completed(futures):
            if future.cancelled():
                continue
            if future.status == "error":
                error = future.exception()
                raise LearningError(
                    f"a worker of {scheduler} failed: {type(error).__name__}: {error}",
                    hint="every worker needs the same version of splc; what is done is kept",
                ) from None
            yield future.result()
            if should_stop() and not stopping:
                stopping = True
                # What runs is finished; what waits is not begun.
                running = {key for keys in client.processing().values() for key in keys}
                client.cancel([each for each in futures if each.status == "pending" and each.key not in running])
