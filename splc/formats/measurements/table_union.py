"""Several tables of measurements of one system, read as one table with the rows of all."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from splc.errors import InputError, Problem, Problems, SplcError, listed, nearest
from splc.formats.benchmarks.table import StatedRoles, TableSource, csv_source
from splc.formats.detect import is_xml
from splc.formats.measurements.columns import ColumnChoice
from splc.formats.measurements.csv_table import body_columns, split_table, without_row_numbers
from splc.formats.measurements.file_columns import read_file_columns
from splc.formats.measurements.shapes import read_table
from splc.io.csv_rows import header_names, likely_separator
from splc.io.files import Source


@dataclass(frozen=True)
class TableUnion(TableSource):
    """The rows of several tables."""

    # the file of each table, in order, with the line of each of its rows; None for a format without lines
    parts: tuple[tuple[str, tuple[int | None, ...]], ...] = field(default=(), repr=False)

    def place(self, line: int | None) -> tuple[str, int | None]:
        """Return the file and the line there of a line of the union; those of all files without a line."""
        row = 0 if line is None else line - 2
        for file, lines in self.parts if row >= 0 and line is not None else ():
            if row < len(lines):
                return file, lines[row]
            row -= len(lines)
        return self.name, None

    @contextmanager
    def placing(self) -> Iterator[None]:
        """Let errors in the block name the file and the line there."""
        try:
            yield
        except SplcError as error:
            raise type(error)([self._placed(problem) for problem in error.problems]) from None

    def _placed(self, problem: Problem) -> Problem:
        if problem.file != self.name or problem.line is None:
            return problem
        file, line = self.place(problem.line)
        return replace(problem, file=file, line=line)


@dataclass(frozen=True)
class _Table:
    """One of several tables: its source, its columns, the line of each row and that of the header."""

    source: Source
    columns: Mapping[str, Sequence[str]]
    lines: tuple[int | None, ...]
    header: int | None = None

    @property
    def stated(self) -> StatedRoles | None:
        return self.source.stated if isinstance(self.source, TableSource) else None


def read_union(paths: Sequence[str], choice: ColumnChoice) -> TableUnion:
    """Read several tables of measurements, or outputs of benchmark tools, as one table.

    Rows of the same configuration are repetitions, as in one table.

    `paths`: the files, in the order of their rows; `-` is standard input. `choice`: the roles of columns that the user
    chose; ignored columns may be in some of the tables only.
    """
    _require_distinct(paths)
    return union_of([read_table(path) for path in paths], choice)


def union_of(sources: Sequence[Source], choice: ColumnChoice) -> TableUnion:
    """Return the union of tables that were read; else as `read_union`."""
    tables = [_table_of(source) for source in sources]
    header: list[str] = []
    for table in tables:
        place = 0
        for name in table.columns:
            # A further column stands where it does in its own table: its position says what it is.
            if name not in header:
                header.insert(place, name)
            place = header.index(name) + 1
    ignored = frozenset(choice.among(header).ignore)
    lacking = tuple(_lacking(tables, ignored))
    roles = _stated(tables)
    units = _units(tables)
    rows = [
        list(row)
        for table in tables
        for row in zip(
            *(table.columns.get(name) or [""] * len(table.lines) for name in header),
            strict=True,
        )
    ]
    names = ", ".join(table.source.name for table in tables)
    notes = [f"{len(tables)} tables are read as one: {listed(list(_ranges(tables)))}", *lacking]
    notes += [
        f"{table.source.name}: {text}"
        for table in tables
        for text in (table.source.notes if isinstance(table.source, TableSource) else ())
    ]
    main = next((table.source.main for table in tables if isinstance(table.source, TableSource)), None)
    merged = csv_source(Source(names, b""), header, rows, roles, main, tuple(notes))
    parts = tuple((table.source.name, table.lines) for table in tables)
    return TableUnion(names, merged.data, roles, main, tuple(notes), units=units, parts=parts)


def _ranges(tables: Sequence[_Table]) -> Iterator[str]:
    """Yield each file with its lines in the union, which other notes name."""
    line = 2
    for table in tables:
        yield f"{table.source.name} (lines {line:,} to {line + len(table.lines) - 1:,})"
        line += len(table.lines)


def _require_distinct(paths: Sequence[str]) -> None:
    """Refuse a file that is named twice: its rows would be repetitions of themselves."""
    resolved: set[str] = set()
    for path in paths:
        real = os.path.realpath(path)
        if real in resolved:
            raise InputError(Problem("this file is named twice", path, hint="its rows are read once: name it once"))
        resolved.add(real)


def _table_of(source: Source) -> _Table:
    """Return one of several tables with its columns."""
    if is_xml(source):
        hint = f"make it a table first: splc convert {source.name} -o TABLE.csv"
        raise InputError(Problem("XML cannot be read together with other tables", source.name, hint=hint))
    if isinstance(source, TableSource):
        columns = read_file_columns(source).columns
        rows = len(next(iter(columns.values()), ()))
        return _Table(source, columns, (None,) * rows)
    # Checks the header.
    read_file_columns(source)
    raw = split_table(source, likely_separator(source.text()))
    header = header_names(raw.rows[0])
    reasons: dict[int, list[str]] = {}
    cells = body_columns(raw.rows[1:], len(header), reasons)
    first, *lines = np.asarray(raw.lines).tolist()
    problems = Problems(source.name)
    for row, texts in reasons.items():
        problems.add("; ".join(texts), lines[row])
    problems.raise_if_any(InputError)
    header, cells = without_row_numbers(header, cells)
    return _Table(source, dict(zip(header, cells, strict=True)), tuple(lines), first)


def _lacking(tables: Sequence[_Table], ignored: frozenset[str]) -> Iterator[str]:
    """Yield notes on columns that some tables lack: rows of versions before an option have no value of it."""
    every = [table.columns.keys() - ignored for table in tables]
    common = frozenset.intersection(*map(frozenset, every))
    if not common:
        names = listed([table.source.name for table in tables])
        raise InputError(Problem("the tables have no column in common", names))
    problems: list[Problem] = []
    for name in dict.fromkeys(name for table in tables for name in table.columns):
        lacking = [] if name in common | ignored else [table for table in tables if name not in table.columns]
        for table in lacking:
            if hint := nearest(name, [other for other in table.columns if other not in common | ignored]):
                message = f"the table lacks the column {name!r}, which others have"
                hint = f"{hint} rename it, or leave it out with --ignore {shlex.quote(name)}"
                problems.append(Problem(message, table.source.name, table.header, hint=hint))
        if lacking:
            files = listed([table.source.name for table in lacking])
            yield f"the column {name} is empty in the rows of {files}: the table does not have it"
    if problems:
        raise InputError(problems)


def _stated(tables: Sequence[_Table]) -> StatedRoles | None:
    """Return the roles that the formats of the files state."""
    roles: dict[str, tuple[str, str]] = {}
    for table in tables:
        if table.stated is None:
            continue
        kinds = {"option": table.stated.options, "context": table.stated.contexts, "property": table.stated.properties}
        for kind, names in kinds.items():
            for name in names:
                previous, file = roles.setdefault(name, (kind, table.source.name))
                if previous != kind:
                    message = f"the column {name!r} is of the kind {kind}, but of the kind {previous} in {file}"
                    hint = f"--ignore {shlex.quote(name)} leaves it out"
                    raise InputError(Problem(message, table.source.name, hint=hint))
    if not roles:
        return None
    options, contexts, properties = (
        tuple(name for name, (kind, _) in roles.items() if kind == role) for role in ("option", "context", "property")
    )
    return StatedRoles(options, contexts, properties)


def _units(tables: Sequence[_Table]) -> dict[str, str]:
    """Return property → its unit, where formats state it."""
    units: dict[str, tuple[str, str]] = {}
    for table in tables:
        for name, unit in table.source.units.items() if isinstance(table.source, TableSource) else ():
            previous, file = units.setdefault(name, (unit, table.source.name))
            if previous != unit:
                message = f"{name} is in {unit}, but in {previous} in {file}"
                raise InputError(Problem(message, table.source.name, hint="write both in one unit"))
    return {name: unit for name, (unit, _) in units.items()}
