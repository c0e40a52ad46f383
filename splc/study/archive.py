"""A results folder as it is read, without the inputs of the study."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from splc.errors import InputError, Problem
from splc.io.csv_rows import split_rows
from splc.io.files import read_source, sha256_of
from splc.io.json import parse_json
from splc.io.numbers import parse_number
from splc.study.folder import MANIFEST, SCHEMA

RUNS = "runs.csv"
# The table of a study of each value of a context.
TABLE = "contexts.csv"
_TEXTS = ("learner", "sampling", "seed", "reason")
_AGAIN = "run the study again: splc study"


@dataclass(frozen=True)
class ArchivedRun:
    """A run as `runs.csv` has it."""

    learner: str
    sampling: str
    seed: str  # the seed; empty where nothing is drawn
    reason: str  # why there is no model or no comparison; empty if there is one
    values: Mapping[str, float]  # column → number, without those that are undefined

    def number(self, key: str) -> float | None:
        """Return a number, None if it is undefined."""
        return self.values.get(key)


@dataclass(frozen=True, eq=False)
class StudyArchive:
    """The results of a finished study."""

    manifest: Mapping[str, Any]  # the content of `manifest.json`
    sha256: str  # its hash
    runs: tuple[ArchivedRun, ...]  # in the order of the tasks
    notes: tuple[str, ...] = ()

    @property
    def contexts(self) -> str:
        """The values of contexts in all rows, as text; empty without one."""
        contexts = self.manifest.get("contexts")
        return ", ".join(f"{name} = {value}" for name, value in contexts.items()) if isinstance(contexts, dict) else ""


def is_archive(folder: str | Path) -> bool:
    """Return whether a folder is the results folder of a study."""
    path = Path(folder) / MANIFEST
    if not path.is_file():
        return False
    content = parse_json(read_source(path).text())
    return isinstance(content, dict) and content.get("schema") == SCHEMA


def archive_folders(folder: str | Path) -> tuple[Path, ...]:
    """Return the results folders of a study: the folder, or those in it of each value of a context; or none."""
    path = Path(folder)
    if is_archive(path):
        return (path,)
    if not (path / TABLE).is_file():
        return ()
    return tuple(entry for entry in sorted(path.iterdir()) if entry.is_dir() and is_archive(entry))


def read_archive(folder: str | Path) -> StudyArchive:
    """Return the results of a study."""
    source = read_source(Path(folder) / MANIFEST)
    manifest = parse_json(source.text())
    if not isinstance(manifest, dict) or manifest.get("state") != "finished":
        raise InputError(Problem("the study is not finished", source.name, hint=_AGAIN))
    table = read_source(Path(folder) / RUNS)
    rows, lines = split_rows(table)
    header = rows[0] if rows else []
    if missing := [name for name in _TEXTS if name not in header]:
        raise InputError(Problem(f"there is no column {missing[0]}", table.name, 1, hint=_AGAIN))
    runs = []
    for row, line in zip(rows[1:], lines[1:], strict=True):
        if len(row) != len(header):
            raise InputError(Problem(f"{len(row)} cells for {len(header)} columns", table.name, line, hint=_AGAIN))
        cells = dict(zip(header, row, strict=True))
        learner, sampling, seed, reason = (cells.pop(name) for name in _TEXTS)
        values = {name: number for name, cell in cells.items() if not math.isnan(number := parse_number(cell))}
        runs.append(ArchivedRun(learner, sampling, seed, reason, values))
    files = manifest.get("files")
    unchanged = isinstance(files, dict) and sha256_of(table.data) == files.get(RUNS)
    notes = () if unchanged else (f"{RUNS} was changed after the study wrote it",)
    return StudyArchive(manifest, source.sha256, tuple(runs), notes)
