"""Settings of all tests: repeatable property tests, one thread for linear algebra, Ctrl-C, garbage, time, skips."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator, Iterator, Sequence
from functools import cache
from typing import Any

import pytest
from hypothesis import settings
from typer import Typer
from typer.main import get_command
from typer.testing import CliRunner, Result

from tests.support import cpu
from tests.support.examples import examples
from tests.support.real_data import pytest_runtest_setup, pytest_sessionstart, pytest_terminal_summary  # noqa: F401

# Before numpy is imported, also by the processes that tests start: two workers must not fight for the cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

settings.register_profile("splc", examples())
settings.load_profile("splc")


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> Iterator[None]:
    """Let Ctrl-C arrive here and in the processes that tests start: `nohup` and background jobs have it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session", autouse=True)
def commands() -> Iterator[None]:
    """Build the command line once, not for each call: that took longer than most of what is called."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.testing._get_command", cache(get_command))
        yield


@pytest.fixture(scope="session", autouse=True)
def valid_json() -> Iterator[None]:
    """Require that each output of a command with `--json` is valid by its schema."""
    from tests.support.schemas import schema_errors

    invoke = CliRunner.invoke

    def checked(self: CliRunner, app: Typer, args: Sequence[str] = (), **settings: Any) -> Result:
        result = invoke(self, app, args, **settings)
        if "--json" in args and result.stdout:
            errors = schema_errors(result.stdout)
            assert not errors, errors
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CliRunner, "invoke", checked)
        yield


@pytest.fixture(scope="session", autouse=True)
def idle() -> Iterator[None]:
    """Let outputs not depend on other programs: commands that measure warn of these, slow ones show their progress."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "getloadavg", lambda: (0.0, 0.0, 0.0), raising=False)
        patch.setattr("splc.cli.signature.WAIT", 3600.0)
        yield


def _address(processes: bool) -> Iterator[str]:
    distributed = pytest.importorskip("distributed", reason="needs the extra cluster")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=processes, dashboard_address=":0", silence_logs=50
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """Return the address of a cluster of two workers, which are processes of their own."""
    yield from _address(processes=True)


@pytest.fixture(scope="module")
def inside() -> Iterator[str]:
    """Return the address of a cluster whose workers are threads of this process."""
    yield from _address(processes=False)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Take modules and tests out of garbage collection, which took a quarter of the time of the tests with them."""
    if len(session.items) >= cpu.WHOLE:
        cpu.preload()
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Limit the CPU time of a test, without its fixtures, which several tests share."""
    with cpu.limited(item):
        return (yield)
