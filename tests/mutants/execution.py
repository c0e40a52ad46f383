"""Tests that execute a line, and how long tests take: one run of the related tests under coverage."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import coverage
import pytest

from tests.mutants.mutations import Mutation
from tests.mutants.processes import Child, Plugin, run_tests

# Seconds for all tests of a package, under coverage.
LIMIT = 3600.0
# An import of a test, also one of several lines.
IMPORT = re.compile(r"^(?:from|import) (?:[^(\n]*\([^)]*\)|.*)", re.MULTILINE)


class _Recorder:
    """Record the time of each test that passes, and tell coverage which test runs."""

    def __init__(self, measured: coverage.Coverage) -> None:
        self.measured = measured
        self.seconds: dict[str, float] = {}
        self.failed: list[str] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, bool, bool]:
        """Time a test, with its fixtures."""
        self.measured.switch_context(item.nodeid)
        begin = time.perf_counter()
        result = yield
        self.seconds[item.nodeid] = time.perf_counter() - begin
        self.measured.switch_context("")
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note tests that fail or are skipped."""
        if not report.passed:
            self.failed.append(report.nodeid)


@dataclass
class Execution:
    """Seconds of tests, the tests that execute each line of each file, and the names that each test file imports."""

    seconds: dict[str, float] = field(default_factory=dict)
    lines: dict[str, dict[int, set[str]]] = field(default_factory=dict)
    imports: dict[str, set[str]] = field(default_factory=dict)

    def tests(self, mutation: Mutation, budget: float) -> list[str]:
        """Return the tests for a mutation, in the order to run them, quickest first, as many as the budget allows.

        First those that execute the statement, then the others that execute the file, with as much time: values may be
        cached between tests, so that only the first of them executes the statement. What an import executes is tested
        first by the tests that have the name of the module, or import it: they may read a constant only. None, if no
        test executes the statement.
        """
        lines = self.lines.get(mutation.file, {})
        direct = set().union(*(lines.get(line, set()) for line in mutation.lines))
        file = set().union(*lines.values()) if lines else set()
        if mutation.imported:
            own = Path(mutation.file).stem
            files = {each for each, names in self.imports.items() if own in names or each.endswith(f"/test_{own}.py")}
            direct = {test for test in self.seconds if test.partition("::")[0] in files}
            file = file or set(self.seconds)
        elif not direct:
            return []
        return _quickest(direct, self.seconds, budget) + _quickest(file - direct, self.seconds, budget)


def _quickest(tests: Iterable[str], seconds: Mapping[str, float], budget: float) -> list[str]:
    """Return the quickest tests, as many as the budget allows, and at least one of them."""
    chosen: list[str] = []
    spent = 0.0
    for test in sorted(tests, key=seconds.__getitem__):
        spent += seconds[test]
        if chosen and spent > budget:
            break
        chosen.append(test)
    return chosen


def execution(root: Path, sources: Sequence[Path], related: Sequence[Path], cache: Path) -> Execution:
    """Return which of the related tests execute which lines of the sources; files that did not change are cached."""
    files = sorted({file for each in related for file in (each.rglob("test_*.py") if each.is_dir() else [each])})
    keys = {file: _key([file, *sources]) for file in files}
    cache.mkdir(parents=True, exist_ok=True)
    stored = {file: cache / f"{key}.json" for file, key in keys.items()}
    new = [file for file in files if not stored[file].exists()]
    if new:
        result = cache / "result.json"
        result.unlink(missing_ok=True)
        child = Child(root, lambda: _measure(root, sources, new, result), LIMIT).start()
        if child.wait() not in {0, 1} or not result.exists():
            raise SystemExit(f"the tests could not be run:\n{child.output()}")
        child.close()
        found = json.loads(result.read_text(encoding="utf-8"))
        for test in found["failed"]:
            print(f"left out: {test}", flush=True)
        for file in new:
            of_file = found["files"].get(file.relative_to(root).as_posix(), {"seconds": {}, "lines": {}})
            stored[file].write_text(json.dumps(of_file), encoding="utf-8")
    whole = Execution()
    for each in files:
        words = " ".join(IMPORT.findall(each.read_text(encoding="utf-8")))
        whole.imports[each.relative_to(root).as_posix()] = set(re.findall(r"\w+", words))
    for path in stored.values():
        part = json.loads(path.read_text(encoding="utf-8"))
        whole.seconds |= part["seconds"]
        for name, lines in part["lines"].items():
            for line, tests in lines.items():
                whole.lines.setdefault(name, {}).setdefault(int(line), set()).update(tests)
    return whole


def _key(files: Iterable[Path]) -> str:
    whole = hashlib.sha256()
    for file in files:
        whole.update(f"{file}\0".encode() + file.read_bytes() + b"\0")
    return whole.hexdigest()[:32]


def _measure(root: Path, sources: Sequence[Path], files: Sequence[Path], result: Path) -> int:
    """Run test files under coverage, in this process, and write what was found."""
    measured = coverage.Coverage(data_file=None, include=[str(source) for source in sources], config_file=False)
    recorder = _Recorder(measured)
    measured.start()
    code = run_tests(root, ["--maxfail=1000", *map(str, files)], [Plugin([]), recorder])
    measured.stop()
    passed = {test: seconds for test, seconds in recorder.seconds.items() if test not in set(recorder.failed)}
    found: dict[str, dict[str, dict[str, object]]] = {}
    for test, seconds in passed.items():
        found.setdefault(test.partition("::")[0], {"seconds": {}, "lines": {}})["seconds"][test] = round(seconds, 4)
    data = measured.get_data()
    for source in data.measured_files():
        name = Path(source).relative_to(root).as_posix()
        for line, tests in data.contexts_by_lineno(source).items():
            for test in tests:
                if test in passed:
                    lines = found[test.partition("::")[0]]["lines"].setdefault(name, {})
                    assert isinstance(lines, dict)
                    lines.setdefault(line, []).append(test)
    result.write_text(json.dumps({"failed": sorted(set(recorder.failed)), "files": found}), encoding="utf-8")
    return code
