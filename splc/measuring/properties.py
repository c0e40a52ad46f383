"""Properties of runs: wall and CPU time, and values from printed CSV, JSON or text.

    NAME=time           wall seconds                        NAME=cpu   CPU seconds of the process and its children
    NAME=csv:COLUMN     a column of a printed CSV table     NAME       the same as NAME=csv:NAME
    NAME=json:PATH      a value of printed JSON, by keys and places: solver.times.0
    NAME=regex:PATTERN  the first group of the last match

`stderr:` before csv, json or regex reads standard error.
"""

from __future__ import annotations

import json
import math
import re
import warnings
from collections import deque
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from splc.errors import Problem, Problems, SpecError, nearest, shorten
from splc.io.csv_rows import split_line
from splc.io.numbers import parse_number, unit_of
from splc.measuring.runner import Ended

Source = Literal["time", "cpu", "csv", "json", "regex"]
SOURCES: tuple[Source, ...] = ("time", "cpu", "csv", "json", "regex")
HINT = "write NAME=time, NAME=cpu, NAME=csv:COLUMN, NAME=json:PATH or NAME=regex:PATTERN"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True)
class Property:
    """A property, and where its value is found: the argument is the column, the path or the pattern."""

    name: str
    source: Source
    argument: str = ""
    stream: str = "stdout"

    def __str__(self) -> str:
        stream = "stderr:" if self.stream == "stderr" else ""
        return f"{self.name}={stream}{self.source}" + (f":{self.argument}" if self.argument else "")


WALL = Property("seconds", "time")


def parse_properties(texts: Sequence[str], taken: Collection[str], *, batch: bool = False) -> tuple[Property, ...]:
    """Parse the properties to record, which must not have `taken` names; without any it is the wall time."""
    problems = Problems()
    properties: list[Property] = []
    for text in texts:
        try:
            parsed_property = _parsed(text)
        except SpecError as error:
            problems.include(error)
            continue
        if parsed_property.name in taken:
            problems.add(f"a property cannot be called {parsed_property.name!r}, which is an option", text=text)
        if parsed_property.name in {previous.name for previous in properties}:
            problems.add(f"duplicate property {parsed_property.name!r}", text=text)
        if batch and (parsed_property.source != "csv" or parsed_property.stream != "stdout"):
            hint = f"write {parsed_property.name}=csv:COLUMN"
            problems.add("a batch command prints its properties as columns of CSV", text=text, hint=hint)
        properties.append(parsed_property)
    if batch and not texts:
        problems.add("a batch command needs the names of its properties", hint="for instance: --property seconds")
    problems.raise_if_any(SpecError)
    return tuple(properties) or (WALL,)


def _parsed(text: str) -> Property:
    def wrong(message: str, hint: str | None = HINT) -> SpecError:
        return SpecError(Problem(message, text=text, hint=hint))

    name, equals, definition = text.partition("=")
    name = name.strip()
    if not name or _CONTROL.search(name):
        raise wrong("a property needs a name")
    if not equals:
        return Property(name, "csv", name)
    stream, source_text = "stdout", definition.strip()
    for stream_name in ("stdout", "stderr"):
        if source_text.startswith(f"{stream_name}:"):
            stream, source_text = stream_name, source_text.removeprefix(f"{stream_name}:")
    kind, _, argument = source_text.partition(":")
    source = next((source_name for source_name in SOURCES if source_name == kind.strip()), None)
    if source is None:
        raise wrong(f"unknown source {kind!r}", nearest(kind, SOURCES) or HINT)
    if source in {"time", "cpu"}:
        if argument or stream == "stderr":
            raise wrong(f"{source} is not read from what is printed", f"write {name}={source}")
        return Property(name, source)
    if source != "regex":
        argument = argument.strip()
    if not argument:
        part = {"csv": "the column", "json": "the path", "regex": "the pattern"}[source]
        raise wrong(f"{part} is missing")
    if source == "regex":
        try:
            groups = _compiled(argument).groups
        except (re.error, RecursionError, OverflowError) as error:
            raise wrong(f"not a regular expression: {error}", None) from None
        if groups == 0:
            raise wrong("the regular expression has no group", "put the number into parentheses: 'time: ([0-9.]+)'")
    return Property(name, source, argument, stream)


def extract(properties: Sequence[Property], ended: Ended) -> tuple[dict[str, float], list[str]]:
    """Return the finite values of a run, and the reasons why others are missing."""
    readers = {"csv": _cell, "json": _member, "regex": _match}

    def value_of(prop: Property) -> float | str:
        if prop.source not in readers:
            return ended.seconds if prop.source == "time" else ended.cpu
        return readers[prop.source](prop, ended.stderr if prop.stream == "stderr" else ended.stdout)

    return finite_values(properties, value_of)


