"""The output of `perf stat -x,` and `perf stat -j` (the manual page perf-stat)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from splc.errors import InputError, Problem
from splc.formats.benchmarks.objects import entry
from splc.formats.benchmarks.table import MeasuredRun, TableSource, number, table_of
from splc.io.files import Source
from splc.io.json import parse_json

JSON_MARK = b'"counter-value"'
_HINT = "name a folder of such files, whose names state the options: perf stat -x, -o runs/level=9,input=text.csv"
# The first of these that was counted is the property to use.
_MAIN = ("duration_time", "task-clock", "cpu-clock", "cycles", "instructions")
# Their units are stated, so that they are converted.
SECONDS = {"task-clock": "s", "cpu-clock": "s"}
_EVENT = re.compile(r"[A-Za-z][^,\s]*")
_PER_SECOND = {"ns": 1e9, "usec": 1e6, "msec": 1e3, "sec": 1.0}
_WHOLE = "leave out -I, -A, --per-core and the like; -x needs a comma"


def read(source: Source) -> TableSource:
    """Read one run. It states no options, so that only a folder of such files is a table.

    Raises:
        InputError: in any case.
    """
    return table_of(source, [run_of(source)], hint=_HINT)


def run_of(source: Source) -> MeasuredRun:
    """Return the counts of one run, without options; times are in seconds.

    Raises:
        InputError: if it is no such file, or lists the counts of each interval or processor.
    """
    is_json = JSON_MARK in source.content[:1000]
    counts: dict[str, float | None] = {}
    for line, event, count, unit in _entries(source) if is_json else _fields(source):
        # The event may state what was counted: `cycles:u`.
        name = event.partition(":")[0]
        if name in counts:
            raise InputError(Problem(f"the event {event!r} is counted twice", source.name, line, hint=_WHOLE))
        value = number(count)
        counts[name] = None if value is None else value / _PER_SECOND.get(unit, 1.0)
    return MeasuredRun({}, counts)


def main_of(names: dict[str, None]) -> str | None:
    """Return the property to use among those that were counted."""
    return next((name for name in _MAIN if name in names), None)


def _fields(source: Source) -> Iterator[tuple[int, str, str, str]]:
    """Yield line, event, count and unit of each count of `-x,`."""
    for at, line in enumerate(source.text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = line.split(",")
        if len(parts) < 3 or not _EVENT.fullmatch(parts[2]) or (number(parts[0]) is None and "<" not in parts[0]):
            raise InputError(Problem("not a count of perf stat -x,", source.name, at, text=line, hint=_WHOLE))
        yield at, parts[2], parts[0], parts[1]


def _entries(source: Source) -> Iterator[tuple[int, str, str, str]]:
    """Yield line, event, count and unit of each object of `-j`."""
    for at, line in enumerate(source.text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            record = parse_json(line)
        except InputError as error:
            raise InputError(Problem(error.problems[0].message, source.name, at)) from None
        if isinstance(record, dict) and "counter-value" in record:
            yield at, entry(record, "event", str, source), str(record["counter-value"]), str(record.get("unit", ""))
