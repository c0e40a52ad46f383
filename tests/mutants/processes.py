"""The tests of a mutant, and test runs in forked processes that have imported what it needs, but not the product."""

from __future__ import annotations

import ast
import contextlib
import os
import re
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from tests.mutants import substitution
from tests.support.cpu import used

SITE = Path(__file__).resolve().parent / "site"
MEMORY = 6 * 1024**3
WAITS = 5
# Whole commands: they reach everything.
GENERAL = ("tests/cli/test_golden.py", "tests/test_readers.py", "tests/test_documentation.py")
GOLDEN = "tests/cli/test_golden.py"
# More of them take too long to be imported.
MOST = 25
# The sessions of a verb come after this many test files.
FIRST = 4


@dataclass(frozen=True)
class Tests:
    """The test files of a tree."""

    root: Path

    @cached_property
    def imports(self) -> dict[str, set[str]]:
        """Return test file → the modules that it imports names from."""
        found = {}
        for file in sorted((self.root / "tests").rglob("test_*.py")):
            nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            modules = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
            found[file.relative_to(self.root).as_posix()] = modules
        return found

    @cached_property
    def sessions(self) -> list[str]:
        """Return the names of golden files of commands."""
        folder = self.root / "tests" / "golden"
        files = sorted(folder.rglob("*.txt")) if GOLDEN in self.imports else []
        names = [file.relative_to(folder).with_suffix("").as_posix() for file in files]
        return [name for name in names if name.split("/")[0] not in ("projects", "readers")]

    def of(self, file: str) -> list[str]:
        """Return the test files for a file of the product, the nearest ones first."""
        module = file.removesuffix(".py").replace("/", ".")
        package = module.rpartition(".")[0]
        stem, folder = Path(file).stem, Path(file).parent.as_posix().removeprefix("splc/")

        def nearness(name: str) -> int:
            near = 8 * (module in self.imports[name]) + 8 * (Path(name).stem == f"test_{stem}")
            near += 2 * (package in {each.rpartition(".")[0] for each in self.imports[name]})
            near += 2 * (Path(name).parent.as_posix() == f"tests/{folder}")
            return near + len(_words(name.removeprefix("tests/")) & _words(file.removeprefix("splc/")))

        ranked = sorted(self.imports, key=lambda name: (-nearness(name), name))
        near = [name for name in ranked if nearness(name) and name not in GENERAL]
        words = _words(file.removeprefix("splc/").removeprefix("workflows/"))
        sessions = [f"{GOLDEN}::test_golden[{name}]" for name in self.sessions if _words(name) & words]
        return [*near[:FIRST], *sessions, *near[FIRST:MOST], *(name for name in GENERAL if name in self.imports)]


def _words(path: str) -> set[str]:
    return set(re.findall(r"[a-z]+", path)) - {"test", "py", "init", "read", "of"}


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
