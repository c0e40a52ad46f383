"""The output of hyperfine: `--export-json` and `--export-csv` (https://github.com/sharkdp/hyperfine)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from splc.errors import InputError, Problem
from splc.formats.benchmarks.objects import content_of, entry, objects
from splc.formats.benchmarks.table import MeasuredRun, TableSource, number, table_of
from splc.formats.benchmarks.words import options_of_commands
from splc.io.csv_rows import likely_separator
from splc.io.files import Source

_PREFIX = "parameter_"
_STATISTICS = ("mean", "median", "min", "max", "stddev", "user", "system")
_UNITS = dict.fromkeys(("time", *_STATISTICS), "s")
# The name of an empty value of a parameter.
NOTHING = "none"
_HINT = "measure several commands, or one with --parameter-list NAME V,V"


def read_json(source: Source) -> TableSource:
    """Read `--export-json`: the parameters are options, each run is a repetition.

    Without parameters, the words in which the commands differ are the options.

    Raises:
        InputError: if it is no such file.
    """
    results = objects(entry(content_of(source, dict), "results", list, source), "results", source)
    commands = [entry(result, "command", str, source) for result in results]
    parameters = [_with_named_values(result.get("parameters") or {}) for result in results]
    options = parameters if any(parameters) else options_of_commands(commands)
    runs = (run for result, run_options in zip(results, options, strict=True) for run in _runs(result, run_options))
    return table_of(source, runs, main="time", hint=_HINT, units=_UNITS)


def _with_named_values(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters with a name for empty values: those of `-L unique ,-u` are the flag and its absence."""
    return {name: NOTHING if value == "" else value for name, value in parameters.items()}


def _runs(result: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[MeasuredRun]:
    """Yield the runs of one command; a run that was ended by a signal has no exit code and no time."""
    means = {name: number(result.get(name)) for name in ("user", "system")}
    times = result.get("times") or [result.get("mean")]
    codes = result.get("exit_codes") or [0.0] * len(times)
    memory = result.get("memory_usage_byte") or [None] * len(times)
    for time, code, memory_bytes in zip(times, codes, memory, strict=False):
        yield MeasuredRun(
            options, {"time": None if code is None else number(time), **means, "memory_bytes": number(memory_bytes)}
        )


def read_csv(source: Source) -> TableSource:
    """Read `--export-csv`: the parameters are options; there are no repetitions, `mean` is the property to use.

    Raises:
        InputError: if it is no such file.
    """
    rows = rows_of(source)
    parameter_rows = [{name: row[name] for name in row if name.startswith(_PREFIX)} for row in rows]
    options: Sequence[Mapping[str, Any]] = [
        _with_named_values({name.removeprefix(_PREFIX): text for name, text in row.items()}) for row in parameter_rows
    ]
    if not any(options):
        options = options_of_commands([row["command"] for row in rows])
    runs = (
        MeasuredRun(run_options, {name: number(row[name]) for name in _STATISTICS if name in row})
        for row, run_options in zip(rows, options, strict=True)
    )
    return table_of(source, runs, main="mean", hint=_HINT, units=_UNITS)


def rows_of(source: Source, text: str | None = None) -> list[dict[str, str]]:
    """Return the rows of a CSV file with a header, by column.

    Raises:
        InputError: if a row is incomplete, or there is none.
    """
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
