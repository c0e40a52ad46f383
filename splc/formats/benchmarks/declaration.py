r"""Declarations of the formats of benchmark tools: how a file begins, what it contains, and how that becomes a table.

@benchmark("hyperfine", rb'\{\s*"results"\\s*:', content={"results": [{"command": str, "times": list | None}]})
def hyperfine(source: Source, content: Any) -> TableSource: ...
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from splc.errors import InputError, Problem
from splc.formats.benchmarks.table import TableSource
from splc.io.csv_rows import likely_separator
from splc.io.files import Source
from splc.io.json import parse_json
from splc.io.json_types import mismatches

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
        problem = error.problems[0]
        raise InputError(
            Problem(problem.message, source.name, problem.line, problem.column, hint=_INCOMPLETE)
        ) from None
    check(source, content, kind)
    return content


def check(source: Source, content: Any, kind: Any, name: str = "") -> None:
    """Raise an error for the first entry that is not of its declared type.

    `name`: the entry that the content is, empty for that of the file.
    """
    for mismatch in mismatches(kind, content, name):
        place, is_item = re.subn(r"(\[\d+\])+$", "", mismatch.path)
        name = repr(place.rpartition(".")[2]) if place else "the content"
        expected = f"a list of {mismatch.expected.split()[-1]}s" if is_item else mismatch.expected
        state = "is missing" if mismatch.missing else f"is not {expected}"
        raise InputError(Problem(f"{name} {state}", source.name))


def rows_of(source: Source, text: str | None = None) -> list[dict[str, str]]:
    """Return the rows of a CSV file with a header, by column."""
    text = source.text() if text is None else text
    reader = csv.DictReader(
        io.StringIO(text, newline=""), delimiter=likely_separator(text) if text.strip() else ",", strict=True
    )
    try:
        rows = list(reader)
    except csv.Error as error:
        raise InputError(Problem(f"not CSV: {error}", source.name, reader.line_num)) from None
    if not rows:
        raise InputError(Problem("the file has no rows", source.name))
    for at, row in enumerate(rows, 2):
        if None in row or None in row.values():
            message = "the row has another number of fields than the header"
            raise InputError(Problem(message, source.name, at, hint=_INCOMPLETE))
    return rows
