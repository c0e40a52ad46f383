"""Test runs in forked processes that have imported the dependencies, but not the mutated packages."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.mutants import substitution
from tests.support.cpu import used

SITE = Path(__file__).resolve().parent / "site"
MEMORY = 6 * 1024**3
WAITS = 5


class Plugin:
    """Leave out tests, stop after some seconds of CPU, and let hypothesis stop at the first failing example."""

    def __init__(self, left_out: Collection[str], seconds: float) -> None:
        self.left_out, self.seconds, self.begin = left_out, seconds, used()

    def pytest_configure(self) -> None:
        """Leave out what makes hypothesis's failing examples smaller, before test modules are imported."""
        from hypothesis import Phase, settings

        settings.register_profile("mutants", settings.default, phases=[Phase.explicit, Phase.generate], database=None)
        settings.load_profile("mutants")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out tests, and begin to count the seconds."""
        items[:] = [item for item in items if item.nodeid not in self.left_out]
        self.begin = used()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self) -> None:
        """Stop when the seconds are over."""
        if used() - self.begin > self.seconds:
            pytest.exit("the seconds are over", returncode=0)


def run_tests(root: Path, arguments: Sequence[str], plugins: Sequence[object]) -> int:
    """Run pytest in a tree, in this process."""
    os.chdir(root)
    options = [
        "-q",
        "-x",
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
        "-p",
        "no:cacheprovider",
        "--no-header",
        "--rootdir",
        str(root),
        "-c",
        str(root / "pyproject.toml"),
    ]
    return int(pytest.main([*options, *arguments], plugins=list(plugins)))


@dataclass
class Child:
    """A forked process with a limit of CPU seconds, in its own process group.

    A process that waits has `WAITS` times the limit, so that a busy machine ends none that would have passed.
    """

    root: Path
    function: Callable[[], int]
    limit: float
    file: str = ""
    text: str = ""
    folder: tempfile.TemporaryDirectory[str] = field(
        default_factory=lambda: tempfile.TemporaryDirectory(prefix="mutant-", ignore_cleanup_errors=True)
    )
    begin: float = field(default_factory=time.monotonic)
    process: int = 0

    def start(self) -> Child:
        """Fork."""
        sys.stdout.flush()
        self.begin = time.monotonic()
        self.process = os.fork()
        if self.process == 0:
            self._run()
        return self

    def _run(self) -> None:
        code = 3
        try:
            os.setsid()
            folder = Path(self.folder.name)
            text = folder / "mutant.py"
            text.write_text(self.text, encoding="utf-8")
            output = os.open(folder / "output.txt", os.O_WRONLY | os.O_CREAT)
            os.dup2(output, 1)
            os.dup2(output, 2)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            (folder / "tmp").mkdir()
            os.environ |= {
                substitution.FILE: self.file,
                substitution.TEXT: str(text),
                "PYTHONPATH": os.pathsep.join(filter(None, [str(SITE), str(self.root), os.environ.get("PYTHONPATH")])),
                "TMPDIR": str(folder / "tmp"),
            }
            tempfile.tempdir = None
            # The tests are those of the tree, which need not be the one of this program.
            for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
                del sys.modules[name]
            sys.path.insert(0, str(self.root))
            substitution.guard()
            if self.file:
                substitution.substitute(self.file, self.text)
            code = self.function()
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def poll(self) -> int | str | None:
        """Return the exit code, "timeout", or None while it runs."""
        process, status = os.waitpid(self.process, os.WNOHANG)
        if process:
            self.kill()
            return os.waitstatus_to_exitcode(status)
        if self._used() > self.limit or time.monotonic() - self.begin > WAITS * self.limit:
            self.kill()
            os.waitpid(self.process, 0)
            return "timeout"
        return None

    def _used(self) -> float:
        """Return the CPU seconds of it and of those that it started and that have ended."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        """Kill it and what it started, which has its folder in the environment."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process, signal.SIGKILL)
        for environment in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if f"{self.folder.name}/".encode() in environment.read_bytes():
                    os.kill(int(environment.parent.name), signal.SIGKILL)

    def wait(self) -> Any:
        """Wait for the end; return as `poll` does."""
        while (code := self.poll()) is None:
            time.sleep(0.02)
        return code

    def output(self) -> str:
        """Return what it printed."""
        return (Path(self.folder.name) / "output.txt").read_text(encoding="utf-8", errors="replace")

    def close(self) -> None:
        """Remove its folder."""
        self.folder.cleanup()
