"""A synthetic evaluation: scaling models of functions that are drawn, and so known, as a study of its own.

The modules `single_functions` and `sparse_functions` define what is drawn and how models are scored. Every evaluation
shares this: it has cells (one task each), a row of numbers or several for each cell, tables and pictures.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

from splc._version import __version__
from splc.io.tables import Table
from splc.study.learning import single_threaded
from splc.study.records import sealed, unsealed
from splc.study.tasks import hashed

SCHEMA = "splc.study.evaluation/1"
# Changed whenever the same settings would give other rows.
VERSION = 1

Row = Mapping[str, Any]


@dataclass(frozen=True)
class EvaluationTask:
    """One cell of an evaluation.

    Attributes:
        cell: what it is about, in JSON's types.
        label: what people call it.
        key: a hash of everything that decides about its rows.
    """

    cell: Mapping[str, Any]
    label: str
    key: str


@dataclass(frozen=True)
class EvaluationRecord:
    """What a task gave.

    Attributes:
        key: the task's hash.
        rows: its rows, in JSON's types.
    """

    key: str
    rows: tuple[Row, ...]

    def text(self) -> str:
        """Return the text of its file; it states its own hash."""
        # As pairs: the order of names is that of the columns.
        return sealed({"schema": SCHEMA, "key": self.key, "rows": [list(row.items()) for row in self.rows]})


def parse_evaluation_record(data: bytes, key: str) -> EvaluationRecord | None:
    """Return the record of a task, None where the file is not whole, was changed, or is another task's."""
    content = unsealed(data, SCHEMA, key)
    if content is None:
        return None
    try:
        return EvaluationRecord(key, tuple(dict(row) for row in content["rows"]))
    except (KeyError, TypeError, ValueError):
        return None


@dataclass(frozen=True)
class Evaluation(ABC):
    """What every evaluation has.

    Attributes:
        path: the study file that asks for it, None for the preset as it is.
        functions: how many functions are drawn of each kind; None: as many as the evaluation usually has.
        seed: of the draws.
        noise: largest relative deviations of a measurement; one evaluation each.
    """

    preset: ClassVar[str]

    path: Path | None = None
    functions: int | None = None
    seed: int = 0
    noise: tuple[float, ...] = ()

    @abstractmethod
    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield what each task is called, and what it is about."""

    @abstractmethod
    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the rows of a cell, in JSON's types; the same settings give the same rows."""

    @abstractmethod
    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the tables that people read."""

    @abstractmethod
    def pictures(self, rows: Sequence[Row]) -> dict[str, bytes]:
        """Return file name → picture."""

    def picture_names(self) -> tuple[str, ...]:
        """Return the names of all pictures: one per noise."""
        return tuple(f"pictures/noise-{100 * noise:g}.svg" for noise in self.noise)

    def settings(self) -> dict[str, Any]:
        """Return all settings, in JSON's types."""
        own = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "path"}
        listed = {name: list(value) if isinstance(value, tuple) else value for name, value in own.items()}
        return {"preset": self.preset, **listed}

    def tasks(self) -> tuple[EvaluationTask, ...]:
        """Return the tasks, in order."""
        shared = {"evaluation": VERSION, "version": __version__, "preset": self.preset}
        drawn = {"functions": self.functions, "seed": self.seed}
        return tuple(
            EvaluationTask(cell, label, hashed({**shared, **drawn, "cell": cell})) for label, cell in self.cells()
        )


def perform_cell(task: EvaluationTask, evaluation: Evaluation) -> tuple[EvaluationRecord, float]:
    """Do a task; return what it gave, and the wall time in seconds."""
    started = time.monotonic()
    with single_threaded():
        rows = evaluation.rows(task.cell)
    return EvaluationRecord(task.key, tuple(rows)), time.monotonic() - started


def rows_table(rows: Sequence[Row]) -> Table:
    """Return all rows as one table, for scripts."""
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    return Table(columns, tuple(tuple(row.get(name) for name in columns) for row in rows))
