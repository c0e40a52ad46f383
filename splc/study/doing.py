"""The tasks of a results folder: those that are not done are done, and each is on disk as soon as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from splc.study.folder import ResultsFolder
from splc.study.runner import done_tasks


class Keyed(Protocol):
    """A task: named by a hash of all that decides about its result."""

    @property
    def key(self) -> str:
        """The hash."""
        ...


class Kept(Keyed, Protocol):
    """What a task gave, as it is kept."""

    def text(self) -> str:
        """Return the text of its file."""
        ...


T = TypeVar("T", bound=Keyed)
R = TypeVar("R", bound=Kept)


@dataclass(frozen=True, eq=False)
class Plan(Generic[T, R]):
    """What is to be done.

    Attributes:
        tasks: the tasks.
        perform: does one, and gives its record and the seconds that it took.
        parse: bytes of a record's file and the task's key → the record, None where it is not whole or another's.
        label: what people call a task.
    """

    tasks: Sequence[T]
    perform: Callable[[T], tuple[R, float]]
    parse: Callable[[bytes, str], R | None]
    label: Callable[[T], str]


@dataclass(frozen=True)
class How:
    """How tasks are done.

    Attributes:
        jobs: number of processes.
        scheduler: address of a dask scheduler whose workers do them instead.
        on_task: called with the number of tasks that are done, that of all, and what was done last.
        should_stop: once it is true, no further task is begun.
    """

    jobs: int = 1
    scheduler: str | None = None
    on_task: Callable[[int, int, str], None] = lambda done, total, text: None
    should_stop: Callable[[], bool] = lambda: False


def do(plan: Plan[T, R], results: ResultsFolder, how: How) -> tuple[dict[str, R], int]:
    """Do what is not done yet.

    Args:
        plan: what is to be done.
        results: where records are, and are kept.
        how: how.

    Returns:
        key → record, fewer than there are tasks where it was interrupted; and how many were there before.

    Raises:
        SplcError: if a process was ended from outside, there is no such cluster, or a record cannot be written.
    """
    records = dict(_known(plan, results))
    found = len(records)
    waiting = [task for task in plan.tasks if task.key not in records]
    labels = {task.key: plan.label(task) for task in waiting}
    how.on_task(found, len(plan.tasks), "")
    done = done_tasks(waiting, plan.perform, jobs=how.jobs, scheduler=how.scheduler, should_stop=how.should_stop)
    for record, seconds in done:
        results.store(record.key, record.text(), seconds)
        records[record.key] = record
        how.on_task(len(records), len(plan.tasks), labels[record.key])
    return records, found


def _known(plan: Plan[T, R], results: ResultsFolder) -> Iterator[tuple[str, R]]:
    for task in plan.tasks:
        record = plan.parse(results.stored(task.key), task.key)
        if record is not None:
            yield task.key, record
