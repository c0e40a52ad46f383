"""Batch commands: one process measures many configurations."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from typing import Any

import pytest

from splc.errors import MachineError
from splc.measuring import runner
from splc.measuring.batch import batches, run_batches
from splc.measuring.execution import Run
from splc.measuring.setup import Setup
from tests.measuring.conftest import Program, Recorder, first_runs, grid, measurement
from tests.support.file_size import file_size_limit

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
EXPECTED: dict[Run, Any] = {(3 * p + n - 4, 0): p + n / 10 for p in (1, 2, 3) for n in (1, 2, 3)}
SECOND = [(row, 0) for row in (1, 4, 7)]
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


@pytest.mark.parametrize(
    ("code", "arguments", "changed", "rows"),
    [
        (READING.replace("{}", "pass"), " {p}", {}, [3, 3, 3]),
        # A command may be told the name of a file, and print rows in any order, with any names in between.
        (FILE, " {configurations}", {}, [9]),
        # If a process crashes, the configuration in progress has failed, and the others are measured.
        (
            READING.replace("{}", 'if (p, n) == ("2", "2"): os.kill(os.getpid(), signal.SIGKILL)'),
            *(" {p}", {(4, 0): "ended by SIGKILL"}, [3, 1, 0, 1, 3]),
        ),
        (NOW_AND_THEN, "", {(row, 0): "exit code 1: odd" for row in (1, 3, 5, 7)}, None),
        # Configurations without a row, or without a number in it, have failed; the others are measured.
        *(
            (READING.replace("{}", f'if n == "2": {action}; continue'), " {p}", dict.fromkeys(SECOND, reason), None)
            for action, reason in (
                *(("pass", "no row for it"), ('print("2,nan,x")', "t is 'nan', not")),
                *(('print("2,3")', "no row for it"), ('print("7,3,x")', "no row for it")),
            )
        ),
        # After a few processes without a row the others are not tried.
        (
            "import sys; sys.exit(3)",
            *("", {(row, 0): "exit code 3" if row < 3 else "not reached" for row in range(9)}, [0, 0, 0]),
        ),
        # A table without the columns of properties, or of options that differ, is a failure of all.
        ("print('n,p'); print('1,1')", "", dict.fromkeys(EXPECTED, "printed no table with t"), [0]),
        ("print('p,t'); print('1,1')", "", dict.fromkeys(EXPECTED, "has no column for n"), [0]),
    ],
)
def test_rows(program: Program, code: str, arguments: str, changed: dict[Run, str], rows: list[int] | None) -> None:
    """Each process reads its configurations and has a value for each row that it prints, or a reason."""
    recorder = measured(setup(program(code) + arguments))
    assert recorder.values.keys() == EXPECTED.keys()
    for run, value in recorder.values.items():
        assert changed[run] in str(value) if run in changed else value == EXPECTED[run]
    assert rows is None or [end["rows"] for end in recorder.ends] == rows


def test_groups() -> None:
    """A batch has one repetition and agrees in its options; the order of the runs is kept."""
    runs = [(row, repetition) for repetition in (0, 1) for row in (8, 0, 7, 1)]
    groups = [[(row, at), (row + step, at)] for at in (0, 1) for row, step in ((8, -1), (0, 1))]
    assert batches(setup("run {p}"), runs) == groups
    assert [len(batch) for batch in batches(setup("run"), runs)] == [4, 4]


@pytest.mark.parametrize(
    ("line", "changed", "rows"),
    [
        # The first process with p = 2 has two rows and runs out of time, the second has none.
        ('if (p, n) == ("2", "3"): time.sleep(1000)', {(5, 0): "stopped after the time limit of 0.7 s"}, [3, 2, 0, 3]),
        # A batch that makes progress loses nothing by its time limit.
        ('if p == "1" and row is not rows[0]: time.sleep(1000)', {}, [1, 1, 1, 3, 3]),
    ],
)
def test_time_limits(
    program: Program, monkeypatch: pytest.MonkeyPatch, line: str, changed: dict[Run, Any], rows: list[int]
) -> None:
    """If a process hangs, earlier rows are kept, and the configuration has the whole time limit."""
    monkeypatch.setattr(runner, "GRACE_SECONDS", 0.05)
    recorder = measured(setup(program(READING.replace("{}", line)) + " {p}", timeout=0.7))
    assert recorder.values == {**EXPECTED, **changed}
    assert [end["rows"] for end in recorder.ends] == rows


def test_seconds(program: Program) -> None:
    """The seconds of a row begin with the row before it, those of a run without a row with its process."""
    for code, runs in ((READING.replace("{}", "time.sleep(0.05)"), 9), ("import time; time.sleep(0.05); exit(3)", 1)):
        before = time.perf_counter()
        found = measured(setup(program(code) + " {p}"), [] if runs == 9 else [(0, 0)]).results
        assert runs * 0.05 < sum(result.seconds for result in found.values()) < time.perf_counter() - before


def test_lines_that_are_no_rows(program: Program) -> None:
    """Lines with other numbers of columns, and second rows, are counted; a row without a value is kept with its run."""
    line = "print('1,2'); print(); print('a,b,c,d')\n    if n == '2': print('2,x,y'); continue"
    recorder = measured(setup(program(READING.replace("{}", line)) + " {p}"))
    assert [end["stray"] for end in recorder.ends] == [6, 6, 6]
    printed = {run: result.stdout for run, result in recorder.results.items()}
    assert printed == {run: "2,x,y" if run in SECOND else "" for run in EXPECTED}
    again = measured(setup(program(READING.replace("{}", 'print(n + ",9,x")')) + " {p}"))
    assert set(again.values.values()) == {9.0}
    assert [end["stray"] for end in again.ends] == [3, 3, 3]


def test_other_spellings_of_options() -> None:
    """The table may have the names that SPL Conqueror gives to options."""
    made = measurement(grid(2, "block-size"), "printf 'blocksize,t\\n1,5\\n2,6\\n'", "t", batch=())
    assert measured(made).values == {(0, 0): 5.0, (1, 0): 6.0}


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
        assert measured(setup(command)).values == EXPECTED
