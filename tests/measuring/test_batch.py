"""Batch commands: one process measures many configurations."""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import pytest

from splc.errors import MachineError
from splc.measuring import runner
from splc.measuring.execution import Run
from splc.measuring.session import batches, run_batches
from splc.measuring.setup import Setup
from tests.measuring.conftest import Program, Recorder, first_runs, grid, measurement
from tests.support.golden_messages import Lines, check_calls
from tests.support.programs import file_size_limit

ALL = grid(3, "p", "n")
# Does something (the line in braces) before it prints a row.
READING = """
import csv, os, signal, sys, time
p = sys.argv[1]
rows = list(csv.DictReader(sys.stdin))
assert all(row["p"] == p for row in rows)
print("hello")
print("n,t,what", flush=True)
for row in rows:
    n = row["n"]
    {}
    print(f"{n},{p}.{n},x", flush=True)
"""
FILE = """
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
print("t;p;n")
for row in reversed(rows): print(f"{row['p']}.{row['n']};{row['p']};{float(row['n'])}")
"""
# Processes that end before their first row end the batch only if they follow each other.
NOW_AND_THEN = """
import csv, sys
print("p,n,t", flush=True)
for number, row in enumerate(csv.DictReader(sys.stdin)):
    if number:
        sys.exit("ended")
    if (int(row["p"]) + int(row["n"])) % 2:
        sys.exit("odd")
    print(row["p"], row["n"], row["p"] + "." + row["n"], sep=",", flush=True)
"""


def setup(command: str, **settings: Any) -> Setup:
    """Return a batch measurement of all configurations, by `p` if the command has it."""
    return measurement(ALL, command, "t", batch=("p",) if "{p}" in command else (), **settings)


def measured(made: Setup, runs: Sequence[Run] = ()) -> Recorder:
    """Run all configurations once, or some runs."""
    recorder = Recorder()
    run_batches(made, runs or first_runs(made), recorder, lambda: False, on_end=recorder.ends.append)
    return recorder


@pytest.mark.parametrize("name", ["batches", "time-limits-of-batches"])
def test_rows(name: str, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process reads its configurations and has a value for each row that it prints, or a reason."""
    monkeypatch.setattr(runner, "GRACE_SECONDS", 0.05)

    def shown(made: Setup) -> Lines:
        recorder, failed = measured(made), defaultdict[str, list[str]](list)
        found = sorted(recorder.results.items())
        for (row, _), result in found:
            if result.reason:
                failed[f"{result.reason}, {result.stdout!r}"].append(f"{row + 1}")
        values = " ".join(str(result.values.get("t", "-")) for _, result in found)
        counts = (" + ".join(str(end[key]) for end in recorder.ends) for key in ("rows", "stray"))
        texts = [f"{' '.join(rows)}: {text}" for text, rows in failed.items()]
        return Lines("\n".join([values, *texts, "{} rows, {} other lines".format(*counts)]))

    def printing(code: str, arguments: str = "", **more: Any) -> Lines:
        return shown(setup(program(code) + arguments, **more))

    def reading(action: str, **more: Any) -> Lines:
        return printing(READING.replace("{}", action), " {p}", **more)

    def spelled(command: str) -> Lines:
        return shown(measurement(grid(2, "block-size"), command, "t", batch=()))

    check_calls(name, printing, reading, spelled, FILE=FILE, NOW_AND_THEN=NOW_AND_THEN)


def test_groups() -> None:
    """A batch has one repetition and agrees in its options; the order of the runs is kept."""
    runs = [(row, repetition) for repetition in (0, 1) for row in (8, 0, 7, 1)]
    groups = [[(row, at), (row + step, at)] for at in (0, 1) for row, step in ((8, -1), (0, 1))]
    assert batches(setup("run {p}"), runs) == groups
    assert [len(batch) for batch in batches(setup("run"), runs)] == [4, 4]


def test_seconds(program: Program) -> None:
    """The seconds of a row begin with the row before it, those of a run without a row with its process."""
    for code, runs in ((READING.replace("{}", "time.sleep(0.05)"), 9), ("import time; time.sleep(0.05); exit(3)", 1)):
        before = time.perf_counter()
        found = measured(setup(program(code) + " {p}"), [] if runs == 9 else [(0, 0)]).results
        assert runs * 0.05 < sum(result.seconds for result in found.values()) < time.perf_counter() - before


def test_stopping(program: Program) -> None:
    """Asked to stop, a batch ends after the row in flight."""
    recorder = Recorder()
    made = setup(program(READING.replace("{}", "pass")) + " {p}")
    run_batches(made, first_runs(made), recorder, lambda: len(recorder.results) >= 4)
    assert len(recorder.results) == 4


def test_a_full_disk(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """No run fails if the file of configurations cannot be written; without a file a batch needs no disk."""
    monkeypatch.setattr(tempfile, "tempdir", None)
    command = program(READING.replace("{}", "pass")) + " {p}"
    with file_size_limit(0):
        with pytest.raises(MachineError, match="cannot do any run"):
            measured(setup(command + " {configurations}"))
        assert list(measured(setup(command)).values.values()) == [1.1, 1.2, 1.3, 2.1, 2.2, 2.3, 3.1, 3.2, 3.3]
