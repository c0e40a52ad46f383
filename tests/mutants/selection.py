"""The tests of a mutant: those that import its module or have its name, sessions of its verb, those of its words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

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
    return set(_parts(path)) - {"test", "py", "init", "read", "of"}


def _parts(path: str) -> Iterable[str]:
    return re.findall(r"[a-z]+", path)
