"""Studies on a cluster whose scheduler, workers or disk fail."""

from __future__ import annotations

import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from splc.measuring.journal import read_journal
from splc.workflows.measure import Request
from splc.workflows.measure import run as run_measurement
from splc.workflows.views import Watch
from tests.cli.conftest import SYSTEM
from tests.study.conftest import Studied
from tests.support.objects import contents
from tests.support.paths import ROOT
from tests.support.programs import table

# Seconds until a process is expected to listen.
_PATIENCE = 60


class DaskProcesses:
    """A scheduler, with its address, and workers on this machine."""

    def __init__(self, folder: Path, workers: int, protocol: str, options: Sequence[str]) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"{protocol}://127.0.0.1:{self.port}"
        self.folder = folder
        self.count = workers
        self.options = list(options)
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Start the scheduler and the workers."""
        protocol = self.address.partition(":")[0]
        at = ["--host", f"{protocol}://127.0.0.1", "--port", str(self.port), "--no-dashboard", "--no-show"]
        self.scheduler = self._process("scheduler", *at)
        until = time.monotonic() + _PATIENCE
        while not self._listens():
            assert time.monotonic() < until, "the scheduler does not listen"
            time.sleep(0.05)
        worker = (self.address, "--nthreads", "1", "--no-dashboard", "--local-directory", str(self.folder))
        self.workers += [self._process("worker", *worker) for _ in range(self.count)]

    def _listens(self) -> bool:
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", self.port)) == 0

    def _process(self, kind: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", kind, *arguments, *self.options]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
        with (self.folder / f"{kind}.log").open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=self.folder)

    def kill_scheduler(self) -> None:
        """Kill the scheduler, and wait for the workers, which end with it."""
        assert self.scheduler is not None
        self.scheduler.kill()
        self.scheduler.wait()
        for worker in self.workers:
            wait(worker, _PATIENCE)
        self.workers.clear()

    def lose_worker(self) -> None:
        """Kill a worker, with its nanny, which would start it again."""
        worker = self.workers.pop()
        worker.kill()
        worker.wait()

    def stop(self) -> None:
        """End all processes."""
        processes = [process for process in (*self.workers, self.scheduler) if process is not None]
        for process in processes:
            process.terminate()
        for process in processes:
            wait(process, 10)


def wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Wait for the end of a process, which is killed after some seconds."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def dask_processes(
    folder: Path, workers: int = 2, protocol: str = "tcp", options: Sequence[str] = ()
) -> Iterator[DaskProcesses]:
    """Start a scheduler and workers, and end them after the block; print their logs if it fails."""
    folder.mkdir(parents=True, exist_ok=True)
    started = DaskProcesses(folder, workers, protocol, options)
    try:
        started.start()
        yield started
    except BaseException:
        # The report of a failed test shows what was printed.
        for log in sorted(folder.glob("*.log")):
            print(f"{log.name}:\n{log.read_text(encoding='utf-8', errors='replace')}")
        raise
    finally:
        started.stop()


distributed = pytest.importorskip("distributed", reason="needs the extra cluster")

pytestmark = pytest.mark.slow

RUNS = 60
# Called with the cluster, and with the process of a worker.
Failure = Callable[[DaskProcesses, int], None]


def kill_a_worker(cluster: DaskProcesses, worker: int) -> None:
    """Kill the process of a worker; its nanny starts another one."""
    os.kill(worker, signal.SIGKILL)


def kill_a_machine(cluster: DaskProcesses, worker: int) -> None:
    """Kill a worker for good."""
    cluster.lose_worker()
    with suppress(ProcessLookupError):
        os.kill(worker, signal.SIGKILL)


def restart(cluster: DaskProcesses, worker: int) -> None:
    """Kill the scheduler, and start it again, with other workers."""
    cluster.kill_scheduler()
    cluster.start()


def restart_late(cluster: DaskProcesses, worker: int) -> None:
    """Kill the scheduler, and start it after the connection was given up."""
    cluster.kill_scheduler()
    threading.Timer(15, cluster.start).start()


def slow_down(cluster: DaskProcesses, worker: int) -> None:
    """Stop a worker for some seconds."""
    os.kill(worker, signal.SIGSTOP)
    threading.Timer(4, os.kill, (worker, signal.SIGCONT)).start()


def full_disk(cluster: DaskProcesses, worker: int) -> None:
    """Let no worker write a file."""
    limit = (resource.RLIMIT_FSIZE, (0, 0))
    with distributed.Client(cluster.address, set_as_default=False) as client:
        client.run(resource.setrlimit, *limit)


FAILURES = (kill_a_worker, kill_a_machine, restart, restart_late, slow_down, full_disk)


def worker_process(cluster: DaskProcesses) -> int:
    """Return the process id of a worker."""
    with distributed.Client(cluster.address, set_as_default=False) as client:
        pids: dict[str, int] = client.run(os.getpid)
    return min(pids.values())


def failing(cluster: DaskProcesses, failure: Failure, at: int) -> Callable[[int], None]:
    """Return a function that causes a failure when this number of runs is done."""
    left = [failure]

    def look(done: int) -> None:
        if done >= at and left:
            left.pop()(cluster, worker_process(cluster))

    return look


@pytest.mark.parametrize("failure", [kill_a_worker, restart])
def test_a_study(studied: Studied, study_file: Path, tmp_path: Path, failure: Failure) -> None:
    """After a failure in the cluster, a study has the results of one process, and no run twice."""
    seeds = ", ".join(map(str, range(RUNS)))
    study_file.write_text(f'samplings = ["random:6"]\nseeds = [{seeds}]\n', encoding="utf-8")
    expected = contents(studied("here").folder)
    titles = Counter[str]()
    with dask_processes(tmp_path / "dask") as cluster:
        look = failing(cluster, failure, 10)

        class Looking(Watch):
            def advance(self, done: float, total: float | None, text: str) -> None:
                titles[text.partition(": ")[2]] += 1
                look(int(done))

        studied("there", scheduler=cluster.address, watch=Looking())
    del titles[""], titles["comparing"]
    assert contents(study_file.parent / "there") == expected
    assert (len(titles), max(titles.values())) == (RUNS, 1)


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.__name__)
@pytest.mark.parametrize("batch", [False, True])
def test_a_measurement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: Failure, batch: bool) -> None:
    """After any failure in the cluster, each run is recorded once, and the measurements are those of one process."""
    monkeypatch.chdir(tmp_path)
    Path("system.xml").write_text(SYSTEM, encoding="utf-8")
    rows = (
        "import csv, sys, time\nprint('cache,left,right,x,time', flush=True)\nfor row in csv.DictReader(sys.stdin):\n"
        "    time.sleep(0.02)\n    values = [row['cache'], row['left'], row['right'], row['x']]\n"
        "    print(*values, int(row['x']) * 2 + int(row['cache']), sep=',', flush=True)"
    )
    one = "import sys, time\ntime.sleep(0.02)\nprint(int(sys.argv[1]) * 2 + int(sys.argv[2]))"
    Path("program").write_text(f"#!{sys.executable} -IS\n{rows if batch else one}\n", encoding="utf-8")
    Path("program").chmod(0o755)
    request: dict[str, Any] = {
        "command": str(tmp_path / "program") + ("" if batch else " {x} {cache}"),
        "properties": ("time",) if batch else ("time=regex:(.+)",),
        "sampling": "all+ff",
        "repeat": 8,
        "batch": ("cache",) if batch else (),
    }
    with dask_processes(tmp_path / "dask") as cluster:
        look = failing(cluster, failure, 10)
        watch = Watch()
        watch.advance = lambda done, total, text: look(int(done))  # type: ignore[method-assign]
        run_measurement(Request(backend="dask", scheduler=cluster.address, **request), watch)
    assert not [record["reason"] for record in journal() if record.get("reason")]
    runs = [(record["row"], record["repetition"]) for record in journal() if record["kind"] == "run"]
    assert len(runs) == len(set(runs)) == 9 * 8
    assert Path("measurements.csv").read_text(encoding="utf-8") == table(8)


def journal() -> list[Any]:
    """Return the records of the measurement."""
    return list(read_journal("measurements.journal"))


def test_encrypted(study_file: Path, tmp_path: Path) -> None:
    """Dask's configuration names the certificates of a scheduler; without them there is no connection."""
    key, certificate = str(tmp_path / "key.pem"), str(tmp_path / "certificate.pem")
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate]
    subprocess.run([*made, "-days", "2", "-subj", "/CN=splc"], check=True, capture_output=True)
    options = [*("--tls-ca-file", certificate), *("--tls-cert", certificate), *("--tls-key", key)]
    names = {"CA_FILE": certificate, "CLIENT__CERT": certificate, "CLIENT__KEY": key}
    tls = {f"DASK_DISTRIBUTED__COMM__TLS__{name}": value for name, value in names.items()}
    command = [sys.executable, "-m", "splc", "study", str(study_file), "--no-pictures", "--backend", "dask"]
    with dask_processes(tmp_path / "dask", 1, "tls", options) as cluster:
        command += ["--scheduler", cluster.address]
        done = subprocess.run(command, env={**os.environ, **tls}, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert "8 runs; " in done.stdout + done.stderr
        refused = subprocess.run(command, capture_output=True, text=True, check=False)
        assert refused.returncode == 2
        assert "no certificates for the dask scheduler 'tls://" in refused.stderr
        assert "Traceback" not in refused.stderr
