"""Wide and long tables: columns for repetitions (`time_1`, `time_2`); a row for each property (`metric`, `value`)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from splc.data.property_name import is_measurement_name
from splc.errors import InputError
from splc.formats.benchmarks.journal import with_roles
from splc.formats.benchmarks.table import TableSource, csv_source
from splc.formats.benchmarks.tools import read_benchmark
from splc.formats.detect import is_xml
from splc.formats.measurements.columns import MISSING
from splc.formats.measurements.file_columns import read_file_columns
from splc.io.csv_rows import first_header, first_line
from splc.io.files import Source
from splc.io.numbers import parse_column, unit_of

# `time_1`, `time 1`, `run1`, `time (run 1)`, `rep-1`, `time[0]`.
_NUMBERED = re.compile(
    r"(.*?)[\s_.-]*[\[(]?\s*(?:(?:run|rep|repetition|trial|sample|r|t)[\s_.-]*)?([0-9]{1,3})\s*[\])]?"
)
_RUNS = frozenset(("", "run", "rep", "repetition", "trial", "sample", "measurement", "value", "result", "iteration"))
_METRIC = frozenset(
    ("metric", "property", "nfp", "variable", "measure", "measurement", "event", "counter", "metric_name")
)
_VALUE = frozenset(("value", "values", "result", "metric_value", "measured", "score"))
_MAX_METRICS = 50
# A list of at least two numbers, one of them with a point, and the beginning of such a cell or of one with a unit.
_LIST = re.compile(r"[\[(]?(?=.*\.)\s*[-+.\deE]+(?:[,;\s]+[-+.\deE]+)+\s*[])]?")
_MEASURED_TEXT = re.compile(r"[\d.](?:[smhun]|µs| [smhunJW])|[\[(]\s*[\d.]+[,;\s]|[\d.]+[;\s]\s*[\d.]+[;\s]")
_LOOKED_AT = 1000
# Repetitions differ by at most this factor in half of the rows; parts of a time often differ more.
MAX_SCATTER = 3.0


def read_table(path: str | Path | Source) -> Source:
    """Read a table of measurements, or the output of a benchmark tool, which becomes a table.

    `path`: the file, its content, or a folder (`splc.formats.benchmarks.tools`); `-` is standard input.
    """
    source = read_benchmark(path)
    if isinstance(path, str | Path) and not is_xml(source):
        source = with_roles(source)
    if is_xml(source) or b"\0" in source.data[:1000] or (isinstance(source, TableSource) and source.stated is not None):
        return source
    return unfolded(source)


def unfolded(source: Source) -> Source:
    """Return a wide or long table with a row for each run and a column for each property; others as they are."""
    text = source.text()
    cells = first_header(text)
    start = len(first_line(text)) if cells else 0
    if _MEASURED_TEXT.search(text, start, start + _LOOKED_AT):
        source = _with_numbers(source)
    repeated = _repeated(cells)
    metric = next((name for name in cells if name.casefold() in _METRIC), "")
    value = next((name for name in cells if name.casefold() in _VALUE), "")
    if not repeated and not (metric and value):
        return source
    try:
        columns = read_file_columns(source).columns
    except InputError:
        # The reader of tables reports the problems.
        return source
    if repeated and all(set(names) <= columns.keys() and _agree(columns, names) for names in repeated.values()):
        return _stacked(source, columns, repeated)
    if columns.get(metric) and value in columns and len({*columns[metric]}) <= _MAX_METRICS:
        return _spread(source, columns, metric, value)
    return source


def _with_numbers(source: Source) -> Source:
    """Return a table with numbers instead of measured values with a unit (`0.12ms`), and of lists of repetitions."""
    try:
        columns = dict(read_file_columns(source).columns)
    except InputError:
        return source
    units: dict[str, str] = {}
    lists: dict[str, list[list[str]]] = {}
    for name, cells in columns.items():
        written = [text for text in map(str.strip, cells) if text.casefold() not in MISSING]
        if not is_measurement_name(name) and name.casefold().removesuffix("s") not in _RUNS:
            continue
        if written and (unit := unit_of(written)) is not None:
            units[name] = unit
            columns[name] = [text.strip().removesuffix(unit).strip() for text in cells]
        elif written and all(map(_LIST.fullmatch, written)) and name.removesuffix("s") not in columns:
            lists[name] = [re.findall(r"[^][(),;\s]+", text) for text in cells]
    if not units and not lists:
        return source
    notes = [f"{name}: numbers in {unit}" for name, unit in units.items()]
    notes += [f"{name}: a list of repetitions in each row" for name in lists]
    turns = [max([1, *map(len, groups)]) for groups in zip(*lists.values(), strict=True)] or [1] * len(columns[name])
    rows = [
        [
            lists[name][at][turn]
            if name in lists and turn < len(lists[name][at])
            else ""
            if name in lists
            else cells[at]
            for name, cells in columns.items()
        ]
        for at, count in enumerate(turns)
        for turn in range(count)
    ]
    return replace(csv_source(source, [*columns], rows, notes=tuple(notes)), units=units)


def _repeated(names: Sequence[str]) -> dict[str, list[str]]:
    """Return property → the columns of its repetitions, which are numbered from 0 or 1."""
    groups: dict[str, dict[int, str]] = {}
    for name in names:
        if match := _NUMBERED.fullmatch(name):
            groups.setdefault(match[1].strip(" _.-"), {})[int(match[2])] = name
    return {
        base: list(numbered.values())
        for base, numbered in groups.items()
        if len(numbered) > 1 and [*numbered] in ([*range(len(numbered))], [*range(1, len(numbered) + 1)])
        # `time`, `time_0`, `time_1` are a property and its parts.
        if base not in names and (base.casefold() in _RUNS or is_measurement_name(base))
    }


def _agree(columns: Mapping[str, Sequence[str]], names: Sequence[str]) -> bool:
    """Return whether columns can be repetitions: numbers, not all of them whole, that agree up to a factor."""
    values = np.array([parse_column(columns[name]) for name in names])
    values = values[:, ~np.isnan(values).any(axis=0)]
    if not values.size or (values == values.round()).all() or (values <= 0).any():
        return False
    return bool(np.median(values.max(axis=0) / values.min(axis=0)) <= MAX_SCATTER)


def _stacked(source: Source, columns: Mapping[str, Sequence[str]], repeated: Mapping[str, list[str]]) -> TableSource:
    """Return a table with a row for each repetition."""
    inner = {name for names in repeated.values() for name in names}
    keys = [name for name in columns if name not in inner]
    names = ["time" if base.casefold() in _RUNS else base for base in repeated]
    longest = max(map(len, repeated.values()))
    rows = [
        [
            *(columns[name][at] for name in keys),
            *(columns[group[turn]][at] if turn < len(group) else "" for group in repeated.values()),
        ]
        for at in range(len(next(iter(columns.values()))))
        for turn in range(longest)
    ]
    rows = [row for row in rows if any(text.strip().casefold() not in MISSING for text in row[len(keys) :])]
    text = ", ".join(f"{name} ({len(group)} columns)" for name, group in zip(names, repeated.values(), strict=True))
    return csv_source(source, [*keys, *names], rows, notes=(f"repetitions side by side: {text}",))


def _spread(source: Source, columns: Mapping[str, Sequence[str]], metric: str, value: str) -> TableSource:
    """Return a table with a column for each property; the nth rows of properties with equal other cells are one."""
    keys = [name for name in columns if name not in (metric, value)]
    names = list(dict.fromkeys(text.strip() for text in columns[metric]))
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    counts: dict[tuple[str, ...], int] = {}
    for at, name in enumerate(columns[metric]):
        key = tuple(columns[other][at] for other in keys)
        turn = counts[*key, name] = counts.get((*key, name), 0) + 1
        rows.setdefault((*key, str(turn)), {})[name.strip()] = columns[value][at]
    cells = [[*key[:-1], *(values.get(name, "") for name in names)] for key, values in rows.items()]
    labels = [f"measured_{name}" if name in keys else name for name in names]
    return csv_source(source, [*keys, *labels], cells, notes=(f"a column for each {metric}",))
