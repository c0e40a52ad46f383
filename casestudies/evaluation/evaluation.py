"""The protocol of an evaluation: cells (one task each), rows of numbers for each cell, tables and pictures."""

from __future__ import annotations

import csv
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from splc._version import __version__
from splc.io.files import sha256_of
from splc.io.tables import Table
from splc.study.folder import key_of

# Changed whenever the same settings would give other rows.
VERSION = 2

Row = Mapping[str, Any]


@dataclass(frozen=True)
class EvaluationTask:
    """One cell of an evaluation."""

    cell: Mapping[str, Any]  # what it is about, in JSON's types
    title: str  # its name in messages
    key: str  # the hash of everything that decides its rows


@dataclass(frozen=True)
class Evaluation(ABC):
    """The protocol of an evaluation."""

    preset: ClassVar[str]  # its name
    # the source code that decides all rows: where it has changed, finished tasks are run again
    folders: ClassVar[tuple[Path, ...]] = ()
    drawn: ClassVar[Mapping[str, Callable[[Sequence[Row]], bytes]]] = {}  # file name → what draws the picture

    path: Path | None = None  # the study file that asks for it, None for the preset as it is

    @abstractmethod
    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""

    @abstractmethod
    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the rows of a cell, in JSON's types; the same settings give the same rows."""

    @abstractmethod
    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the tables of `table.md`."""

    def pictures(self, rows: Sequence[Row]) -> dict[str, bytes]:
        """Return file name → picture."""
        return {name: draw(rows) for name, draw in self.drawn.items()}

    def picture_names(self) -> tuple[str, ...]:
        """Return the names of all pictures."""
        return tuple(self.drawn)

    def shared(self) -> dict[str, Any]:
        """Return the settings that decide the rows of every cell, in JSON's types."""
        return {}

    def settings(self) -> dict[str, Any]:
        """Return all settings, in JSON's types."""
        own = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "path"}
        listed = {name: list(value) if isinstance(value, tuple) else value for name, value in own.items()}
        return {"preset": self.preset, **listed}

    def tasks(self) -> tuple[EvaluationTask, ...]:
        """Return the tasks, in order."""
        shared = {"evaluation": VERSION, "version": __version__, "preset": self.preset, **self.shared()}
        if self.folders:
            shared["code"] = hash_of(*(file for folder in self.folders for file in sorted(folder.rglob("*.py"))))
        return tuple(EvaluationTask(cell, title, key_of({**shared, "cell": cell})) for title, cell in self.cells())


def hash_of(*files: Path) -> str:
    """Return the hash of the content of files."""
    return sha256_of(b"".join(each.read_bytes() for each in files))[:16]


def perform_cell(task: EvaluationTask, evaluation: Evaluation) -> Mapping[str, Any]:
    """Run a task; return its record in JSON's types."""
    return {"rows": evaluation.rows(task.cell)}


def rows_table(rows: Sequence[Row]) -> Table:
    """Return `table.csv`: all rows as one table."""
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    return Table(columns, tuple(tuple(row.get(name) for name in columns) for row in rows))


def rows_of(path: Path) -> list[Row]:
    """Return the rows of a `table.csv`: numbers as numbers, empty cells as None."""

    @cache
    def read(text: str) -> Any:
        for kind in (int, float):
            try:
                return kind(text)
            except ValueError:
                continue
        return text or None

    with path.open(encoding="utf-8", newline="") as file:
        return [{key: read(text) for key, text in line.items()} for line in csv.DictReader(file)]
