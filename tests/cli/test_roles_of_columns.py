"""Tables with values of failed runs, and with repetitions that are no options; sessions have the rest of the roles."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Run

GRID = list(itertools.product((1, 2, 4, 8), (1, 2, 3, 4), (16, 32, 64)))


def write(header: str, cells: Sequence[Sequence[object]]) -> None:
    """Write the table of the current folder."""
    Path("table.csv").write_text("\n".join([header, *(",".join(map(str, row)) for row in cells)]) + "\n")


def times(seed: int = 0) -> list[float]:
    """Return a time of each configuration of the grid."""
    noise = np.random.default_rng(seed).normal(0, 0.1, len(GRID))
    return [round(float(10 + 2 * a + 3 * b * c + add), 3) for (a, b, c), add in zip(GRID, noise, strict=True)]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an empty folder be the current one."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("repeated", [3, *(pytest.param(each, marks=pytest.mark.slow) for each in (2, 5))])
def test_repetitions(run: Run, repeated: int) -> None:
    """Repetitions are no averaged options: results differ in them, at random, or not at all."""
    rng = np.random.default_rng(repeated)
    cells = [
        (a, b, c, time + round(float(rng.normal()), 4), rng.integers(3, 7), round(float(rng.normal()), 3), 2 * a, 7)
        for (a, b, c), time in zip(GRID, times(), strict=True)
        for _ in range(repeated)
    ]
    write("a,b,c,time,faults,load,messages,levels", cells)
    done = run("learn", "--measurements", "table.csv", "--property", "time", "--learner", "stepwise")
    assert (done.exit_code, "averaged" in done.stderr) == (0, False)


@pytest.mark.parametrize(
    ("wrong", "asked"),
    [
        # Zeros and -1 among run times, a repeated value of the other sign, and round ones far beyond all others.
        *(((-1, 0, 0, -1), True), ((1e9, 1e9), True), ((99999, -1), True), ((-2.137, -2.137), True)),
        ((2147483647,), True),
        # Values that differ are results.
        *(((-0.5, -2.25), False), ((-1, -2, -3), False), ((), False)),
    ],
)
@pytest.mark.parametrize("sign", [1, -1])
def test_failed_runs(run: Run, wrong: tuple[float, ...], asked: bool, sign: int) -> None:
    """Values that seem to be of failed runs are asked about once, with their lines; scores may be negative."""
    values = [sign * time for time in (*times(), *times(1))]
    for at, value in enumerate(wrong):
        values[10 * at + 3] = sign * value
    write("a,b,c,time", [(*row, value) for row, value in zip([*GRID, *GRID], values, strict=True)])
    commands = (("describe",), ("learn", "--measurements"), ("convert", "-o", "x.xml"))
    lines = ", ".join(str(10 * at + 5) for at in range(len(wrong)))
    said = f"{len(wrong)} of 96 values of time are unlike the others (line{'s' * (len(wrong) > 1)} {lines})"
    for command in commands if wrong == (-1, 0, 0, -1) and sign == 1 else commands[:1]:
        shown = run(*command, "table.csv").stderr
        assert (said in shown, shown.count("unlike the others")) == (asked, int(asked)), shown
