"""Tables of measurements: wide and long ones, outputs of benchmark tools, and several tables of one system.

Wide tables have columns of repetitions (`time_1`, `time_2`), long ones a row for each property (`metric`, `value`).
"""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, product
from pathlib import Path
from typing import Any

import numpy as np

from splc.data.property_unit import in_one_unit, setting_numbers, without_unit
from splc.data.table import NOT_USED, coded_texts, numbers_of, table_columns
from splc.errors import InputError, Problem, Problems, listed, nearest
from splc.formats.benchmarks.tools import benchmark_of, read_benchmark, with_roles
from splc.formats.column_choice import MISSING, ColumnChoice, StatedRoles
from splc.formats.detect import is_xml
from splc.formats.measurements.splconqueror_xml import read_xml_columns
from splc.formats.names import is_context_name, is_duration_name, is_measurement_name
from splc.formats.table import ColumnRows, TableSource, read_columns, split_table, table_of, table_text
from splc.formats.titles import beside_notes
from splc.io.csv_rows import CodedTexts, first_header, first_line
from splc.io.files import Source
from splc.io.numbers import parse_column, unit_of

# `time_1`, `time 1`, `run1`, `time (run 1)`, `rep-1`, `time[0]`.
_NUMBERED = re.compile(
    r"(.*?)[\s_.-]*[\[(]?\s*(?:(?:run|rep|repetition|trial|sample|r|t)[\s_.-]*)?([0-9]{1,3})\s*[\])]?"
)
_UNIT = re.compile(r"(.*[^\s])(\s*[\[(]\s*[^\W\d][^\])\d]*[\])])")
_RUNS = frozenset(("", "run", "rep", "repetition", "trial", "sample", "measurement", "value", "result", "iteration"))
_METRIC = frozenset(
    ("metric", "property", "nfp", "variable", "measure", "measurement", "event", "counter", "metric_name")
)
_VALUE = frozenset(("value", "values", "result", "metric_value", "measured", "score"))
_MAX_METRICS = 50
# The beginning of a cell with a unit.
_MEASURED_TEXT = re.compile(r"[\d.] ?[a-zA-Zµ°]|\d:\d\d[:.]\d|\d ?%")
# How many characters of measured values, and bytes after the header, are looked at.
_LOOKED_AT, _BEGINNING = 1000, 1 << 18
MAX_SCATTER = 3.0  # repetitions differ by at most this factor in half of the rows; parts of a time often differ more


def read_table(path: Any) -> Source:
    """Read a table: a file (also the output of a benchmark tool), a data frame, a dict of columns; XML as it is."""
    source = read_benchmark(path if isinstance(path, str | Path | Source) else _table_in_memory(path))
    if is_xml(source):
        return source
    table = table_of(with_roles(source) if isinstance(path, str | Path) else source)
    is_text = bool(table.rows) or b"\0" not in table.data[:1000]
    table = replace(table, notes=(*table.notes, *beside_notes(*table.beside)))
    return unfolded(table) if is_text and table.stated is None else table


def _table_in_memory(table: Any) -> TableSource:
    """Return the columns of a data frame or of a dict as those of a CSV file."""
    texts, words, columns = list[CodedTexts](), list[str](), table_columns(table)
    for name, values in columns.items():
        # Truth values are words, as in a CSV file.
        written = values.astype(str) if values.dtype == bool else values
        texts.append(coded_texts(written))
        if numbers_of(written) is None:
            words.append(name)
    if not texts or not len(texts[0]):
        raise InputError(Problem("the table has no rows", "table"))
    # A data frame of a benchmark tool, such as Optuna's, is what the tool writes as CSV.
    tool = benchmark_of(Source("table", table_text([*columns], [cells[:1] for cells in texts]).encode()))
    source = TableSource.of(Source("table", b""), [*columns], texts)
    return replace(source, texts=tuple(words)) if tool is None else tool.read(source)


def read_file_columns(source: Source, exempt: Collection[str] = ()) -> TableSource:
    """Read the columns of a CSV table or of SPL Conqueror's XML; `exempt`: columns whose numbers are not read."""
    return read_xml_columns(source) if is_xml(source) else read_columns(source, exempt)


