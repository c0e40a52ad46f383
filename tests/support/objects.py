"""Objects with given attributes, watches of runs, and the content of results folders."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

from splc.workflows.views import Item, Watch

T = TypeVar("T")


def of(**values: Any) -> Any:
    """Return an object with these attributes."""
    return SimpleNamespace(**values)


def present(value: T | None) -> T:
    """Return a value that is not None."""
    assert value is not None
    return value


class Told(Watch):
    """A watch that keeps what it is told."""

    def __init__(self, ends: Callable[[], bool] = lambda: False) -> None:
        # The numbers of finished and of all steps, and the current step, of each call; what was shown.
        self.told: list[tuple[float, float | None, str]] = []
        self.shown: list[Item] = []
        self.ends = ends

    @property
    def lines(self) -> list[str]:
        """The texts of the steps that have one."""
        return [text for _, _, text in self.told if text]

    def advance(self, done: float, total: float | None, text: str) -> None:
        """Keep the call."""
        self.told.append((done, total, text))

    def show(self, *items: Item) -> None:
        """Keep the items."""
        self.shown += items

    def stop(self) -> bool:
        """Return what `ends` returns."""
        return self.ends()


class Ending(Told):
    """A watch that ends a run after this number of steps."""

    def __init__(self, after: int) -> None:
        super().__init__(lambda: bool(self.told) and self.told[-1][0] >= after)


TIMES = {"manifest.json": "times", "tasks": "seconds"}


def contents(folder: Path) -> dict[str, bytes]:
    """Return path → content of all files of a results folder, without the times in the manifest and the records."""
    found = {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    for name, data in found.items():
        key = TIMES.get(name.partition("/")[0])
        if key is not None:
            content = json.loads(data)
            del content[key]
            found[name] = json.dumps(content).encode()
    return found
