"""A connection to a dask cluster: that of a scheduler, or one that is started on this machine."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from splc._version import __version__
from splc.errors import InputError, Problem, Problems, SpecError, listed
from splc.measuring.command import program
from splc.measuring.machine import machine

# The address that stands for a scheduler that is started on this machine.
LOCAL = "local"
# How long to wait for a scheduler.
CONNECT_SECONDS = 10
# The time to wait for a lost scheduler, or for another worker if none is left: a nanny starts one within seconds.
PATIENCE_SECONDS = 60
# The time to wait for the first worker, since a batch system may start workers late.
FIRST_WORKER_SECONDS = 30
# The version of splc that a worker has.
VERSION = "splc._version:__version__"
# Dask's servers listen for HTTP, too, without a password, which processes on this machine do not need.
_NO_HTTP = "def dask_setup(server):\n    server.http_server.stop()\n"
# Ctrl-C is sent to all processes of a terminal; the workers finish what they do.
_UNINTERRUPTED = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"


class Cluster:
    """A connection to a dask scheduler.

    The certificates of a scheduler at `tls://` are those of dask's configuration. Processes that are started on this
    machine have certificates of their own, so that no other user of the machine can send them work.

    The address is such as `tcp://10.0.0.1:8786`, the name of a scheduler file, which ends in `.json`, or `local`: a
    scheduler and so many workers are started on this machine.

    Raises:
        SpecError: if dask, or what it needs for certificates, is not installed.
        InputError: if there is no scheduler, it has no workers, or they have no splc of this version.
    """

    def __init__(self, address: str, workers: int = 1) -> None:
        try:
            from distributed import Security

            self._security = Security.temporary() if address == LOCAL else None
        except ImportError:
            hint = "pip install 'splc[cluster]'"
            raise SpecError("the backend dask needs the packages distributed and cryptography", hint=hint) from None
        self._stack = ExitStack()
        try:
            self.address = self._started(workers) if address == LOCAL else address
            self.client: Any = self._connected(CONNECT_SECONDS)
            self._stack.callback(lambda: self.client.close())  # noqa: PLW0108 - it may be replaced
            if not self._wait_for_workers(FIRST_WORKER_SECONDS):
                hint = f"start one on each machine: dask worker {address} --nthreads 1"
                raise InputError(Problem(f"the dask scheduler {address} has no workers", hint=hint))
            self._require_version()
        except BaseException:
            self._stack.close()
            raise

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _started(self, workers: int) -> str:
        """Start a scheduler and workers on this machine; return the address."""
        import dask
        from distributed import LocalCluster

        # Dask would give up workers that take longer to restart.
        settings = {"distributed.deploy.lost-worker-timeout": "1h", "distributed.scheduler.preload": [_NO_HTTP]}
        self._stack.enter_context(dask.config.set(settings))
        cluster = self._stack.enter_context(
            LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                security=self._security,
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                silence_logs=50,
                preload=[_UNINTERRUPTED, _NO_HTTP],
            )
        )
        return str(cluster.scheduler_address)

    def _connected(self, seconds: float) -> Any:
        """Return a client that is connected to the scheduler."""
        from distributed import Client, Security
        from distributed.comm import get_address_host_port

        security = self._security or Security()
        if self.address.startswith("tls:") and security.get_connection_args("client")["ssl_context"] is None:
            hint = "name them in dask's configuration, such as DASK_DISTRIBUTED__COMM__TLS__CA_FILE"
            raise InputError(Problem(f"no certificates for the dask scheduler {self.address!r}", hint=hint))
        by_file = self.address.endswith(".json")
        try:
            # Dask waits forever for a missing file, and leaves a client open for a malformed address.
            if by_file:
                Path(self.address).stat()
            elif "://" not in self.address:
                get_address_host_port(self.address)
            connection = {"scheduler_file" if by_file else "address": self.address}
            return Client(**connection, security=security, timeout=seconds, set_as_default=False)
        except (OSError, ValueError, TypeError, KeyError, RuntimeError) as error:
            hint = "start one with 'dask scheduler', and workers with 'dask worker ADDRESS --nthreads 1'"
            text = " ".join(str(error).split())
            raise InputError(Problem(f"no dask scheduler answers at {self.address!r}: {text}", hint=hint)) from None

    def _require_version(self) -> None:
        """Check that every worker has splc in the version of this process."""
        # A function of the standard library, since workers without splc cannot unpickle one of splc.
        versions = self.client.run(resolve_name, VERSION, on_error="return")
        hint = f"every worker needs what this process has: pip install 'splc[cluster]=={__version__}'"
        problems = Problems()
        for worker, version in sorted(versions.items()):
            if version != __version__:
                found = f"splc {version}" if isinstance(version, str) else "no splc"
                problems.add(f"worker {worker} has {found}", hint=hint)
        problems.raise_if_any()

    def restore(self) -> None:
        """Wait until there is a connection with a worker again, after a scheduler or the last worker was lost."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (remaining_seconds := deadline - time.monotonic()) > 0:
            if self.client.status in {"closed", "closing"}:
                try:
                    self.client = self._connected(remaining_seconds)
                except InputError:
                    break
            if self.client.status == "running" and self._wait_for_workers(remaining_seconds):
                return
            time.sleep(0.1)
        hint = "start it again, and run the same command again (splc measure: with --resume); what is done is kept"
        raise InputError(Problem(f"no worker is left at {self.address}", hint=hint))

    def _wait_for_workers(self, seconds: float) -> bool:
        """Return whether there is a worker within a time."""
        try:
            if not self.workers():
                self.client.wait_for_workers(1, timeout=seconds)
        except (TimeoutError, OSError):
            return False
        return True

    def workers(self) -> dict[str, int]:
        """Return address → number of threads of the current workers; none while the scheduler is lost."""
        try:
            threads_by_worker: Mapping[str, int] = self.client.nthreads() if self.client.status == "running" else {}
        except (OSError, ValueError):
            return {}
        return dict(sorted(threads_by_worker.items()))

    def machines(self) -> dict[str, Any]:
        """Return the machine of each worker."""
        return dict(self.client.run(machine))

    def machines_at_once(self) -> int:
        """Return the number of machines, which is that of simultaneous runs."""
        return len(self._hosts())

    def shared_machines(self) -> list[str]:
        """Return the machines with several workers."""
        return sorted(host for host, workers in self._hosts().items() if workers > 1)

    def _hosts(self) -> Counter[str]:
        return Counter(address.rpartition("://")[2].rpartition(":")[0] for address in self.workers())

    def require_programs(self, names: Sequence[str], folder: str | None, environment: Mapping[str, str]) -> None:
        """Check that every worker has the programs."""
        missing = self.client.run(missing_programs, list(names), folder, environment.get("PATH"))
        problems = Problems()
        for worker, messages in sorted(missing.items()):
            for message in messages:
                problems.add(f"worker {worker}: {message}", hint="install it there, in the same place")
        problems.raise_if_any()


def missing_programs(names: Sequence[str], folder: str | None, path: str | None) -> list[str]:
    """Return what is wrong with programs on this machine."""
    messages = []
    for name in names:
        try:
            program(name, folder or ".", path)
        except InputError as error:
            messages += [problem.message for problem in error.problems]
    return messages


def described(hosts: Sequence[str]) -> str:
    """Return the note about machines with several workers."""
    return f"several workers on one machine ({listed(hosts)}) measure one after the other; one worker is enough"
