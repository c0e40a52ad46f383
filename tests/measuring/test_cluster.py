"""Runs on a dask cluster: a LocalCluster stands for machines."""

from __future__ import annotations

import operator
import socket
import tempfile
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from splc.data.configurations import Configurations
from splc.errors import InputError, MachineError
from splc.measuring.cluster import LOCAL, Cluster
from splc.measuring.command import bind, parse_template
from splc.measuring.distribution import machine_lock, run_on_cluster
from splc.measuring.execution import Run, RunResult
from splc.measuring.journal import Journal
from splc.measuring.plan import Plan
from splc.measuring.properties import parse_properties
from splc.measuring.session import Session
from splc.measuring.setup import Setup
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from tests.cli.conftest import SYSTEM
from tests.cli.conftest import run as run  # noqa: PLC0414
from tests.measuring.conftest import Program
from tests.support.file_size import file_size_limit

distributed = pytest.importorskip("distributed", reason="needs the extra cluster")

MODEL = VariabilityModel("s", (NumericOption("x", tuple(map(float, range(8)))),))
ALL = Configurations(MODEL, np.arange(8)[:, np.newaxis])


def setup(command: str, repeat: int = 1, folder: Path | None = None) -> Setup:
    """Return a measurement of all configurations."""
    bound = bind(parse_template(command, MODEL, ("repetition",)), ALL)
    where = None if folder is None else str(folder)
    return Setup(bound, ALL, parse_properties(["t=regex:(.+)"], ()), Plan(repeat), folder=where)


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
    assert found["t"].tolist() == list(range(8))
    assert found.repetitions("t").shape == (8, 3)


def test_stopping(scheduler: str) -> None:
    """Asked to stop, what is in flight is recorded, and nothing is begun."""
    results: dict[Run, RunResult] = {}

    def record(run: Run, result: RunResult, more: Mapping[str, Any]) -> None:
        results[run] = result

    with Cluster(scheduler) as cluster:
        run_on_cluster(cluster, setup("echo {x}"), [(row, 0) for row in range(8)], record, lambda: len(results) >= 3)
    # After a run on each worker, tasks of three and of two runs may have begun.
    assert 3 <= len(results) <= 7


def test_refused(scheduler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that the workers do not have, and a scheduler that does not answer, are refused."""
    with Cluster(scheduler) as cluster:
        with pytest.raises(InputError, match=r"worker tcp://.*: the command './nothing' does not exist"):
            cluster.require_programs(["echo", "./nothing"], str(tmp_path), {})
        cluster.require_programs(["echo"], None, {})
    monkeypatch.setattr("splc.measuring.cluster.CONNECT_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(InputError, match="no dask scheduler answers"):
        Cluster(f"tcp://127.0.0.1:{port}")
    for address in ("nonsense://1", "nonsense", str(tmp_path / "missing.json")):
        with pytest.raises(InputError, match="no dask scheduler answers"):
            Cluster(address)


@pytest.mark.parametrize(
    ("name", "found"), [("splc._version:__name__", "splc splc._version"), ("nothing:x", "no splc")]
)
def test_workers_without_this_splc(scheduler: str, monkeypatch: pytest.MonkeyPatch, name: str, found: str) -> None:
    """Workers that have another version of splc, or none, are named with what to install."""
    monkeypatch.setattr("splc.measuring.cluster.VERSION", name)
    with pytest.raises(InputError, match=rf"worker tcp://.* has {found}\n    every worker needs") as caught:
        Cluster(scheduler)
    assert len(caught.value.problems) == 2


def test_a_worker_that_fails(scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception of a worker is not the result of a run."""
    results: dict[Run, RunResult] = {}

    def record(run: Run, result: RunResult, more: Mapping[str, Any]) -> None:
        results[run] = result

    monkeypatch.setattr("splc.measuring.distribution.execute_alone", operator.truediv)
    with Cluster(scheduler) as cluster, pytest.raises(MachineError, match="a worker failed: TypeError: unsupported"):
        run_on_cluster(cluster, setup("echo {x}"), [(0, 0)], record, lambda: False)
    assert results == {}


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


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 99])
def test_a_worker_that_goes_away(
    scheduler: str, program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """The run of a worker that is killed is done by another one; a run that kills every worker has failed."""
    monkeypatch.setattr("splc.measuring.distribution.LOOK_SECONDS", 0.2)
    code = f"""
import os, sys
if sys.argv[1] == "3":
    with open("killed", "a") as file: file.write("x")
    if os.stat("killed").st_size <= {times}: os.kill(os.getppid(), 9)
print(sys.argv[1])
"""
    results: dict[Run, RunResult] = {}

    def record(run: Run, result: RunResult, more: Mapping[str, Any]) -> None:
        assert run not in results
        results[run] = result

    with Cluster(scheduler) as cluster:
        made = setup(program(code) + " {x}", 1, tmp_path)
        run_on_cluster(cluster, made, [(row, 0) for row in range(8)], record, lambda: False)
    expected: dict[Run, Any] = {(row, 0): {"t": row} for row in range(8)}
    if times > 1:
        assert results.pop((3, 0)).reason == "4 workers disappeared while they measured it"
        del expected[3, 0]
    # Four workers for a task of several runs, and four for the run alone.
    assert (tmp_path / "killed").stat().st_size in ({2} if times == 1 else {4, 8})
    assert {run: result.values for run, result in results.items()} == expected


def test_the_lock_of_a_machine_with_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock needs no space and no usable temporary folder; a machine without any folder for it can do no run."""
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TMPDIR", "/no/such/folder")
    with file_size_limit(0), machine_lock():
        pass
    monkeypatch.setattr("splc.measuring.distribution.LOCK_FOLDERS", ("/no/such/folder",))
    with (
        pytest.raises(MachineError, match="cannot do any run: No such file or directory: /no/such/folder"),
        machine_lock(),
    ):
        pass
