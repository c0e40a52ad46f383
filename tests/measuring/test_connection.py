"""A connection to a cluster whose client is replaced: workers, machines and their programs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from splc import __version__
from splc.errors import InputError
from splc.measuring import cluster as module
from splc.measuring.cluster import Cluster, described, missing_programs

WORKERS = {"tcp://10.0.0.2:40": 4, "tcp://10.0.0.1:41": 1, "tcp://10.0.0.2:41": 2, "tls://[::1]:5": 1}


class Client:
    """A client of dask with these workers, or an error instead of them."""

    def __init__(self, workers: Mapping[str, int] | Exception, status: str = "running", answers: Any = None) -> None:
        self.found, self.status, self.answers = workers, status, answers
        self.waits: list[tuple[int, float]] = []

    def nthreads(self) -> Mapping[str, int]:
        """Return the workers."""
        if isinstance(self.found, Exception):
            raise self.found
        return self.found

    def wait_for_workers(self, count: int, timeout: float) -> None:
        """Note the call; there are no further workers."""
        self.waits.append((count, timeout))
        if isinstance(self.answers, Exception):
            raise self.answers

    def close(self) -> None:
        """End the connection."""
        self.status = "closed"

    def run(self, *_: Any, **__: Any) -> Any:
        """Return the answers of the workers."""
        return self.answers


def cluster(client: Client) -> Cluster:
    """Return a connection with this client."""
    found = Cluster.__new__(Cluster)
    found.client, found.address, found._security = client, "tcp://10.0.0.9:8786", None
    return found


def test_workers() -> None:
    """Workers are those that the scheduler has now; none while it is lost."""
    assert list(cluster(Client(WORKERS)).workers().items()) == sorted(WORKERS.items())
    assert cluster(Client(WORKERS, "connecting")).workers() == {}
    for error in (OSError(), ValueError()):
        assert cluster(Client(error)).workers() == {}


def test_machines() -> None:
    """Workers at the same host are on one machine."""
    found = cluster(Client(WORKERS))
    assert found.machines_at_once() == 3
    assert found.shared_machines() == ["10.0.0.2"]
    assert "(10.0.0.2)" in described(found.shared_machines())


def test_waiting_for_a_worker() -> None:
    """One worker is enough; there is no wait if there is one, and none in time is no error."""
    present, absent = Client(WORKERS), Client({})
    assert cluster(present)._wait_for_workers(5)
    assert cluster(absent)._wait_for_workers(5)
    assert (present.waits, absent.waits) == ([], [(1, 5)])
    for error in (TimeoutError(), OSError()):
        assert not cluster(Client({}, answers=error))._wait_for_workers(5)


def test_a_scheduler_without_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheduler without workers is refused with how to start one, and the connection is closed."""
    distributed = pytest.importorskip("distributed", reason="needs the extra cluster")
    client = Client({}, answers=TimeoutError())
    monkeypatch.setattr(distributed, "Client", lambda **_: client)
    with pytest.raises(InputError) as caught:
        Cluster("tcp://10.0.0.9:8786")
    assert str(caught.value).split("\n    ") == [
        "the dask scheduler tcp://10.0.0.9:8786 has no workers",
        "start one on each machine: dask worker tcp://10.0.0.9:8786 --nthreads 1",
    ]
    assert client.waits == [(1, module.FIRST_WORKER_SECONDS)]
    assert client.status == "closed"


@pytest.mark.parametrize("kind", [OSError, ValueError, TypeError, KeyError, RuntimeError])
def test_no_scheduler(monkeypatch: pytest.MonkeyPatch, kind: type[Exception]) -> None:
    """Any error of a connection is refused with the address, dask's reason in a line, and what to start."""
    distributed = pytest.importorskip("distributed", reason="needs the extra cluster")

    def fails(**settings: Any) -> None:
        assert settings.pop("security").require_encryption is False
        assert settings == {"address": "tcp://10.0.0.9:8786", "timeout": 2.5, "set_as_default": False}
        raise kind("no\n  answer")

    monkeypatch.setattr(distributed, "Client", fails)
    with pytest.raises(InputError) as caught:
        cluster(Client({}))._connected(2.5)
    message, hint = str(caught.value).split("\n    ")
    assert message.startswith("no dask scheduler answers at 'tcp://10.0.0.9:8786': ")
    assert message.endswith(("no answer", "'no\\n answer'"))
    assert hint == "start one with 'dask scheduler', and workers with 'dask worker ADDRESS --nthreads 1'"


def test_versions() -> None:
    """Workers with another version, or without splc, are errors with what to install."""
    hint = f"every worker needs what this process has: pip install 'splc[cluster]=={__version__}'"
    answers = {"tcp://b:1": "0.0.1", "tcp://a:1": ImportError("splc"), "tcp://c:1": __version__}
    with pytest.raises(InputError) as caught:
        cluster(Client(WORKERS, answers=answers))._require_version()
    assert [(each.message, each.hint) for each in caught.value.problems] == [
        ("worker tcp://a:1 has no splc", hint),
        ("worker tcp://b:1 has splc 0.0.1", hint),
    ]
    cluster(Client(WORKERS, answers={"tcp://c:1": __version__}))._require_version()


def test_programs(tmp_path: Path) -> None:
    """Programs that a worker does not have are errors with its address."""
    (tmp_path / "solver").write_text("", encoding="utf-8")
    (tmp_path / "solver").chmod(0o755)
    missing = missing_programs(["./solver", "./other", "splc-nothing"], str(tmp_path), None)
    assert missing == ["the command './other' does not exist", "the command 'splc-nothing' is not found in PATH"]
    assert missing_programs(["solver"], None, str(tmp_path)) == []
    with pytest.raises(InputError) as caught:
        cluster(Client(WORKERS, answers={"tcp://b:1": missing, "tcp://a:1": []})).require_programs([], None, {})
    assert [(each.message, each.hint) for each in caught.value.problems] == [
        (f"worker tcp://b:1: {message}", "install it there, in the same place") for message in missing
    ]
    cluster(Client(WORKERS, answers={"tcp://b:1": []})).require_programs([], None, {})


def test_a_worker_that_does_not_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """If there is no worker in time, the error says where, and how to continue."""
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.01)
    with pytest.raises(InputError) as caught:
        cluster(Client({}, answers=TimeoutError())).restore()
    assert str(caught.value).split("\n    ") == [
        "no worker is left at tcp://10.0.0.9:8786",
        "start it again, and run the same command again (splc measure: with --resume); what is done is kept",
    ]
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 60)
    client = Client(WORKERS)
    found = cluster(client)
    found.restore()
    assert found.client is client
