"""The journal of `splc measure` (`splc.measuring.journal`): one JSON object per line."""

from __future__ import annotations

from typing import Any

from splc.errors import InputError, Problem, plural
from splc.formats.benchmarks.objects import entry
from splc.formats.benchmarks.table import MeasuredRun, TableSource, table_of
from splc.io.files import Source
from splc.io.json import parse_json


def read(source: Source) -> TableSource:
    """Read the successful runs of a journal: options, properties, and the contexts of the measurement.

    Runs are in the order of the configurations. A later result of a run replaces an earlier one.

    Raises:
        InputError: if a record is damaged, or no run succeeded.
    """
    contexts: dict[str, Any] = {}
    runs: dict[tuple[int, int], dict[str, Any]] = {}
    lines = source.text().split("\n")
    for number, line in enumerate(lines, 1):
        # A record that a crash left incomplete is the last piece, without a line end.
        if number == len(lines) or not line.strip():
            continue
        record = _record(line, number, source)
        if record.get("kind") == "plan":
            contexts = record.get("contexts") or {}
        elif record.get("kind") == "run":
            row, repetition = (int(entry(record, name, float, source)) for name in ("row", "repetition"))
            runs[row, repetition] = record
    repetitions = [record for (_, repetition), record in sorted(runs.items()) if repetition >= 0]
    measured = [
        MeasuredRun(entry(record, "configuration", dict, source), entry(record, "values", dict, source), contexts)
        for record in repetitions
        if record.get("status") == "ok"
    ]
    failed = len(repetitions) - len(measured)
    notes = (f"{plural(failed, 'failed run is', 'failed runs are')} left out",) if failed else ()
    if not measured:
        raise InputError(Problem("no run in this journal succeeded", source.name))
    return table_of(source, measured, notes=notes)


def _record(line: str, number: int, source: Source) -> dict[str, Any]:
    """Return the record of a line."""
    try:
        record = parse_json(line)
    except InputError:
        record = None
    if not isinstance(record, dict):
        hint = "it was changed or damaged after it was written; restore it"
        raise InputError(Problem("this record of the journal is damaged", source.name, number, hint=hint))
    return record
