"""Differences between a session of a measurement and the earlier ones: added configurations, corrected commands."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from splc.errors import InputError, Problem, SpecError, plural
from splc.formats.benchmarks.table import TableSource, csv_source
from splc.formats.measurements.csv_table import table_text
from splc.io.files import Source
from splc.io.numbers import number_text
from splc.measuring.journal import Record
from splc.measuring.setup import Setup

# Settings that may have caused failed runs, and may be corrected.
CORRECTABLE = ("command", "commands", "properties", "folder", "environment", "timeout")
# Entries of the plan that may change when configurations are added.
GROWING = ("system", "configurations", "commands")


def plan_in(records: Sequence[Record]) -> Mapping[str, Any] | None:
    """Return the latest description of the measurement in a journal, None in an empty one."""
    return next((record for record in reversed(records) if record.get("kind") == "plan"), None)


def corrected(records: Sequence[Record], wanted: Mapping[str, Any], failed: bool) -> tuple[str, ...]:
    """Return the settings that were corrected after failed runs; the properties keep their names.

    Args:
        records: those of the journal.
        wanted: the description of the measurement.
        failed: whether there are failed runs.
    """
    plan = plan_in(records)
    if plan is None or not failed or _names(plan) != _names(wanted):
        return ()
    return tuple(key for key in CORRECTABLE if plan.get(key) != wanted.get(key))


def _names(plan: Mapping[str, Any]) -> list[str]:
    """Return the names of the properties of a measurement."""
    return [text.partition("=")[0] for text in plan.get("properties", ())]


def measured_table(records: Sequence[Record], path: str) -> TableSource:
    """Return the configurations of the measurement in a journal as a table, in the order of their rows.

    Raises:
        InputError: if the journal does not have all of them.
    """
    plan = plan_in(records)
    text = None if plan is None else plan.get("table")
    if not isinstance(text, str):
        text = _table_of_runs(records, path, 0 if plan is None else plan["configurations"]["count"])
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    # A configuration with each value of a context is one configuration.
    turns = {name for name, value in (plan or {}).get("contexts", {}).items() if not isinstance(value, str)}
    kept = [at for at, name in enumerate(header) if name not in turns]
    header = [header[at] for at in kept]
    rows = [list(row) for row in dict.fromkeys(tuple(row[at] for at in kept) for row in rows)]
    return csv_source(Source(path, text.encode()), header, rows)


def _table_of_runs(records: Sequence[Record], path: str, count: int) -> str:
    """Return the configurations of the runs, for journals of earlier versions, which state no table."""
    configurations = {record["row"]: record["configuration"] for record in records if record.get("kind") == "run"}
    if not count or len(configurations) < count:
        hint = "finish it with --resume first"
        message = f"the journal has runs of {len(configurations)} of {plural(count, 'configuration', 'configurations')}"
        raise InputError(Problem(message, path, hint=hint))
    rows = [configurations[row] for row in sorted(configurations)]
    cells = ["" if row[name] is None else number_text(row[name]) for row in rows for name in rows[0]]
    width = len(rows[0])
    return table_text([*rows[0]], [cells[at::width] for at in range(width)])


def require_rows(records: Sequence[Record], setup: Setup, path: str) -> None:
    """Check that recorded runs are of the configurations that have their rows now; options may have been added.

    Raises:
        InputError: if they are not.
    """
    recorded = {record["row"]: record["configuration"] for record in records if record.get("kind") == "run"}
    for row, recorded_values in recorded.items():
        configuration = setup.assignment(row) if row < len(setup.configurations) else {}
        if any(name not in configuration or configuration[name] != value for name, value in recorded_values.items()):
            message = "the recorded runs are of other configurations"
            raise InputError(Problem(message, path, hint="measure into another file with --output"))


def settings_in(records: Sequence[Record], path: str) -> dict[str, Any]:
    """Return the command of a journal and the settings of its measurement, by the names of a request.

    Raises:
        SpecError: if there is no journal.
    """
    plan = plan_in(records)
    if plan is None:
        raise SpecError(f"{path} has no command yet", hint="write --command '…'")
    deviation = plan.get("max_deviation")
    batch = plan.get("batch")
    settings = {
        "command": plan["command"],
        "properties": tuple(plan["properties"]),
        "cwd": plan["folder"],
        "env": tuple(f"{name}={value}" for name, value in plan["environment"].items()),
        "timeout": plan["timeout"],
        "batch": batch == [],
        "batch_by": tuple(batch or ()),
        "contexts": {
            name: value if isinstance(value, str) else tuple(value.values())
            for name, value in plan.get("contexts", {}).items()
        },
        "repeat": plan["repeat"],
        "warmup": plan["warmup"],
        "order": plan["order"],
        "seed": plan["seed"],
        "max_deviation": deviation,
    }
    return settings if deviation is None else {**settings, "max_repeat": plan["max_repeat"]}