def finite_values(
    properties: Sequence[Property], value_of: Callable[[Property], float | str]
) -> tuple[dict[str, float], list[str]]:
    """Return the values that are finite numbers, and the reasons why others are missing."""
    values, reasons = dict[str, float](), list[str]()
    for prop in properties:
        try:
            values[prop.name] = _finite(prop.name, value_of(prop))
        except _NoValueError as error:
            reasons.append(str(error))
    return values, reasons


class _NoValueError(Exception):
    """Raised for a run without a value of a property; the message has the reason."""


def _finite(name: str, value: float | str) -> float:
    """Return the number that a run reports."""
    if isinstance(value, str):
        number = parse_number(value)
        if math.isnan(number):
            shown, unit = value.strip(), unit_of([value])
            cure = f"with the unit {unit!r}: take the number only, as with ([0-9.]+)"
            reason = cure if unit else "not a finite number"
            raise _NoValueError(f"{name} is {shorten(shown, 60)!r}, {reason}" if shown else f"{name} is empty")
        return number
    if not math.isfinite(value):
        raise _NoValueError(f"{name} is {value}, not a finite number")
    return float(value)


def _cell(prop: Property, text: str) -> str:
    """Return the cell of the only row below the header; lines before the header are ignored."""
    lines = [line for line in text.splitlines() if line.strip()]
    for at, line in enumerate(lines):
        separator = max(",;\t", key=line.count)
        header = [cell.strip() for cell in split_line(line, separator)]
        if prop.argument not in header:
            continue
        rows = [cells for row_line in lines[at + 1 :] if len(cells := split_line(row_line, separator)) == len(header)]
        # A table with one column: every following line has as many cells.
        if len(rows) != 1:
            row_count = "no row" if not rows else f"{len(rows)} rows"
            raise _NoValueError(f"{prop.name}: {row_count} below the CSV header on {prop.stream}, one is needed")
        return rows[0][header.index(prop.argument)]
    raise _NoValueError(f"{prop.name}: no CSV column {prop.argument!r} on {prop.stream}")


def _member(prop: Property, text: str) -> float | str:
    # The JSON that a text is, or the last line of it that is JSON.
    candidates = [text, *(line for line in reversed(text.splitlines()) if line.lstrip()[:1] in {"{", "["})]
    for candidate in candidates:
        with suppress(ValueError, RecursionError):
            document = json.loads(candidate)
            break
    else:
        raise _NoValueError(f"{prop.name}: no JSON object on {prop.stream}")
    value, reached = _value_at(document, prop.argument.split("."))
    if not reached:
        raise _NoValueError(f"{prop.name}: the JSON on {prop.stream} has no {prop.argument!r}")
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        kind = {dict: "an object", list: "a list", bool: "true or false"}.get(type(value), "null")
        raise _NoValueError(f"{prop.name}: {prop.argument} is {kind} in the JSON on {prop.stream}, not a number")
    try:
        return float(value)
    except OverflowError:
        raise _NoValueError(f"{prop.name}: {prop.argument} is too large to be a number") from None


def _value_at(value: Any, keys: Sequence[str]) -> tuple[Any, bool]:
    """Return the value at a path, and whether it exists; keys may contain points."""
    if not keys:
        return value, True
    if isinstance(value, list):
        index_text = keys[0]
        is_index = index_text.isdecimal() and index_text.isascii() and int(index_text) < len(value)
        return _value_at(value[int(index_text)], keys[1:]) if is_index else (None, False)
    if isinstance(value, dict):
        for length in range(len(keys), 0, -1):
            if (key := ".".join(keys[:length])) in value:
                member, reached = _value_at(value[key], keys[length:])
                if reached:
                    return member, True
    return None, False


def _compiled(pattern: str) -> re.Pattern[str]:
    with warnings.catch_warnings():
        # Python warns about patterns such as [[a] that later versions may understand otherwise.
        warnings.simplefilter("ignore", FutureWarning)
        return re.compile(pattern, re.MULTILINE)


def _match(prop: Property, text: str) -> str:
    matches = deque(_compiled(prop.argument).finditer(text), maxlen=1)
    last = matches.pop() if matches else None
    if last is None or last.group(1) is None:
        raise _NoValueError(f"{prop.name}: {prop.argument!r} matches nothing on {prop.stream}")
    return last.group(1)