def unfolded(table: TableSource) -> TableSource:
    """Return a wide or long table with a row for each run and a column for each property; others as they are."""
    if isinstance(table.rows, ColumnRows):
        names, start = list(table.rows.first), 0
        beginning = table_text((), [texts[:_LOOKED_AT] for texts in table.rows.texts])
    else:
        content = table.content
        end = content.find(b"\n", len(content) - len(content.lstrip()))
        beginning = content[: end + _BEGINNING if end >= 0 else None].decode("utf-8", "replace")
        names = first_header(beginning)
        start = len(first_line(beginning)) if names else 0
    has_units = _MEASURED_TEXT.search(beginning, start, start + _LOOKED_AT) is not None
    repeated = _repeated(names)
    metric, value = (next((name for name in names if name.casefold() in kind), "") for kind in (_METRIC, _VALUE))
    if not (has_units or repeated or (metric and value)):
        return table
    try:
        if has_units:
            table = _with_numbers(table, read_columns(table))
        parsed = read_columns(table)
    except InputError:
        # The reader of tables reports the problems.
        return table
    columns = parsed.columns
    if repeated and all(set(names) <= columns.keys() and _agree(columns, names) for names in repeated.values()):
        return _stacked(parsed, repeated)
    if value and columns.get(metric) and value in columns and len({*columns[metric]}) <= _MAX_METRICS:
        return _spread(parsed, metric, value)
    return table


def _with_numbers(table: TableSource, parsed: TableSource) -> TableSource:
    """Return a table with numbers instead of measured values with a unit (`0.12ms`)."""
    columns = dict(parsed.columns)
    units: dict[str, str] = {}
    for name, cells in columns.items():
        first = [*map(str.strip, cells[:_LOOKED_AT])]
        beginning = [text for text in first if text.casefold() not in MISSING]
        # Various durations (`12m 35s`) were measured, whatever the name; `9:15:03` may be a clock time.
        are_durations = 2 * len({*beginning}) > len(beginning) and ":" not in "".join(beginning)
        are_durations = are_durations and in_one_unit(beginning, clock=True) is not None
        is_measured = are_durations or is_measurement_name(name) or name.casefold().removesuffix("s") in _RUNS
        # Settings have units, too, but for those with a level such as `none`.
        stated = dict.fromkeys(text for text in first if text.casefold() not in NOT_USED)
        is_set = not is_context_name(name) and setting_numbers(stated)[1] != {}
        if not beginning or not (is_measured or is_set or unit_of(beginning) == "%"):
            continue
        written = [text for text in map(str.strip, cells) if text.casefold() not in MISSING]
        unit, numbers = setting_numbers(dict.fromkeys(written if is_set and not is_measured else ()))
        if not numbers and (unit := unit_of(written) or ""):
            numbers = {text: without_unit(text, unit) for text in written}
        if not numbers:
            unit, numbers = in_one_unit(written, are_durations or is_duration_name(name)) or ("", {})
        if numbers:
            units[name] = unit
            columns[name] = [numbers.get(text.strip(), text) for text in cells]
    if not units:
        return table
    notes = [f"numbers with a unit: {listed([f'{name} in {unit}' for name, unit in units.items()])}"]
    return TableSource.of(parsed, [*columns], columns.values(), notes=notes, units=units, lines=parsed.lines)


def _repeated(names: Sequence[str]) -> dict[str, list[str]]:
    """Return property → the columns of its repetitions, which are numbered from 0 or 1."""
    groups, titles = dict[str, dict[int, str]](), dict[str, str]()
    for name in names:
        # `run1 [s]` has a unit.
        bracket = _UNIT.fullmatch(name)
        if match := _NUMBERED.fullmatch(bracket[1] if bracket else name):
            base = match[1].strip(" _.-")
            titles[base] = f"{'time' if base.casefold() in _RUNS else base}{bracket[2] if bracket else ''}"
            groups.setdefault(base, {})[int(match[2])] = name
    return {
        titles[base]: list(numbered.values())
        for base, numbered in groups.items()
        if len(numbered) > 1 and [*numbered] in ([*range(len(numbered))], [*range(1, len(numbered) + 1)])
        # `time`, `time_0`, `time_1` are a property and its parts.
        if base not in names and (base.casefold() in _RUNS or is_measurement_name(base))
    }


