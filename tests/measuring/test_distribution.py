"""Distribution over a dask cluster: here its scheduler and workers are threads of this process."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import CancelledError
from typing import Any

import pytest

from splc.errors import MachineError
from splc.measuring.cluster import TASK_ITEMS, TASK_SECONDS, Cluster, Distribution, Done, ItemError

distributed = pytest.importorskip("distributed", reason="needs the extra cluster")
WorkerState: Any = pytest.importorskip("distributed.scheduler").WorkerState


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Return a connection to two workers."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0", silence_logs=50
        ) as local,
        Cluster(local.scheduler_address) as connected,
    ):
        yield connected


def tenfold(counts: Counter[int], item: int) -> int:
    """Return ten times an item; 13 cannot be done."""
    counts[item] += 1
    time.sleep(0.002)
    if item == 13:
        raise ValueError("13")
    return 10 * item


def results(found: list[Done[int, int]]) -> dict[int, Any]:
    """Return item → result; each item once."""
    assert len({done.item for done in found}) == len(found)
    return {done.item: done.result for done in found}


@pytest.fixture
def submitted(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> dict[Any, int]:
    """Return the submitted tasks with their numbers of items; the shared part has none."""
    tasks: dict[Any, int] = {}
    submit = cluster.client.submit

    def counted(*call: Any, **more: Any) -> Any:
        future = submit(*call, **more)
        tasks[future] = len(call[3]) if len(call) > 3 else 0
        return future

    monkeypatch.setattr(cluster.client, "submit", counted)
    return tasks


def test_short_items_share_tasks(cluster: Cluster, submitted: dict[Any, int]) -> None:
    """Each item is done once, by far fewer tasks than there are items."""
    found = list(Distribution(cluster, tenfold, Counter[int](), range(100, 300), lambda: False))
    assert results(found) == {item: 10 * item for item in range(100, 300)}
    assert len({done.worker for done in found}) == 2
    assert len(submitted) < 30


def test_an_item_that_fails(cluster: Cluster) -> None:
    """An exception is the result of its item only, also where the item shared its task."""
    found = results(list(Distribution(cluster, tenfold, Counter[int](), range(40), lambda: False)))
    failed = found.pop(13)
    assert isinstance(failed, ItemError)
    assert (str(failed.error), failed.lost) == ("13", 0)
    assert found == {item: 10 * item for item in range(40) if item != 13}


def test_lost_tasks(cluster: Cluster) -> None:
    """Tasks that are lost, as with a scheduler, are distributed again; no result is returned twice."""
    looks = [0]

    def lose() -> bool:
        looks[0] += 1
        if looks[0] in {4, 8}:
            client = cluster.client
            client.cancel([distributed.Future(key, client) for key in list(client.futures)], force=True)
        return False

    found = list(Distribution(cluster, tenfold, Counter[int](), range(100, 300), lose))
    assert looks[0] > 8
    assert results(found) == {item: 10 * item for item in range(100, 300)}


def test_stopped(cluster: Cluster) -> None:
    """After a request to stop, items of running tasks are returned, and no task is started."""
    found: list[Done[int, int]] = []
    for done in Distribution(cluster, tenfold, Counter[int](), range(100, 5000), lambda: len(found) > 3):
        found.append(done)  # noqa: PERF402
    assert 3 < len(results(found)) < 2000


def slow(counts: None, item: int) -> int:
    """Return the item; the later ones take longer."""
    time.sleep(0.02 if item > 20 else 0)
    return item


def test_a_task_ends_in_time(cluster: Cluster, monkeypatch: pytest.MonkeyPatch, submitted: dict[Any, int]) -> None:
    """A task returns after its time what it did, also where it was expected to do more; the rest is done by others."""
    monkeypatch.setattr("splc.measuring.cluster.TASK_SECONDS", 0.05)
    found = list(Distribution(cluster, slow, None, range(60), lambda: False))
    assert results(found) == {item: item for item in range(60)}
    assert any(len(task.result()[0]) < size for task, size in submitted.items() if size)


def with_a_disk(full: set[str], item: int) -> int:
    """Return ten times an item, on workers whose disk is not full."""
    time.sleep(0.002)
    worker = distributed.get_worker().address
    if worker in full:
        raise MachineError(f"{worker} has a full disk")
    return 10 * item


def test_full_disks(cluster: Cluster) -> None:
    """Items of a worker whose disk is full are done by the other one; if there is none, the error names each."""
    workers = set(cluster.workers())
    full = min(workers)
    found = list(Distribution(cluster, with_a_disk, {full}, range(200), lambda: False))
    assert results(found) == {item: 10 * item for item in range(200)}
    assert {done.worker for done in found} == workers - {full}
    with pytest.raises(MachineError, match="has a full disk") as caught:
        list(Distribution(cluster, with_a_disk, workers, range(200), lambda: False))
    assert len(caught.value.problems) == 2


def distribution(items: int) -> Any:
    """Return a distribution of items that has not started."""
    nothing: Any = None
    return Distribution(nothing, nothing, None, range(items), lambda: False)


@pytest.mark.parametrize(
    ("waiting", "slots", "finished", "seconds", "size"),
    [
        (100, 4, 0, 0.0, 1),
        (1000, 2, 10, 1.0, 10 * TASK_SECONDS),
        (1000, 2, 10, 100.0, 1),
        (10**6, 2, 10**5, 1.0, TASK_ITEMS),
        (10**6, 2, 10**5, 0.0, TASK_ITEMS),
        (9, 4, 100, 1.0, 3),
        (8, 4, 100, 1.0, 2),
        (3, 4, 100, 1.0, 1),
    ],
)
def test_sizes_of_tasks(waiting: int, slots: int, finished: int, seconds: float, size: float) -> None:
    """A task has as many items as are done within its time, up to a limit; the last items are shared by all workers."""
    one = distribution(waiting)
    one.finished, one.seconds = finished, seconds
    assert one._size(slots) == size


def fail(error: BaseException) -> None:
    """Raise an error, as a task that cannot be run or whose result cannot be read."""
    raise error


@pytest.mark.parametrize(
    ("error", "items", "done", "single"),
    [
        (OSError("x"), [7, 8], [], [7, 8]),
        (OSError("x"), [7], [Done(7, ItemError(OSError("x")), "")], []),
        (CancelledError(), [7, 8], [], []),
    ],
)
def test_tasks_that_fail(cluster: Cluster, error: BaseException, items: Any, done: Any, single: Any) -> None:
    """Items of a failed task are done one by one, a single one has failed; those of a cancelled task are done again."""
    one = distribution(1)
    future = cluster.client.submit(fail, error, pure=False)
    if isinstance(error, CancelledError):
        future.cancel()
    assert repr(list(one._finished(future, items))) == repr(done)
    assert list(one.single) == single
    assert list(one.waiting) == [*([] if single or done else items), 0]


def test_an_item_that_kills_workers() -> None:
    """An item has failed if the workers that ran it were killed, with their number."""
    facts: dict[str, Any] = {"memory_limit": 0, "local_directory": "", "nanny": None, "server_id": ""}
    worker = WorkerState(address="tcp://a:1", status=distributed.Status.closed, pid=1, name="a", **facts)
    killed = distributed.KilledWorker("task", worker, 3)
    assert list(distribution(1)._failed(killed, [7])) == [Done(7, ItemError(killed, 4), "tcp://a:1")]
