r"""Declarations of the formats of benchmark tools: how a file begins, what it contains, and how that becomes a table.

@benchmark("hyperfine", rb'\{\s*"results"\s*:', content={"results": [{"command": str, "times": list | None}]})
def hyperfine(source: Source, content: Any) -> TableSource: ...

The table is made of runs, whose options may be words of commands or of names: `gzip -9 file`, `level=9,input=text`.
"""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from splc.errors import InputError, Problem, Problems, plural
from splc.formats.column_choice import StatedRoles
from splc.formats.table import TableSource
from splc.io.csv_rows import split_table_rows
from splc.io.files import Source
from splc.io.json import mismatches, parse_json
from splc.io.numbers import number_text, parse_number
from splc.io.toml import finite_number

_PAIR = re.compile(r"([A-Za-z_][\w.-]*)=(.*)", re.DOTALL)
_SIZE = re.compile(r"([0-9]+)([kmgt])(?:i?b)?", re.IGNORECASE)
_POWERS = {"k": 1, "m": 2, "g": 3, "t": 4}


def pairs_in(name: str) -> dict[str, str]:
    """Return option → value of a name such as `level=9,input=text`; parts without `=` are left out."""
    matches = (_PAIR.fullmatch(part.strip()) for part in re.split(r"[,;&]|__", name))
    return {pair[1]: pair[2] for pair in matches if pair is not None}


def options_of_commands(commands: Sequence[str]) -> list[dict[str, str]]:
    """Return the options of each command: the words in which the commands differ.

    Of commands with equally many words, each place with different words is an option, which has the name that the
    words state (`--level=9`, or `--level` before `9`), else `word3`. Otherwise each word that only some commands have
    is a binary option, or the value of the option that it names.
    """
    split = [_words(command) for command in commands]
    if len({len(words) for words in split}) == 1:
        option_rows: list[dict[str, str]] = [{} for _ in split]
        for at, column in enumerate(zip(*split, strict=True)):
            if len(set(column)) == 1:
                continue
            previous_word = split[0][at - 1] if at and len({words[at - 1] for words in split}) == 1 else ""
            name, values = _name_and_values(column, previous_word, f"word{at + 1}")
            for options, value in zip(option_rows, values, strict=True):
                options[name] = value
        return option_rows
    common = set(split[0]).intersection(*split[1:])
    switches = dict.fromkeys(word for words in split for word in words if word not in common)
    valued = {word: pair for word in switches if (pair := _PAIR.fullmatch(word.lstrip("-")))}
    rows = []
    for words in split:
        row = {valued[word][1]: valued[word][2] for word in words if word in valued}
        rows.append(row | {_identifier(word): "1" if word in words else "0" for word in switches if word not in valued})
    return rows


def _name_and_values(column: Sequence[str], previous_word: str, default_name: str) -> tuple[str, list[str]]:
    """Return the name of an option and its values."""
    pairs = [_PAIR.fullmatch(word.lstrip("-")) for word in column]
    names = {pair[1] for pair in pairs if pair is not None}
    if len(names) == 1 and None not in pairs:
        return names.pop(), [pair[2] for pair in pairs if pair is not None]
    if previous_word.startswith("-") and not any(word.startswith("-") for word in column):
        return _identifier(previous_word), list(column)
    letters = {re.sub(r"[0-9.]+$", "", word) for word in column}
    if len(letters) == 1 and (prefix := letters.pop()) and all(word != prefix for word in column):
        # `-j1`, `-j2`; and `-1`, `-9`, which are numbers.
        name = _identifier(prefix)
        return name or default_name, [word.removeprefix(prefix) for word in column]
    return default_name, list(column)


def _identifier(word: str) -> str:
    return re.sub(r"[^\w.]+", "_", word.strip("-")).strip("_")


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def without_units(rows: Iterable[Mapping[str, str]], base: int = 1024) -> list[dict[str, str]]:
    """Return options whose values are all sizes (`4k`, `1M`) as numbers of bytes; `base`: the bytes of `1k`."""
    byte_rows = [dict(row) for row in rows]
    for name in dict.fromkeys(name for row in byte_rows for name in row):
        sized = [(row, _SIZE.fullmatch(row[name])) for row in byte_rows if not row.get(name, "0").isdigit()]
        for row, size in sized if all(size for _, size in sized) else ():
            row[name] = str(int(size[1]) * base ** _POWERS[size[2].casefold()]) if size else ""
    return byte_rows


def differing(rows: Sequence[Mapping[str, str]], missing: str = "") -> list[dict[str, str]]:
    """Return of each row the entries that are not the same in all rows; `missing` is the value of a missing one."""
    names = dict.fromkeys(name for row in rows for name in row)
    differing_names = [name for name in names if len({row.get(name, missing) for row in rows}) > 1]
    return [{name: row.get(name, missing) for name in differing_names} for row in rows]


@dataclass(frozen=True)
class MeasuredRun:
    """One row: a run of the program with some options."""

    options: Mapping[str, Any]  # option → value
    values: Mapping[str, Any]  # property → value, None where it is missing
    contexts: Mapping[str, Any] = field(default_factory=dict)  # context → value


