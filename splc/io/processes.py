"""Calls in child processes, which leave requests to end (Ctrl-C, SIGTERM) to their parent."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from typing import TypeVar

from splc.errors import MachineError

R = TypeVar("R")

MAX_PER_CORE = 2
_ALIVE_SECONDS = 0.5
_WATCH = "splc-parent"
_REQUESTS = (signal.SIGINT, signal.SIGTERM)


def processes_for(jobs: int) -> int:
    """Return the number of processes for many tasks; -1: one for each core. More than two per core are of no use."""
    from joblib import cpu_count, effective_n_jobs

    return int(min(effective_n_jobs(jobs), MAX_PER_CORE * cpu_count()))


def in_processes(
    calls: Iterable[Callable[[], R]], jobs: int, *, ordered: bool = True, hint: str = "use fewer processes: --jobs 1"
) -> Generator[R, None, None]:
    """Yield the results of calls; a call is taken when another one is finished, so that few are begun in advance.

    `ordered`: whether results have the order of the calls; otherwise they are yielded as soon as they are there.
    """
    if jobs != 1:
        calls = iter(calls)
        first = list(islice(calls, processes_for(jobs)))
        jobs, calls = len(first), chain(first, calls)
    if jobs <= 1:
        for call in calls:
            yield call()
        return
    from joblib import Parallel, delayed
    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    return_as = "generator" if ordered else "generator_unordered"
    parallel = Parallel(n_jobs=jobs, return_as=return_as, batch_size=1, pre_dispatch=jobs)
    complete = False
    try:
        # Ctrl-C reaches all processes of a terminal, including those that have not started their first call.
        with _requests_held_back():
            results = parallel(delayed(_in_child)(call, os.getpid()) for call in calls)
        # joblib warns about calls that were cancelled, which is what an interruption does.
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "[0-9]+ tasks ", UserWarning)
            try:
                yield from results
            finally:
                results.close()
        complete = True
    except TerminatedWorkerError:
        message = "a process was killed while it ran a task; perhaps there is not enough memory"
        raise MachineError(message, hint=hint) from None
    finally:
        if not complete:
            get_reusable_executor().shutdown(wait=True, kill_workers=True)


@contextmanager
def _requests_held_back() -> Iterator[None]:
    """Hold requests to end back until the block ends; processes that are started in it never get them."""
    from multiprocessing import resource_tracker

    # The resource tracker unblocks these signals when it starts.
    resource_tracker.ensure_running()
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, _REQUESTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _in_child(call: Callable[[], R], parent: int) -> R:
    """Call in a child process, which ignores requests to end (its parent has them) and ends with its parent."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_ALIVE_SECONDS)
        os._exit(1)

    if os.getppid() == parent and not any(thread.name == _WATCH for thread in threading.enumerate()):
        for number in _REQUESTS:
            signal.signal(number, signal.SIG_IGN)
        threading.Thread(target=watch, name=_WATCH, daemon=True).start()
    return call()
