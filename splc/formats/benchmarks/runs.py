"""Tables made from the output of a benchmark tool, with the roles of their columns."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from splc.errors import InputError, Problem, plural
from splc.formats.column_choice import StatedRoles
from splc.formats.table import TableSource
from splc.io.files import Source
from splc.io.numbers import number_text


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
    """Return the table of some runs: options, contexts, properties.

    `runs`: the runs, repetitions one after the other; those without a value, which failed, are left out and counted.
    """
    every_run = [*runs]
    runs = [run for run in every_run if any(value is not None for value in run.values.values())]
    if failed := len(every_run) - len(runs):
        notes = (*notes, f"{plural(failed, 'run', 'runs')} without a value left out")
    if not runs:
        raise InputError(Problem("the file has no measured values", source.name))
    options = list(dict.fromkeys(name for run in runs for name in run.options))
    if not options:
        hint = hint or "name the columns or parameters that differ between runs"
        raise InputError(Problem("the runs in this file have no options", source.name, hint=hint))
    contexts = [name for name in dict.fromkeys(name for run in runs for name in run.contexts) if name not in options]
    measured = dict.fromkeys(name for run in runs for name, value in run.values.items() if value is not None)
    names = {name: f"measured_{name}" if name in (*options, *contexts) else name for name in measured}
    rows = [
        [
            *(cell(run.options.get(name)) for name in options),
            *(cell(run.contexts.get(name)) for name in contexts),
            *(cell(run.values.get(name)) for name in measured),
        ]
        for run in runs
    ]
    roles = StatedRoles(tuple(options), tuple(contexts), tuple(names.values()))
    main = names.get(main or "", next(iter(names.values())))
    table = TableSource.of_rows(source, [*options, *contexts, *names.values()], rows, roles, main, tuple(notes))
    return replace(table, units={names[name]: unit for name, unit in units.items() if name in names})


def cell(value: Any) -> str:
    """Return a JSON value as the text of a cell; None is an empty cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, int | float):
        return number_text(value)
    return value if isinstance(value, str) else json.dumps(value)


def number(value: Any) -> float | None:
    """Return a JSON value as a number, None if it is none."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None
