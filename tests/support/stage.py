"""Commands whose workflows and functions that show results are replaced."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import pytest
from typer.testing import Result

from splc.cli import terminal
from splc.workflows.note import Note
from tests.cli.conftest import Run

NOTES = (Note("one"),)
NOTED = "note: one\n"
Work = Callable[..., Any]


class Stage:
    """A command line whose workflows and functions that show results are replaced; the calls are recorded.

    Attributes:
        calls: (function, its arguments behind the result).
        moved: the arguments of the progress bar.
    """

    def __init__(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        self._run, self._patch = run, monkeypatch
        self.calls: list[tuple[Any, ...]] = []
        self.moved: list[tuple[Any, ...]] = []
        monkeypatch.setattr(terminal, "progress", self._progress)

    @contextmanager
    def _progress(self, what: str) -> Iterator[Callable[..., None]]:
        yield lambda *given: self.moved.append(given)

    def shows(self, name: str) -> Stage:
        """Record the calls of the public functions of a module that shows results."""
        module = import_module(f"splc.cli.show.{name}")
        for each, value in list(vars(module).items()):
            if callable(value) and not each.startswith("_") and getattr(value, "__module__", "") == module.__name__:
                self._patch.setattr(module, each, self._recorder(each))
        return self

    def _recorder(self, name: str) -> Callable[..., Any]:
        def call(result: Any, *rest: Any, **named: Any) -> Any:
            self.calls.append((name, *rest, *named.items()))
            return {"from": name} if name.endswith("json") else b"picture" if name == "picture" else None

        return call

    def __call__(self, line: str, works: dict[str, Any]) -> Result:
        """Run a command whose workflows do this, or return this."""
        self.calls.clear()
        self.moved.clear()
        for target, work in works.items():
            self._patch.setattr(f"splc.{target}", work if callable(work) else lambda *given, each=work, **named: each)
        return self._run(*line.split())


def outcome(result: Result) -> tuple[int, str, str]:
    """Return the exit code and the two outputs."""
    return result.exit_code, result.stdout, result.stderr


def object_of(name: str, function: str = "as_json", version: int = 1) -> str:
    """Return the JSON object of a command."""
    return json.dumps({"schema": f"splc.{name}/{version}", "from": function}, indent=2) + "\n"
