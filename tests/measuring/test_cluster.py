"""Runs on a dask cluster, and how items of work are distributed over its workers.

A LocalCluster, of processes or of threads, stands for machines, and a client without a scheduler for a connection.
"""

from __future__ import annotations

import operator
import socket
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import ANY, Mock, call

import pytest

from splc import __version__
from splc.errors import InputError, MachineError
from splc.measuring import cluster as module
from splc.measuring.cluster import LOCAL, Cluster, Distribution, Done, ItemError, run_on_cluster
from splc.measuring.execution import Plan
from splc.measuring.journal import Journal
from splc.measuring.session import Session
from splc.measuring.setup import Setup
from tests.cli.conftest import SYSTEM
from tests.cli.conftest import run as run  # noqa: PLC0414
from tests.measuring.conftest import Program, Recorder, grid, measurement
from tests.support.golden_messages import check_calls, check_cases
from tests.support.programs import file_size_limit

distributed = pytest.importorskip("distributed", reason="needs the extra cluster")
WorkerState: Any = pytest.importorskip("distributed.scheduler").WorkerState

WORKERS = {"tcp://10.0.0.2:40": 4, "tcp://10.0.0.1:41": 1, "tcp://10.0.0.2:41": 2, "tls://[::1]:5": 1}


def cluster(workers: Any = WORKERS, status: str = "running", **methods: Any) -> Cluster:
    """Return a connection whose client has these workers (or raises an error), and methods with these results."""
    found = Cluster.__new__(Cluster)
    results = {
        name: {"side_effect" if isinstance(each, Exception) else "return_value": each} for name, each in methods.items()
    }
    nthreads = Mock(side_effect=workers) if isinstance(workers, Exception) else Mock(return_value=workers)
    found.client = Mock(status=status, nthreads=nthreads, **{name: Mock(**each) for name, each in results.items()})
    found.address, found._security = "tcp://10.0.0.9:8786", None
    return found


def test_workers() -> None:
    """Workers are those that the scheduler has now, none while it is lost; those at one host are on one machine."""
    found = cluster()
    assert list(found.workers().items()) == sorted(WORKERS.items())
    for lost in (cluster(status="connecting"), cluster(OSError()), cluster(ValueError())):
        assert lost.workers() == {}
    assert (found.machines_at_once(), found.shared_machines()) == (3, ["10.0.0.2"])


def test_waiting_for_a_worker() -> None:
    """One worker is enough; there is no wait if there is one."""
    present, absent = cluster(), cluster({})
    client = present.client
    present.restore()
    cluster(run={"tcp://c:1": __version__})._require_version()
    assert present.client is client
    found = [each._wait_for_workers(5) for each in (present, absent, cluster({}, wait_for_workers=OSError()))]
    assert found == [True, True, False]
    assert client.wait_for_workers.call_args_list == []
    assert absent.client.wait_for_workers.call_args_list == [call(1, timeout=5)]


ERRORS = {kind.__name__: kind("no\n  answer") for kind in (OSError, ValueError, TypeError, KeyError, RuntimeError)}
OTHERS = {"tcp://b:1": "0.0.1", "tcp://a:1": ImportError("splc"), "tcp://c:1": __version__}
REFUSED: dict[str, Callable[[], Any]] = {
    "no worker comes back": lambda: cluster({}, wait_for_workers=TimeoutError()).restore(),
    "no workers": lambda: Cluster("tcp://10.0.0.9:8786"),
    "other versions": lambda: cluster(run=OTHERS)._require_version(),
    "missing programs": lambda: cluster(
        run={"tcp://b:1": module.missing_programs(["true", "./other", "splc-nothing"], "/", None), "tcp://a:1": []}
    ).require_programs([], None, {}),
    **dict.fromkeys(ERRORS, lambda: cluster()._connected(2.5)),
}