def _agree(columns: Mapping[str, Sequence[str]], names: Sequence[str]) -> bool:
    """Return whether columns can be repetitions: numbers, not all of them whole, that agree up to a factor."""
    values = np.array([parse_column(columns[name]) for name in names])
    values = values[:, ~np.isnan(values).any(axis=0)]
    usable = values.size and (values > 0).all() and (values != values.round()).any()
    return bool(usable and np.median(values.max(axis=0) / values.min(axis=0)) <= MAX_SCATTER)


def _stacked(table: TableSource, repeated: Mapping[str, list[str]]) -> TableSource:
    """Return a table with a row for each repetition."""
    columns, lines = table.columns, table.lines
    of = {name: base for base, names in repeated.items() for name in names}
    # Repetitions stand where the first one does.
    names = [*dict.fromkeys(of.get(name, name) for name in columns)]
    longest = max(map(len, repeated.values()))
    rows, places = list[list[str]](), [lines[0]]
    for at, turn in product(range(len(next(iter(columns.values())))), range(longest)):
        values = {base: columns[group[turn]][at] if turn < len(group) else "" for base, group in repeated.items()}
        # A row without any value is a failed run.
        if not turn or any(text.strip().casefold() not in MISSING for text in values.values()):
            rows.append([values[name] if name in values else columns[name][at] for name in names])
            places.append(lines[at + 1])
    text = ", ".join(f"{name} ({len(group)} columns)" for name, group in repeated.items())
    return TableSource.of_rows(table, names, rows, notes=(f"repetitions side by side: {text}",), lines=places)


def _spread(table: TableSource, metric: str, value: str) -> TableSource:
    """Return a table with a column for each property; the nth rows of properties with equal other cells are one."""
    columns, lines = table.columns, table.lines
    keys = [name for name in columns if name not in (metric, value)]
    names = list(dict.fromkeys(text.strip() for text in columns[metric]))
    rows, counts = dict[tuple[str, ...], dict[str, str]](), Counter[tuple[str, ...]]()
    places = [lines[0]]
    for at, name in enumerate(columns[metric]):
        key = tuple(columns[other][at] for other in keys)
        counts[*key, name] += 1
        run = (*key, str(counts[*key, name]))
        if run not in rows:
            places.append(lines[at + 1])
        rows.setdefault(run, {})[name.strip()] = columns[value][at]
    cells = [[*key[:-1], *(values.get(name, "") for name in names)] for key, values in rows.items()]
    labels = [f"measured_{name}" if name in keys else name for name in names]
    return TableSource.of_rows(table, [*keys, *labels], cells, notes=(f"a column for each {metric}",), lines=places)


def read_union(paths: Sequence[str], choice: ColumnChoice) -> TableSource:
    """Read several tables as one, with their rows in this order; only some may have columns that the user ignores."""
    resolved = [*map(os.path.realpath, paths)]
    for at, path in enumerate(paths):
        # The rows of a file that is named twice would be repetitions of themselves.
        if resolved[at] in resolved[:at]:
            raise InputError(Problem("this file is named twice", path, hint="its rows are read once: name it once"))
    return union_of([read_table(path) for path in paths], choice)


