"""Batch commands: one process measures many configurations."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from splc.data.configurations import Configurations
from splc.errors import MachineError
from splc.measuring import runner
from splc.measuring.batch import CONFIGURATIONS, batches, run_batches
from splc.measuring.command import bind, parse_template
from splc.measuring.execution import Run, RunResult
from splc.measuring.plan import Plan
from splc.measuring.properties import parse_properties
from splc.measuring.setup import Setup, require_batchable
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from tests.measuring.conftest import Program
from tests.support.file_size import file_size_limit

MODEL = VariabilityModel("s", tuple(NumericOption(name, (1.0, 2.0, 3.0)) for name in ("p", "n")))
ALL = Configurations(MODEL, np.array([[p, n] for p in range(3) for n in range(3)]))
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


def reading(line: str) -> str:
    """Return a batch program that does something before it prints a row."""
    return READING.replace("{}", line)


class Recorder:
    """Keeps what is recorded, in order."""

    def __init__(self) -> None:
        self.runs: list[tuple[Run, RunResult]] = []
        self.ends: list[Mapping[str, Any]] = []

    def __call__(self, run: Run, result: RunResult, more: Mapping[str, Any]) -> None:
        """Keep a result."""
        self.runs.append((run, result))

    @property
    def values(self) -> dict[Run, float | str]:
        """The values of the runs, or the reason why there is none."""
        return {run: result.values["t"] if result.reason is None else result.reason for run, result in self.runs}


def setup(command: str, by: Sequence[str] = ("p",), timeout: float | None = None, text: str = "t") -> Setup:
    """Return a batch measurement of all configurations."""
    template = parse_template(command, MODEL, (CONFIGURATIONS,))
    require_batchable(by, template, MODEL)
    properties = parse_properties([text], MODEL.names, batch=True)
    return Setup(bind(template, ALL), ALL, properties, Plan(), timeout=timeout, batch=tuple(by))


def measured(made: Setup, runs: Sequence[Run] | None = None, stop: Callable[[], bool] = lambda: False) -> Recorder:
    """Run all configurations once."""
    recorder = Recorder()
    every = [(row, 0) for row in range(len(ALL))] if runs is None else runs
    run_batches(made, every, recorder, stop, on_end=recorder.ends.append)
    return recorder


EXPECTED = {(row, 0): p + n / 10 for row, (p, n) in enumerate((p, n) for p in (1, 2, 3) for n in (1, 2, 3))}
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


@pytest.mark.parametrize(
    ("code", "arguments", "changed", "rows"),
    [
        (reading("pass"), " {p}", {}, [3, 3, 3]),
        # A command may be told the name of a file, and print rows in any order, with any names in between.
        (FILE, " {configurations}", {}, [9]),
        # If a process crashes, the configuration in progress has failed, and the others are measured.
        (
            reading('if (p, n) == ("2", "2"): os.kill(os.getpid(), signal.SIGKILL)'),
            *(" {p}", {(4, 0): "ended by SIGKILL"}, [3, 1, 0, 1, 3]),
        ),
        (NOW_AND_THEN, "", {(row, 0): "exit code 1: odd" for row in (1, 3, 5, 7)}, None),
        # Configurations without a row, or without a number in it, have failed; the others are measured.
        (reading('if n == "2": continue'), " {p}", dict.fromkeys(SECOND, "no row for it"), None),
        (reading('if n == "2": print("2,nan,x"); continue'), " {p}", dict.fromkeys(SECOND, "t is 'nan', not"), None),
        (reading('if n == "2": print("2,3"); continue'), " {p}", dict.fromkeys(SECOND, "no row for it"), None),
        (reading('if n == "2": print("7,3,x"); continue'), " {p}", dict.fromkeys(SECOND, "no row for it"), None),
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
    recorder = measured(setup(program(code) + arguments, ("p",) if "{p}" in arguments else ()))
    assert len(recorder.runs) == len(EXPECTED) == len(recorder.values)
    for run, value in recorder.values.items():
        assert changed[run] in str(value) if run in changed else value == EXPECTED[run]
    assert rows is None or [end["rows"] for end in recorder.ends] == rows


def test_groups() -> None:
    """A batch has one repetition and agrees in its options; the order of the runs is kept."""
    runs = [(row, repetition) for repetition in (0, 1) for row in (8, 0, 7, 1)]
    assert batches(setup("run {p}"), runs) == [
        [(8, 0), (7, 0)],
        [(0, 0), (1, 0)],
        [(8, 1), (7, 1)],
        [(0, 1), (1, 1)],
    ]
    assert [len(batch) for batch in batches(setup("run", ()), runs)] == [4, 4]


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
    recorder = measured(setup(program(reading(line)) + " {p}", timeout=0.7))
    assert recorder.values == {**EXPECTED, **changed}
    assert [end["rows"] for end in recorder.ends] == rows


def test_seconds(program: Program) -> None:
    """The seconds of a row begin with the row before it, those of a run without a row with its process."""
    before = time.perf_counter()
    found = measured(setup(program(reading("time.sleep(0.05)")) + " {p}"))
    duration = time.perf_counter() - before
    assert 9 * 0.05 < sum(result.seconds for _, result in found.runs) < duration
    before = time.perf_counter()
    recorder = measured(setup(program("import sys, time; time.sleep(0.05); sys.exit(3)"), ()), [(0, 0)])
    assert 0.05 < recorder.runs[0][1].seconds < time.perf_counter() - before


def test_lines_that_are_no_rows(program: Program) -> None:
    """Lines with other numbers of columns, and second rows, are counted; a row without a value is kept with its run."""
    line = "print('1,2'); print(); print('a,b,c,d')\n    if n == '2': print('2,x,y'); continue"
    recorder = measured(setup(program(reading(line)) + " {p}"))
    assert [end["stray"] for end in recorder.ends] == [6, 6, 6]
    printed = {run: result.stdout for run, result in recorder.runs}
    assert printed == {run: "2,x,y" if run[0] % 3 == 1 else "" for run in EXPECTED}
    again = measured(setup(program(reading('print(n + ",9,x")')) + " {p}"))
    assert set(again.values.values()) == {9.0}
    assert [end["stray"] for end in again.ends] == [3, 3, 3]


def test_other_spellings_of_options() -> None:
    """The table may have the names that SPL Conqueror gives to options."""
    system = VariabilityModel("s", (NumericOption("block-size", (1.0, 2.0)),))
    every = Configurations(system, np.arange(2)[:, None])
    command = bind(parse_template("printf 'blocksize,t\\n1,5\\n2,6\\n'", system, (CONFIGURATIONS,)), every)
    recorder = Recorder()
    made = Setup(command, every, parse_properties(["t"], system.names, batch=True), Plan(), batch=())
    run_batches(made, [(0, 0), (1, 0)], recorder, lambda: False)
    assert recorder.values == {(0, 0): 5.0, (1, 0): 6.0}


def test_stopping(program: Program) -> None:
    """Asked to stop, a batch ends after the row in flight."""
    recorder = Recorder()
    made = setup(program(reading("pass")) + " {p}")
    every = [(row, 0) for row in range(len(ALL))]
    run_batches(made, every, recorder, lambda: len(recorder.runs) >= 4)
    assert len(recorder.runs) == 4


def test_a_full_disk(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """No run fails if the file of configurations cannot be written; without a file a batch needs no disk."""
    monkeypatch.setattr(tempfile, "tempdir", None)
    recorder = Recorder()
    made = setup(program(reading("pass")) + " {p} {configurations}")
    with file_size_limit(0), pytest.raises(MachineError, match="cannot do any run"):
        run_batches(made, [(0, 0)], recorder, lambda: False)
    assert recorder.runs == []
    made = setup(program(reading("pass")) + " {p}")
    with file_size_limit(0):
        assert measured(made).values == EXPECTED