def test_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster that cannot be used is refused with its address and what to do, and the connection is closed."""
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.01)
    client = cluster({}, wait_for_workers=TimeoutError()).client

    def refused(case: str) -> list[str]:
        connect = Mock(side_effect=ERRORS.get(case), return_value=client)
        monkeypatch.setattr(distributed, "Client", connect)
        with pytest.raises(InputError) as caught:
            REFUSED[case]()
        if case in ERRORS:
            expected = {"address": "tcp://10.0.0.9:8786", "timeout": 2.5, "set_as_default": False, "security": ANY}
            assert connect.call_args.kwargs == expected
            assert connect.call_args.kwargs["security"].require_encryption is False
        return str(caught.value).replace(__version__, "VERSION").splitlines()

    check_cases("clusters", refused)
    client.wait_for_workers.assert_called_once_with(1, timeout=module.FIRST_WORKER_SECONDS)
    client.close.assert_called_once_with()


def test_addresses(scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address at which nothing answers, that is malformed, or a file that does not exist, is refused.

    Workers have the programs that are in the PATH of a run.
    """
    (tmp_path / "solver").touch(0o755)
    with Cluster(scheduler) as workers:
        workers.require_programs(["solver"], None, {"PATH": str(tmp_path)})
        with pytest.raises(InputError, match=r"worker tcp://.*: the command './nothing' does not exist"):
            workers.require_programs(["echo", "./nothing"], str(tmp_path), {})
    monkeypatch.setattr(module, "CONNECT_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    for address in (f"tcp://127.0.0.1:{port}", "nonsense://1", "nonsense", str(tmp_path / "missing.json")):
        with pytest.raises(InputError, match="no dask scheduler answers"):
            Cluster(address)


def setup(command: str, repeat: int = 1, folder: Path | None = None) -> Setup:
    """Return a measurement of eight configurations."""
    return measurement(grid(8, "x"), command, "t=regex:(.+)", Plan(repeat), folder=folder and str(folder))


@pytest.mark.slow
def test_no_other_user_reaches_local_workers() -> None:
    """All ports of a cluster on this machine are for its own certificates: others get no answer."""
    psutil = pytest.importorskip("psutil")
    pytest.importorskip("cryptography", reason="needs the extra cluster")
    with Cluster(LOCAL) as cluster:
        processes = [psutil.Process(), *psutil.Process().children(recursive=True)]
        ports = {
            each.laddr.port
            for process in processes
            for each in process.net_connections("tcp")
            if each.status == psutil.CONN_LISTEN
        }
        assert int(cluster.address.rpartition(":")[2]) in ports
        for port in sorted(ports):
            with socket.create_connection(("127.0.0.1", port), 5) as one:
                one.sendall(b"GET / HTTP/1.0\r\n\r\n")
                with suppress(ConnectionError):
                    assert one.recv(1) == b"", port
        assert cluster.client.submit(operator.add, 1, 2).result() == 3


def test_one_at_a_time_per_machine(scheduler: str, program: Program, tmp_path: Path) -> None:
    """Both workers measure, but on one machine only one run at a time; the results are those of this machine."""
    code = """
import os, sys, time
log = os.open("log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
os.write(log, f"{os.getppid()} begins\\n".encode())
time.sleep(0.02)
print(sys.argv[1])
os.write(log, f"{os.getppid()} ends\\n".encode())
"""
    made = setup(program(code) + " {x}", 3, tmp_path)
    with Cluster(scheduler) as cluster, Journal.create(tmp_path / "j") as journal:
        assert cluster.shared_machines() == ["127.0.0.1"]
        assert cluster.machines_at_once() == 1
        session = Session.begin(made, journal)
        progress = session.measure(partial(run_on_cluster, cluster), workers=cluster.machines())
        workers = Counter(record["worker"] for record in journal.records if record["kind"] == "run")
        machines = next(record["workers"] for record in journal.records if record["kind"] == "session")
    assert (progress.measured, progress.failed) == (24, 0)
    assert sum(workers.values()) == 24
    assert set(workers) == set(machines)
    assert all(machine["cores"] for machine in machines.values())
    running: Counter[str] = Counter()
    for line in (tmp_path / "log").read_text(encoding="utf-8").splitlines():
        worker, what = line.split()
        running[worker] += 1 if what == "begins" else -1
        assert running.total() in {0, 1}
    assert len(running) == 2
    found = made.measurements(session.recorded)
    assert found is not None
    assert found["t"].tolist() == list(range(1, 9))
    assert found.repetitions("t").shape == (8, 3)


def test_a_worker_that_fails(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception of a worker is not the result of a run."""
    made, record = setup("echo {x}"), Recorder()
    monkeypatch.setattr("splc.measuring.cluster.execute_alone", operator.truediv)
    with Cluster(scheduler) as cluster, pytest.raises(MachineError, match="a worker failed: TypeError: unsupported"):
        run_on_cluster(cluster, made, [(0, 0)], record, lambda: False)
    assert record.results == {}


def test_on_the_command_line(scheduler: str, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--backend dask` measures the same as without, and can be gone on with here."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "system.xml").write_text(SYSTEM, encoding="utf-8")
    arguments = ["measure", "--command", "echo {x}", "--sampling", "all+ff", "--property", "t=regex:(.+)"]
    there = run(*arguments, "--repeat", "2", "--backend", "dask", "--scheduler", scheduler)
    assert there.exit_code == 0
    assert "several workers on one machine" in there.stderr
    assert run(*arguments, "--repeat", "3", "--resume").exit_code == 0
    assert run(*arguments, "--repeat", "3", "-o", "here.csv").exit_code == 0
    assert (tmp_path / "measurements.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()


def test_the_lock_of_a_machine_with_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock needs no space and no usable temporary folder; a machine without any folder for it can do no run."""
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TMPDIR", "/no/such/folder")
    with file_size_limit(0), module.machine_lock():
        pass
    monkeypatch.setattr("splc.measuring.cluster.LOCK_FOLDERS", ("/no/such/folder",))
    with (
        pytest.raises(MachineError, match="cannot do any run: No such file or directory: /no/such/folder"),
        module.machine_lock(),
    ):
        pass


@pytest.fixture(scope="module")
def connected(inside: str) -> Iterator[Cluster]:
    """Return a connection to two workers."""
    with Cluster(inside) as connected:
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
def submitted(connected: Cluster, monkeypatch: pytest.MonkeyPatch) -> dict[Any, int]:
    """Return the submitted tasks with their numbers of items; the shared part has none."""
    tasks: dict[Any, int] = {}
    submit = connected.client.submit

    def counted(*call: Any, **more: Any) -> Any:
        future = submit(*call, **more)
        tasks[future] = len(call[3]) if len(call) > 3 else 0
        return future

    monkeypatch.setattr(connected.client, "submit", counted)
    return tasks


def test_short_items_share_tasks(connected: Cluster, submitted: dict[Any, int]) -> None:
    """Each item is done once, by far fewer tasks than there are items."""
    found = list(Distribution(connected, tenfold, Counter[int](), range(100, 300), lambda: False))
    assert results(found) == {item: 10 * item for item in range(100, 300)}
    assert len({done.worker for done in found}) == 2
    assert len(submitted) < 30


def test_an_item_that_fails(connected: Cluster) -> None:
    """An exception is the result of its item only, also where the item shared its task."""
    found = results(list(Distribution(connected, tenfold, Counter[int](), range(40), lambda: False)))
    failed = found.pop(13)
    assert isinstance(failed, ItemError)
    assert (str(failed.error), failed.lost) == ("13", 0)
    assert found == {item: 10 * item for item in range(40) if item != 13}


def test_lost_tasks(connected: Cluster) -> None:
    """Tasks that are lost, as with a scheduler, are distributed again; no result is returned twice."""
    looks = [0]

    def lose() -> bool:
        looks[0] += 1
        if looks[0] in {4, 8}:
            client = connected.client
            client.cancel([distributed.Future(key, client) for key in list(client.futures)], force=True)
        return False

    found = list(Distribution(connected, tenfold, Counter[int](), range(100, 300), lose))
    assert looks[0] > 8
    assert results(found) == {item: 10 * item for item in range(100, 300)}


def test_stopped(connected: Cluster) -> None:
    """After a request to stop, items of running tasks are returned, and no task is started."""
    found: list[Done[int, int]] = []
    for done in Distribution(connected, tenfold, Counter[int](), range(100, 5000), lambda: len(found) > 3):
        found.append(done)  # noqa: PERF402
    assert 3 < len(results(found)) < 2000


def slowing(counts: None, item: int) -> int:
    """Return the item; the later ones take longer."""
    time.sleep(0.02 if item > 20 else 0)
    return item


def test_a_task_ends_in_time(connected: Cluster, monkeypatch: pytest.MonkeyPatch, submitted: dict[Any, int]) -> None:
    """A task returns after its time what it did, also where it was expected to do more; the rest is done by others."""
    monkeypatch.setattr("splc.measuring.cluster.TASK_SECONDS", 0.05)
    found = list(Distribution(connected, slowing, None, range(60), lambda: False))
    assert results(found) == {item: item for item in range(60)}
    assert any(len(task.result()[0]) < size for task, size in submitted.items() if size)


def with_a_disk(full: set[str], item: int) -> int:
    """Return ten times an item, on workers whose disk is not full."""
    time.sleep(0.002)
    worker = distributed.get_worker().address
    if worker in full:
        raise MachineError(f"{worker} has a full disk")
    return 10 * item


def test_full_disks(connected: Cluster) -> None:
    """Items of a worker whose disk is full are done by the other one; if there is none, the error names each."""
    workers = set(connected.workers())
    full = min(workers)
    found = list(Distribution(connected, with_a_disk, {full}, range(200), lambda: False))
    assert results(found) == {item: 10 * item for item in range(200)}
    assert {done.worker for done in found} == workers - {full}
    with pytest.raises(MachineError, match="has a full disk") as caught:
        list(Distribution(connected, with_a_disk, workers, range(200), lambda: False))
    assert len(caught.value.problems) == 2


def test_tasks(connected: Cluster) -> None:
    """Sizes of tasks, and what becomes of the items of tasks that fail."""

    def distribution(items: int) -> Any:
        nothing: Any = None
        return Distribution(nothing, nothing, None, range(items), lambda: False)

    def size(waiting: int, slots: int, finished: int, seconds: float) -> int:
        one = distribution(waiting)
        one.finished, one.seconds = finished, seconds
        return int(one._size(slots))

    def failed(error: BaseException, *items: int) -> tuple[Any, ...]:
        one = distribution(1)
        future = connected.client.submit(fail, error, pure=False)
        if isinstance(error, CancelledError):
            future.cancel()
        return list(one._finished(future, list(items))), list(one.single), list(one.waiting)

    def killed(*items: int) -> Any:
        facts: dict[str, Any] = {"memory_limit": 0, "local_directory": "", "nanny": None, "server_id": ""}
        worker = WorkerState(address="tcp://a:1", status=distributed.Status.closed, pid=1, name="a", **facts)
        [done] = distribution(1)._failed(distributed.KilledWorker("task", worker, 3), list(items))
        return done.item, type(done.result.error), done.result.lost, done.worker

    check_calls("tasks-of-clusters", size, failed, killed, CancelledError)


def fail(error: BaseException) -> None:
    """Raise an error, as a task that cannot be run or whose result cannot be read."""
    raise error
