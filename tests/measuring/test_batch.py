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


def test_rows_by_standard_input(program: Program) -> None:
    """Each process reads its configurations and has a value for each row that it prints."""
    recorder = measured(setup(program(reading("pass")) + " {p}"))
    assert recorder.values == EXPECTED
    assert [end["rows"] for end in recorder.ends] == [3, 3, 3]


def test_rows_by_file(program: Program) -> None:
    """A command may be told the name of a file, and print rows in any order, with any names in between."""
    code = """
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
print("t;p;n")
for row in reversed(rows): print(f"{row['p']}.{row['n']};{row['p']};{float(row['n'])}")
"""
    recorder = measured(setup(program(code) + " {configurations}", ()))
    assert recorder.values == EXPECTED
    assert len(recorder.ends) == 1


def test_a_crash(program: Program) -> None:
    """If a process crashes, the configuration in progress has failed, and the others are measured."""
    crash = 'if (p, n) == ("2", "2"): os.kill(os.getpid(), signal.SIGKILL)'
    recorder = measured(setup(program(reading(crash)) + " {p}"))
    assert recorder.values == {**EXPECTED, (4, 0): "ended by SIGKILL"}
    assert len(recorder.runs) == len(EXPECTED)


def test_seconds_without_a_row(program: Program) -> None:
    """The seconds of a run without a row begin with its process."""
    before = time.perf_counter()
    recorder = measured(setup(program("import sys, time; time.sleep(0.05); sys.exit(3)"), ()), [(0, 0)])
    [(_, result)] = recorder.runs
    assert 0.05 < result.seconds < time.perf_counter() - before


def test_a_hang(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a process hangs, earlier rows are kept, and the configuration has the whole time limit."""
    monkeypatch.setattr(runner, "GRACE_SECONDS", 0.05)
    hang = 'if (p, n) == ("2", "3"): time.sleep(1000)'
    recorder = measured(setup(program(reading(hang)) + " {p}", timeout=0.7))
    assert recorder.values == {**EXPECTED, (5, 0): "stopped after the time limit of 0.7 s"}
    # The first process with p = 2 has two rows and runs out of time, the second has none.
    assert [end["rows"] for end in recorder.ends] == [3, 2, 0, 3]


def test_a_slow_batch(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch that makes progress loses nothing by its time limit."""
    monkeypatch.setattr(runner, "GRACE_SECONDS", 0.05)
    slow = 'if p == "1" and row is not rows[0]: time.sleep(1000)'
    recorder = measured(setup(program(reading(slow)) + " {p}", timeout=0.7))
    assert recorder.values == EXPECTED
    assert [end["rows"] for end in recorder.ends] == [1, 1, 1, 3, 3]


def test_processes_that_fail_now_and_then(program: Program) -> None:
    """Processes that end before their first row end the batch only if they follow each other."""
    code = """
import csv, sys
print("p,n,t", flush=True)
for number, row in enumerate(csv.DictReader(sys.stdin)):
    if number:
        sys.exit("ended")
    if (int(row["p"]) + int(row["n"])) % 2:
        sys.exit("odd")
    print(row["p"], row["n"], row["p"] + "." + row["n"], sep=",", flush=True)
"""
    odd = {(row, 0): "exit code 1: odd" for row in (1, 3, 5, 7)}
    assert measured(setup(program(code), by=())).values == EXPECTED | odd


def test_seconds_of_rows(program: Program) -> None:
    """The seconds of a row begin with the row before it, so that their sum is at most the duration."""
    before = time.perf_counter()
    found = measured(setup(program(reading("time.sleep(0.05)")) + " {p}"))
    duration = time.perf_counter() - before
    seconds = [result.seconds for _, result in found.runs]
    assert 9 * 0.05 < sum(seconds) < duration


def test_a_command_that_always_fails(program: Program) -> None:
    """After a few processes without a row the others are not tried, and everything has a reason."""
    recorder = measured(setup(program("import sys; sys.exit(3)"), ()))
    reasons = list(recorder.values.values())
    assert len(reasons) == len(ALL)
    assert reasons[:3] == ["exit code 3"] * 3
    assert all("not reached" in str(reason) for reason in reasons[3:])
    assert len(recorder.ends) == 3


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('if n == "2": continue', "no row for it"),
        ('if n == "2": print("2,nan,x"); continue', "t is 'nan', not a finite number"),
        ('if n == "2": print("2,3"); continue', "no row for it"),
        ('if n == "2": print("7,3,x"); continue', "no row for it"),
    ],
)
def test_rows_that_are_missing_or_wrong(program: Program, line: str, reason: str) -> None:
    """A configuration without a row, or without a number in it, has failed; the others are measured."""
    values = measured(setup(program(reading(line)) + " {p}")).values
    assert len(values) == len(ALL)
    for run, value in EXPECTED.items():
        if run[0] % 3 == 1:
            assert reason in str(values[run])
        else:
            assert values[run] == value


def test_lines_that_are_no_rows(program: Program) -> None:
    """Lines with other numbers of columns are counted; a row without a value is kept with its run."""
    line = "print('1,2'); print(); print('a,b,c,d')\n    if n == '2': print('2,x,y'); continue"
    recorder = measured(setup(program(reading(line)) + " {p}"))
    assert [end["stray"] for end in recorder.ends] == [6, 6, 6]
    printed = {run: result.stdout for run, result in recorder.runs}
    assert printed == {run: "2,x,y" if run[0] % 3 == 1 else "" for run in EXPECTED}


def test_other_spellings_of_options() -> None:
    """The table may have the names that SPL Conqueror gives to options."""
    system = VariabilityModel("s", (NumericOption("block-size", (1.0, 2.0)),))
    every = Configurations(system, np.arange(2)[:, None])
    command = bind(parse_template("printf 'blocksize,t\\n1,5\\n2,6\\n'", system, (CONFIGURATIONS,)), every)
    recorder = Recorder()
    made = Setup(command, every, parse_properties(["t"], system.names, batch=True), Plan(), batch=())
    run_batches(made, [(0, 0), (1, 0)], recorder, lambda: False)
    assert recorder.values == {(0, 0): 5.0, (1, 0): 6.0}


def test_rows_again(program: Program) -> None:
    """A row for what is measured already is counted and not used."""
    recorder = measured(setup(program(reading('print(n + ",9,x")')) + " {p}"))
    assert set(recorder.values.values()) == {9.0}
    assert [end["stray"] for end in recorder.ends] == [3, 3, 3]


def test_tables_that_do_not_say_what_is_measured(program: Program) -> None:
    """A table without the columns of properties, or of options that differ, is a failure of all."""
    values = measured(setup(program("print('n,p'); print('1,1')"), ())).values
    assert set(values.values()) == {"the batch command printed no table with t"}
    values = measured(setup(program("print('p,t'); print('1,1')"), ())).values
    assert set(values.values()) == {"the table of the batch command has no column for n"}


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
