"""The journal of `splc measure` (`splc.measuring.journal`): one JSON object per line."""

from __future__ import annotations

import csv
import io
from contextlib import suppress
from pathlib import Path
from typing import Any

from splc.errors import InputError, Problem, plural
from splc.formats.benchmarks.declaration import MeasuredRun, benchmark, check, table_of
from splc.formats.column_choice import StatedRoles
from splc.formats.table import TableSource
from splc.io.csv_rows import first_header
from splc.io.files import Source
from splc.io.json import parse_json

SUFFIX = ".journal"
_PLAN = b'{"kind":"plan"'


@benchmark("", rb'\{"kind":"plan",', b'"properties"')
def journal(source: Source) -> TableSource:
    """Read the successful runs of a journal, in the order of the configurations; the last result of a run counts."""
    contexts: dict[str, Any] = {}
    table: list[list[str]] = []
    runs: dict[tuple[int, int], dict[str, Any]] = {}
    # A record that a crash left incomplete is the last piece, without a line end.
    for number, line in enumerate(source.text().split("\n")[:-1], 1):
        if not line.strip():
            continue
        record = _record(line, number, source)
        if record.get("kind") == "plan":
            contexts = record.get("contexts") or {}
            table = _rows(record)
        elif record.get("kind") == "run":
            check(source, record, {"row": float, "repetition": float})
            runs[int(record["row"]), int(record["repetition"])] = record
    repetitions = [record for (_, repetition), record in sorted(runs.items()) if repetition >= 0]
    measured = [_run(record, table, contexts, source) for record in repetitions if record.get("status") == "ok"]
    failed = len(repetitions) - len(measured)
    notes = (f"{plural(failed, 'failed run is', 'failed runs are')} left out",) if failed else ()
    if not measured:
        raise InputError(Problem("no run in this journal succeeded", source.name))
    return table_of(source, measured, notes=notes)


def with_roles(source: Source) -> Source:
    """Return a table with the roles of its columns, if a readable journal of the same columns is beside it."""
    path = Path(source.name.removesuffix(".gz")).with_suffix(SUFFIX)
    if isinstance(source, TableSource) or not path.is_file() or not source.content.strip():
        return source
    plan, text = {}, ""
    with suppress(InputError, OSError):
        plan, text = _plan(path), source.text()
    roles = _roles(plan)
    columns = first_header(text)
    if roles is None or not {*roles.options, *roles.contexts, *roles.properties} <= {*columns}:
        return source
    notes = [f"the roles of its columns are those of {path}"]
    if "budget" in plan:
        notes.append("a search for the optimum chose its rows: errors are about rows like these, not about random ones")
    return TableSource(source.name, source.data, stated=roles, main=roles.properties[0], notes=tuple(notes))


def _plan(journal: Path) -> dict[str, Any]:
    """Return the latest description of the measurement in a journal, empty without any."""
    plan = b"{}"
    # All other lines, which may be many, are skipped without being decoded.
    with journal.open("rb") as file:
        for line in file:
            plan = line if line.startswith(_PLAN) else plan
    found = parse_json(Source(str(journal), plan).text())
    return found if isinstance(found, dict) else {}


def _roles(plan: dict[str, Any]) -> StatedRoles | None:
    """Return the roles of the columns of the table of a measurement, None if its description does not state them."""
    contexts = tuple(map(str, plan.get("contexts") or {}))
    columns, stated = plan.get("columns") or next(iter(_rows(plan)), []), plan.get("properties")
    options = [str(name) for name in columns if name not in contexts] if isinstance(columns, list) else []
    if not (options and isinstance(stated, list) and stated):
        return None
    return StatedRoles(tuple(options), contexts, tuple(str(text).partition("=")[0] for text in stated))


def _rows(plan: dict[str, Any]) -> list[list[str]]:
    """Return the table of the configurations of a measurement."""
    return list(csv.reader(io.StringIO(str(plan.get("table") or ""), newline="")))


def _run(record: dict[str, Any], table: list[list[str]], contexts: dict[str, Any], source: Source) -> MeasuredRun:
    """Return a run; contexts whose values were measured in turn are columns of the configurations."""
    row = int(record["row"])
    # The measurement writes them like this in a table.
    if len(table) > row + 1:
        options: dict[str, Any] = dict(zip(table[0], table[row + 1], strict=True))
    else:
        check(source, record, {"configuration": dict})
        options = dict(record["configuration"])
    values = {name: options.pop(name, None) if isinstance(value, dict) else value for name, value in contexts.items()}
    check(source, record, {"values": dict})
    return MeasuredRun(options, record["values"], values)


def _record(line: str, number: int, source: Source) -> dict[str, Any]:
    """Return the record of a line."""
    with suppress(InputError):
        record = parse_json(line)
        if isinstance(record, dict):
            return record
    hint = "it was changed or damaged after it was written; restore it"
    raise InputError(Problem("this record of the journal is damaged", source.name, number, hint=hint))