def union_of(sources: Sequence[Source], choice: ColumnChoice) -> TableSource:
    """Return the union of tables that were read; else as `read_union`."""
    tables = [_part(source, choice.unread) for source in sources]
    header: list[str] = []
    for table in tables:
        place = 0
        for name in table.columns:
            # A further column stands where it does in its own table: its position says what it is.
            if name not in header:
                header.insert(place, name)
            place = header.index(name) + 1
    lacking = tuple(_lacking(tables, frozenset(choice.among(header).ignore)))
    counts = [len(table.rows) - 1 for table in tables]
    blank = {id(table): [""] * count for table, count in zip(tables, counts, strict=True)}
    columns = [[text for table in tables for text in table.columns.get(name, blank[id(table)])] for name in header]
    ends = zip(tables, counts, accumulate(counts, initial=2), strict=False)
    ranges = [f"{table.name} (lines {line:,} to {line + count - 1:,})" for table, count, line in ends]
    notes = [f"{len(tables)} tables are read as one: {listed(ranges)}", *lacking]
    notes += [f"{table.name}: {text}" for table in tables for text in table.notes]
    main = next((table.main for table in tables if not len(table.lines)), None)
    every, roles = Source(", ".join(table.name for table in tables), b""), _roles(tables)
    files = tuple((table.name, (*table.lines[1:],) or (None,) * (len(table.rows) - 1)) for table in tables)
    stated = ((table, name, unit) for table in tables for name, unit in table.units.items())
    units = _agreed(stated, "{name} is in {value}, but in {previous} in {file}", "write both in one unit")
    return TableSource.of(every, header, columns, stated=roles, main=main, units=units, files=files, notes=notes)


def _part(source: Source, exempt: Collection[str]) -> TableSource:
    """Return one of several tables with its columns; it has lines if it is a CSV file."""
    if is_xml(source):
        hint = f"make it a table first: splc convert {source.name} -o TABLE.csv"
        raise InputError(Problem("XML cannot be read together with other tables", source.name, hint=hint))
    table = table_of(source)
    columns = read_columns(table, exempt)
    if table.rows or table.stated is not None:
        return replace(columns, lines=())
    # Rows that are too short are refused.
    raw, problems = split_table(table, exempt=exempt), Problems(table.name)
    for row, fields in raw.body[2].items():
        problems.add(f"{fields} fields, but the header has {len(raw.header)}", raw.lines[row + 1])
    problems.raise_if_any(InputError)
    return columns


def _lacking(tables: Sequence[TableSource], ignored: frozenset[str]) -> Iterator[str]:
    """Yield notes on columns that some tables lack: rows of versions before an option have no value of it."""
    every = [table.columns.keys() - ignored for table in tables]
    if not (common := frozenset.intersection(*map(frozenset, every))):
        raise InputError(Problem("the tables have no column in common", listed([table.name for table in tables])))
    problems: list[Problem] = []
    for name in dict.fromkeys(name for table in tables for name in table.columns):
        lacking = [] if name in common | ignored else [table for table in tables if name not in table.columns]
        for table in lacking:
            if hint := nearest(name, [other for other in table.columns if other not in common | ignored]):
                message = f"the table lacks the column {name!r}, which others have"
                hint = f"{hint} rename it, or leave it out with --ignore {shlex.quote(name)}"
                problems.append(Problem(message, table.name, next(iter(table.lines), None), hint=hint))
        if lacking:
            files = listed([table.name for table in lacking])
            yield f"the column {name} is empty in the rows of {files}: the table does not have it"
    if problems:
        raise InputError(problems)


def _roles(tables: Sequence[TableSource]) -> StatedRoles | None:
    kinds = ("option", "context", "property")
    stated = (
        (table, name, kind)
        for table in tables
        if (roles := table.stated) is not None
        for kind, names in zip(kinds, (roles.options, roles.contexts, roles.properties), strict=True)
        for name in names
    )
    text = "the column {name!r} is of the kind {value}, but of the kind {previous} in {file}"
    found = _agreed(stated, text, "--ignore {quoted} leaves it out")
    named = (tuple(name for name, kind in found.items() if kind == each) for each in kinds)
    return StatedRoles(*named) if found else None


def _agreed(stated: Iterable[tuple[TableSource, str, str]], text: str, hint: str) -> dict[str, str]:
    """Return column → what tables state about it; it is an error, with this text, if they state different things."""
    found: dict[str, tuple[str, str]] = {}
    for table, name, value in stated:
        previous, file = found.setdefault(name, (value, table.name))
        if previous != value:
            message = text.format(name=name, value=value, previous=previous, file=file)
            raise InputError(Problem(message, table.name, hint=hint.format(quoted=shlex.quote(name))))
    return {name: value for name, (value, _) in found.items()}