def table_of(
    source: Source,
    runs: Iterable[MeasuredRun],
    *,
    main: str | None = None,
    notes: Sequence[str] = (),
    hint: str | None = None,
    units: Mapping[str, str] = MappingProxyType({}),
) -> TableSource:
    """Return the table of runs, repetitions one after the other; those without a value, which failed, are left out."""
    every_run = [*runs]
    runs = [run for run in every_run if any(value is not None for value in run.values.values())]
    if failed := len(every_run) - len(runs):
        notes = (*notes, f"{plural(failed, 'run', 'runs')} that did not complete left out")
    if not runs:
        raise InputError(Problem("the file has no measured values", source.name))
    if not (options := list(dict.fromkeys(name for run in runs for name in run.options))):
        hint = hint or "name the columns or parameters that differ between runs"
        raise InputError(Problem("the runs in this file have no options", source.name, hint=hint))
    contexts = [name for name in dict.fromkeys(name for run in runs for name in run.contexts) if name not in options]
    measured = dict.fromkeys(name for run in runs for name, value in run.values.items() if value is not None)
    titles = {name: f"measured_{name}" if name in (*options, *contexts) else name for name in measured}
    stated = (((run.options, options), (run.contexts, contexts), (run.values, measured)) for run in runs)
    rows = [[cell(found.get(name)) for found, names in parts for name in names] for parts in stated]
    roles = StatedRoles(tuple(options), tuple(contexts), tuple(titles.values()))
    main = titles.get(main or "", next(iter(titles.values())))
    table = TableSource.of_rows(source, [*options, *contexts, *titles.values()], rows, roles, main, notes=tuple(notes))
    return replace(table, units={titles[name]: unit for name, unit in units.items() if name in titles})


def cell(value: Any) -> str:
    """Return a JSON value as the text of a cell; None is an empty cell."""
    if value is None or isinstance(value, str):
        return value or ""
    return number_text(value) if isinstance(value, int | float) else json.dumps(value)


def number(value: Any) -> float | None:
    """Return a JSON value, or its text, as a finite number, None if it is none."""
    found = parse_number(value) if isinstance(value, str) else finite_number(value)
    return None if found is None or math.isnan(found) else found


# The content of a file of rows with a header: a list of column → cell.
ROWS = "rows"
_LOOKED_AT = 1 << 16
_INCOMPLETE = "is the file complete? a tool that was interrupted leaves a part of it"


@dataclass(frozen=True)
class Benchmark:
    """The output of a benchmark tool."""

    tool: str  # the name of the tool; empty for tables of any origin
    begins: bytes  # a pattern of the beginning of the file
    marks: tuple[bytes, ...] = ()  # what the file contains, too
    content: Any = None  # the type of its JSON (see `mismatches`), or ROWS; None: the table is made of the source alone
    table: Callable[..., TableSource] | None = None  # the function that returns the table of a source and its content
    export: str = ""  # what to do with a file that is known and not read

    def matches(self, data: bytes) -> bool:
        """Return whether a file is in this format, by its content without spaces before it."""
        beginning = data[:_LOOKED_AT]
        return re.match(self.begins, beginning, re.DOTALL) is not None and all(mark in data for mark in self.marks)

    def read(self, source: Source) -> TableSource:
        """Return the table of a file, or raise an error with what to do."""
        if self.table is None:
            raise InputError(Problem(f"splc does not read the output of {self.tool}", source.name, hint=self.export))
        if self.content is None:
            return self.table(source)
        return self.table(source, rows_of(source) if self.content == ROWS else content_of(source, self.content))


def benchmark(
    tool: str, begins: bytes, *marks: bytes, content: Any = None
) -> Callable[[Callable[..., TableSource]], Benchmark]:
    """Return the decorator that makes a function the declaration of a format."""
    return lambda table: Benchmark(tool, begins, marks, content, table)


def content_of(source: Source, kind: Any) -> Any:
    """Return the JSON value of a file, which has the declared type."""
    try:
        content = parse_json(source.text())
    except InputError as error:
        raise InputError(replace(error.problems[0], file=source.name, hint=_INCOMPLETE)) from None
    check(source, content, kind)
    return content


def check(source: Source, content: Any, kind: Any, name: str = "") -> None:
    """Raise an error with all entries that are not of their declared type; `name`: the entry that the content is."""
    problems = Problems(source.name)
    for mismatch in mismatches(kind, content, name):
        place, is_item = re.subn(r"(\[\d+\])+$", "", mismatch.path)
        entry = repr(place.rpartition(".")[2]) if place else "the content"
        expected = f"a list of {mismatch.expected.split()[-1]}s" if is_item else mismatch.expected
        # An entry that is wrong in the same way in many places is one problem.
        problems.include(InputError(f"{entry} {'is missing' if mismatch.missing else f'is not {expected}'}"))
    problems.raise_if_any()


def rows_of(source: Source) -> list[dict[str, str]]:
    """Return the rows of a CSV file with a header, by column."""
    table: tuple[Sequence[Sequence[str]], Sequence[int]] = (
        (source.rows, source.lines) if isinstance(source, TableSource) and source.rows else split_table_rows(source)
    )
    (header, *rows), (_, *lines) = table
    if not rows:
        raise InputError(Problem("the file has no rows", source.name))
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(header):
            message = "the row has another number of fields than the header"
            raise InputError(Problem(message, source.name, line, hint=_INCOMPLETE))
    return [dict(zip(header, row, strict=True)) for row in rows]
