"""Run tasks in this process, in processes of joblib or on a dask cluster; keep the record of each finished one."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

from splc.errors import LearningError
from splc.io.files import sha256_of
from splc.io.processes import in_processes, processes_for
from splc.io.tables import Table
from splc.learning.threads import one_thread
from splc.study.folder import ResultsFolder

# The record of a task, in JSON's types.
Content = Mapping[str, Any]


class KeyedTask(Protocol):
    """A task with a name that depends on everything that decides its result."""

    @property
    def key(self) -> str:
        """The hash of all inputs of its result, see `key_of`."""

    @property
    def title(self) -> str:
        """Its name in messages."""


T = TypeVar("T", bound=KeyedTask)
Finished = tuple[T, Content, float]


@dataclass(frozen=True, eq=False, kw_only=True)
class TasksResult:
    """The result of running tasks into a results folder.

    Attributes:
        folder: the results folder.
        tasks: number of tasks.
        found: number of tasks that were finished before.
        done: number of finished tasks; fewer than `tasks` after an interruption, which leaves no tables.
        tables: the tables of `table.md`.
        files: the files that were written, relative to the folder, without the records of tasks.
        notes: what the user should know.
    """

    folder: Path
    tasks: int
    found: int
    done: int
    tables: tuple[Table, ...] = ()
    files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def interrupted(self) -> bool:
        """True if tasks are left."""
        return self.done < self.tasks


@dataclass(frozen=True)
class Execution:
    """The execution of tasks: processes, cluster, callbacks.

    Attributes:
        jobs: number of processes; 1 is this process.
        scheduler: address of a dask scheduler whose workers run the tasks instead; `local`: a cluster with
            `jobs` workers is started on this machine.
        on_task: called with the number of finished tasks, the number of all tasks and the title of the last one.
        should_stop: once it returns true, no further task is started; running tasks are finished.
    """

    jobs: int = 1
    scheduler: str | None = None
    on_task: Callable[[int, int, str], None] = lambda count, total, text: None
    should_stop: Callable[[], bool] = lambda: False


def key_of(content: Mapping[str, Any]) -> str:
    """Return the hash of a value in JSON's types; the order of keys does not matter."""
    return sha256_of(json.dumps(content, sort_keys=True, ensure_ascii=False, allow_nan=False))


def run_tasks(
    tasks: Sequence[T], perform: Callable[[T], Content], results: ResultsFolder, execution: Execution
) -> tuple[dict[str, Content], int]:
    """Run the tasks that have no record yet.

    Returns:
        key → record, fewer than there are tasks after an interruption; and the number of records found.
    """
    stored_records = {task.key: results.record(task.key) for task in tasks}
    records: dict[str, Content] = {key: record for key, record in stored_records.items() if record is not None}
    reused = len(records)
    execution.on_task(reused, len(tasks), "")
    waiting = [task for task in tasks if task.key not in records]
    run = _in_processes if execution.scheduler is None else _on_cluster
    for task, record, seconds in run(waiting, partial(_timed, perform), execution):
        results.keep(task.key, record, seconds)
        records[task.key] = record
        execution.on_task(len(records), len(tasks), task.title)
    return records, reused


def _timed(perform: Callable[[T], Content], task: T) -> Finished[T]:
    """Run a task; return it with its record and the seconds it took."""
    started = time.monotonic()
    with one_thread():
        record = perform(task)
    return task, record, time.monotonic() - started


def _in_processes(tasks: Sequence[T], run: Callable[[T], Finished[T]], execution: Execution) -> Iterator[Finished[T]]:
    calls = (partial(run, task) for task in tasks if not execution.should_stop())
    hint = "finished runs are kept; continue with fewer processes: --jobs 1"
    return in_processes(calls, max(1, execution.jobs), ordered=False, hint=hint)


# Not joblib's dask backend: it waits forever for a task whose worker was killed.
def _on_cluster(tasks: Sequence[T], run: Callable[[T], Finished[T]], execution: Execution) -> Iterator[Finished[T]]:
    from splc.measuring.cluster import Cluster
    from splc.measuring.distribution import ItemError, distribute

    assert execution.scheduler is not None
    with Cluster(execution.scheduler, max(1, min(processes_for(execution.jobs), len(tasks)))) as cluster:
        for finished in distribute(cluster, _call, run, tasks, execution.should_stop):
            if not isinstance(finished.result, ItemError):
                yield finished.result
            elif finished.result.lost:
                raise LearningError(
                    f"{finished.result.lost} workers disappeared while they ran {finished.item.title!r}",
                    hint="perhaps there is not enough memory; finished runs are kept: run the same command again",
                )
            else:
                error = finished.result.error
                raise LearningError(
                    f"a worker of {cluster.address} failed: {type(error).__name__}: {error}",
                    hint="every worker needs the same version of splc; finished runs are kept: "
                    "run the same command again",
                )


def _call(run: Callable[[T], Finished[T]], task: T) -> Finished[T]:
    return run(task)
