"""JSON objects and rows in the output of benchmark tools, with one error for missing or wrong entries."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any, TypeVar

from splc.errors import InputError, Problem
from splc.io.csv_rows import likely_separator
from splc.io.files import Source
from splc.io.json import parse_json

T = TypeVar("T")
_WORDS = {dict: "an object", list: "a list", str: "a text", float: "a number"}


def content_of(source: Source, kind: type[T]) -> T:
    """Return the JSON value of a file."""
    try:
        content = parse_json(source.text())
    except InputError as error:
        hint = "is the file complete? a tool that was interrupted leaves a part of it"
        problem = error.problems[0]
        raise InputError(Problem(problem.message, source.name, problem.line, problem.column, hint=hint)) from None
    if not isinstance(content, kind):
        raise InputError(Problem(f"the content is not {_WORDS[kind]}", source.name))
    return content


def entry(parent: Mapping[str, Any], name: str, kind: type[T], source: Source) -> T:
    """Return an entry of an object."""
    member = parent.get(name)
    if not isinstance(member, kind):
        state = "is missing" if name not in parent else f"is not {_WORDS[kind]}"
        raise InputError(Problem(f"{name!r} {state}", source.name))
    return member


def objects(values: Any, name: str, source: Source) -> list[dict[str, Any]]:
    """Return a list of objects."""
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        raise InputError(Problem(f"{name!r} is not a list of objects", source.name))
    return values


def rows_of(source: Source, text: str | None = None) -> list[dict[str, str]]:
    """Return the rows of a CSV file with a header, by column."""
    text = source.text() if text is None else text
    separator = likely_separator(text) if text.strip() else ","
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        rows = list(reader)
    except csv.Error as error:
        raise InputError(Problem(f"not CSV: {error}", source.name, reader.line_num)) from None
    if not rows:
        raise InputError(Problem("the file has no rows", source.name))
    for at, row in enumerate(rows):
        if None in row or None in row.values():
            message = "the row has another number of fields than the header"
            hint = "is the file complete? a tool that was interrupted leaves a part of it"
            raise InputError(Problem(message, source.name, at + 2, hint=hint))
    return rows
