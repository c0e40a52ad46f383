"""Measurements whose first runs fail, and numbers of runs that are too large to do."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from splc.measuring.journal import read_journal
from tests.cli.conftest import Run

Refused = Callable[..., str]
MEASURE = ("measure", "--sampling", "all+ff", "--property", r"t=regex:(\d)", "--command")
BATCH = ("measure", "--sampling", "all+ff", "--property", "t", "--command")


def program(code: str) -> str:
    """Return a command that runs Python code with the value of an option."""
    return f"{sys.executable} -ISc {shlex.quote(code)} {{x}}"


BROKEN = program("raise SystemExit('no such library')")
GOOD = program("import sys; print(sys.argv[1])")


def runs_in(journal: str) -> int:
    """Return the number of recorded runs."""
    return sum(record["kind"] == "run" for record in read_journal(journal))


def test_a_wrong_command(run: Run, empty: Path) -> None:
    """After three failures for one reason the measurement stops with exit code 1, and says how to go on."""
    done = run(*MEASURE, BROKEN, "--json")
    assert (done.exit_code, runs_in("measurements.journal")) == (1, 3)
    assert "no such library; --resume --keep-going does the other 6 runs" in done.stderr
    assert json.loads(done.stdout)["stopped"] == "exit code 1: no such library"
    assert run(*MEASURE, BROKEN, "--resume").exit_code == 1
    assert runs_in("measurements.journal") == 3
    assert run(*MEASURE, BROKEN, "--resume", "--keep-going").exit_code == 1
    assert runs_in("measurements.journal") == 9


@pytest.mark.parametrize("batch", [(), ("--batch",)], ids=["runs", "batch"])
def test_the_next_try(run: Run, refused: Refused, empty: Path, batch: tuple[str, ...]) -> None:
    """The corrected command runs without --resume, since no run had succeeded; successful runs are not replaced."""
    broken = program("raise SystemExit(3)").removesuffix(" {x}") if batch else BROKEN
    assert run(*(BATCH if batch else MEASURE), broken, *batch).exit_code == 1
    assert runs_in("measurements.journal") == 3
    done = run(*MEASURE, GOOD)
    assert (done.exit_code, runs_in("measurements.journal")) == (0, 9)
    assert "measurements.journal has no successful run: this measurement begins anew" in done.stderr
    assert not (empty / "measurements.failures.csv").exists()
    assert "exists already" in refused(*MEASURE, GOOD)
    assert "exists already" in refused(*MEASURE, BROKEN)


@pytest.mark.parametrize("seconds", ["5e9", "1e308", "1e12"])
def test_long_time_limits(run: Run, empty: Path, seconds: str) -> None:
    """A time limit of centuries is none."""
    assert run(*MEASURE, GOOD, "--timeout", seconds).exit_code == 0


@pytest.mark.parametrize("order", ["repetition", "random"])
@pytest.mark.parametrize("batch", [(), ("--batch-by", "x")], ids=["runs", "batch"])
def test_huge_plans(run: Run, empty: Path, order: str, batch: tuple[str, ...]) -> None:
    """A dry run of a billion repetitions takes no time, and counts exactly."""
    many = ("--repeat", "1000000000", "--warmup", "1000000000", "--order", order)
    found = json.loads(run(*(BATCH if batch else MEASURE), GOOD, *many, *batch, "--dry-run", "--json").stdout)
    assert (found["runs"], found["left"], found["recorded"]) == (18 * 10**9, 18 * 10**9, 0)
    assert len(found["commands"]) == (3 if batch else 9)
