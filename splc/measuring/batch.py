"""Batch commands: one process measures many configurations and prints a row of CSV for each as it is done.

The process reads the configurations as CSV on standard input, or from the file that the placeholder {configurations}
names. Of its output the first line with all columns of properties is the header; its columns of options must
distinguish the configurations of the batch.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from splc.data.configurations import option_column
from splc.errors import listed
from splc.formats.measurements.csv import option_texts
from splc.formats.table import table_text
from splc.io.csv_rows import SEPARATORS, split_line
from splc.measuring.execution import KEPT, Run, RunResult, failure, load_average, now
from splc.measuring.machine import machine_errors
from splc.measuring.properties import finite_values
from splc.measuring.runner import Ended
from splc.measuring.setup import Setup

CONFIGURATIONS = "configurations"
# No further process is started after this number of consecutive ones that end before their first row.
FRUITLESS = 3
# A function that records a result in the journal, and returns when it is on disk.
Recorder = Callable[[Run, RunResult, Mapping[str, Any]], None]


class StopBatchError(Exception):
    """Raised to end a batch before its process ends."""


def batches(setup: Setup, runs: Sequence[Run]) -> list[list[Run]]:
    """Return the runs in groups of the same repetition and the same values of the options that a batch agrees in."""
    system = setup.configurations.system
    keys = setup.configurations.indices[:, [system.positions[name] for name in setup.batch or ()]].tolist()
    batches_by_key: dict[tuple[Any, ...], list[Run]] = {}
    for row, repetition in runs:
        batches_by_key.setdefault((repetition, *keys[row]), []).append((row, repetition))
    return list(batches_by_key.values())


def run_batches(
    setup: Setup,
    runs: Sequence[Run],
    record: Recorder,
    should_stop: Callable[[], bool],
    on_start: Callable[[int], None] | None = None,
    on_end: Callable[[Mapping[str, Any]], None] | None = None,
) -> None:
    """Run batches, and record every row as it arrives.

    If a process fails or exceeds the time limit after some rows, another one continues with the rest, so that the
    configuration at which it stopped has the whole time limit. If it fails before its first row, that configuration
    has failed. `on_start` is called with each process id, `on_end` with how each process ended.
    """
    for batch in batches(setup, runs):
        unmeasured, fruitless = list(batch), 0
        while unmeasured and not should_stop():
            reader = _BatchReader(setup, unmeasured, record, should_stop)
            ended = _process(setup, unmeasured, reader, on_start)
            if on_end is not None:
                on_end(reader.summary(ended))
            started_with, unmeasured = unmeasured, reader.unmeasured
            if reader.stopped or not unmeasured:
                break
            reason = reader.problem or failure(ended, setup.timeout)
            if reason is None:
                missing = "no row for it" if reader.header else f"no table with {listed(reader.columns)}"
                reason = f"the batch command printed {missing}"
            elif reader.problem is None and len(unmeasured) < len(started_with):
                fruitless = 0
                continue
            elif reader.problem is None:
                fruitless += 1
                record(unmeasured.pop(0), reader.failed(reason, ended), {})
                if fruitless < FRUITLESS or should_stop():
                    continue
                reason = f"not reached, since {FRUITLESS} consecutive processes ended before their first row; {reason}"
            for missed in unmeasured:
                record(missed, reader.failed(reason, ended), {})
            break


def _process(setup: Setup, runs: Sequence[Run], reader: _BatchReader, on_start: Callable[[int], None] | None) -> Ended:
    """Run one process over configurations."""
    rows = setup.configurations[[row for row, _ in runs]]
    text = table_text(rows.system.names, option_texts(rows))
    by_file = CONFIGURATIONS in setup.command.template.extras
    path = Path()
    with ExitStack() as stack:
        if by_file:
            with machine_errors():
                path = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="splc-")), "configurations.csv")
                path.write_text(text, encoding="utf-8")
        process = setup.process(runs[0], configurations=str(path))
        try:
            return process(on_start=on_start, on_line=reader.read, stdin=b"" if by_file else text.encode("utf-8"))
        except StopBatchError:
            return Ended(0)


@dataclass
class _BatchReader:
    """Parser of the rows that a batch process prints; it records them."""

    setup: Setup
    runs: Sequence[Run]
    record: Recorder
    should_stop: Callable[[], bool]
    header: list[str] = field(default_factory=list)
    separator: str = ","
    problem: str | None = None
    stopped: bool = False
    stray: int = 0

    def __post_init__(self) -> None:
        self.pending: dict[tuple[int, ...], Run] = {}
        self.unmeasured = list(self.runs)
        # The places of options in the system and in the table.
        self.options: list[tuple[int, int]] = []
        self.columns = [prop.argument for prop in self.setup.properties]
        self._begin_row()

    def _begin_row(self) -> None:
        self.since, self.started, self.load = time.perf_counter(), now(), load_average()

    def read(self, line: str) -> None:
        """Take a line of output."""
        if not self.header:
            self._read_header(line)
            return
        cells = split_line(line, self.separator)
        if len(cells) != len(self.header):
            self.stray += bool(line.strip())
            return
        options = self.setup.configurations.system.options
        # A value that an option does not have has a negative place.
        places = (option_column(options[position], [cells[place]], ".")[0][0] for position, place in self.options)
        if (run := self.pending.pop(tuple(map(int, places)), None)) is None:
            self.stray += 1
            return
        self.unmeasured.remove(run)
        values, reasons = finite_values(self.setup.properties, lambda prop: cells[self.header.index(prop.argument)])
        seconds, printed = time.perf_counter() - self.since, line[-KEPT:] if reasons else ""
        reason = "; ".join(reasons) or None
        self.record(run, RunResult(values, reason, None, seconds, self.load, self.started, printed), {})
        self._begin_row()
        if self.should_stop():
            self.stopped = True
            raise StopBatchError

    def _read_header(self, line: str) -> None:
        self.separator = max(SEPARATORS, key=line.count)
        cells = [cell.strip() for cell in split_line(line, self.separator)]
        if not set(self.columns) <= set(cells):
            return
        system = self.setup.configurations.system
        places = {system.spellings.get(cell, cell): place for place, cell in enumerate(cells)}
        self.options = [(system.positions[name], places[name]) for name in system.names if name in places]
        indices = self.setup.configurations.indices[[row for row, _ in self.runs]]
        keys = indices[:, [position for position, _ in self.options]].tolist()
        self.pending = {tuple(key): run for key, run in zip(keys, self.runs, strict=True)}
        if len(self.pending) < len(self.runs):
            differing = [
                name for name, column in zip(system.names, indices.T, strict=True) if len({*column.tolist()}) > 1
            ]
            missing = listed([name for name in differing if name not in places])
            self.problem = f"the table of the batch command has no column for {missing}"
            raise StopBatchError
        self.header = cells

    def failed(self, reason: str, ended: Ended) -> RunResult:
        """Return the result of a run without a row."""
        seconds = time.perf_counter() - self.since
        out, err = ended.stdout[-KEPT:], ended.stderr[-KEPT:]
        return RunResult({}, reason, ended.exit_code, seconds, self.load, self.started, out, err)

    def summary(self, ended: Ended) -> dict[str, Any]:
        """Return the journal's record of the process."""
        return {
            "kind": "batch",
            "rows": len(self.runs) - len(self.unmeasured),
            "configurations": len(self.runs),
            "stray": self.stray,
            "exit_code": ended.exit_code,
            "timed_out": ended.timed_out,
            "seconds": ended.seconds,
            "stderr": ended.stderr[-KEPT:],
        }
