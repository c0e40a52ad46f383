"""The results of runs, by configuration and repetition, and their records in a journal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import islice
from typing import Any

from splc.measuring.execution import RunResult
from splc.measuring.journal import Record

# After this number of failures for the same reason, the command itself is probably wrong.
FIRST = 3
_NUMBER = re.compile(r"\d+(\.\d+)?")
# A configuration (its row) and a repetition; negative ones are warm-ups.
Run = tuple[int, int]


@dataclass
class RunResults:
    """The results so far; a later result of a run replaces an earlier one.

    Attributes:
        properties: the names of the properties.
        results: run → its result.
    """

    properties: Sequence[str]
    results: dict[Run, RunResult] = field(default_factory=dict)
    _rows: dict[int, dict[int, RunResult]] = field(default_factory=dict)

    def add(self, run: Run, result: RunResult) -> None:
        """Add the result of a run."""
        self.results[run] = result
        row, repetition = run
        if repetition >= 0:
            self._rows.setdefault(row, {})[repetition] = result

    def include(self, records: Iterable[Record]) -> None:
        """Add the results in the records of a journal."""
        for record in records:
            if record.get("kind") == "run":
                self.add((record["row"], record["repetition"]), result_of(record))

    def forget(self, run: Run) -> None:
        """Remove a result, so that the run is repeated."""
        del self.results[run]
        self._rows.get(run[0], {}).pop(run[1], None)

    def of(self, row: int) -> list[tuple[int, RunResult]]:
        """Return the repetitions of a configuration with their results, in order."""
        return sorted(self._rows.get(row, {}).items())

    def first_values(self, row: int, below: int | None = None) -> list[float]:
        """Return the values of the first property of a configuration, of successful runs, in order of repetition."""
        name = self.properties[0]
        return [
            result.values[name]
            for repetition, result in self.of(row)
            if result.reason is None and (below is None or repetition < below)
        ]

    @property
    def failed(self) -> list[Run]:
        """The repetitions that failed, by configuration; failed warm-ups are not among them."""
        return sorted(run for run, result in self.results.items() if result.reason is not None and run[1] >= 0)

    def mean_seconds(self) -> float | None:
        """Return the mean duration of a run so far, None before the first."""
        durations = [result.seconds for result in self.results.values()]
        return sum(durations) / len(durations) if durations else None


def common_failure(recorded: RunResults) -> str | None:
    """Return why the first runs failed, if none succeeded and all of them failed for the same reason, else None.

    Reasons that differ in numbers only are the same.
    """
    results = recorded.results.values()
    reasons = [result.reason for result in islice(results, FIRST)]
    normalized_reasons = {None if reason is None else _NUMBER.sub("0", reason) for reason in reasons}
    if len(reasons) < FIRST or len(normalized_reasons) > 1 or any(result.reason is None for result in results):
        return None
    return reasons[0]


def record_of(run: Run, assignment: Mapping[str, float | None], result: RunResult, **more: Any) -> dict[str, Any]:
    """Return the journal's record of a run."""
    record: dict[str, Any] = {
        "kind": "run",
        "row": run[0],
        "repetition": run[1],
        "configuration": dict(assignment),
        "status": "ok" if result.reason is None else "failed",
        "values": dict(result.values),
        "seconds": result.seconds,
        "started": result.started,
        "load": result.load,
        "exit_code": result.exit_code,
        **more,
    }
    if result.reason is not None:
        record |= {"reason": result.reason, "stdout": result.stdout, "stderr": result.stderr}
    return record


def result_of(record: Record) -> RunResult:
    """Return the result in a journal's record of a run."""
    return RunResult(**{entry.name: record[entry.name] for entry in fields(RunResult) if entry.name in record})
