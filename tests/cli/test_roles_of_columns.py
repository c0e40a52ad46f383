"""Commands on tables whose columns could have other roles: what is averaged, assumed or failed is said."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import SYSTEM, Run

GRID = list(itertools.product((1, 2, 4, 8), (1, 2, 3, 4), (16, 32, 64)))


def rows(header: str, cells: Sequence[Sequence[object]]) -> str:
    """Return a table as text."""
    return "\n".join([header, *(",".join(map(str, row)) for row in cells)]) + "\n"


def times(seed: int = 0) -> list[float]:
    """Return a time of each configuration of the grid."""
    noise = np.random.default_rng(seed).normal(0, 0.1, len(GRID))
    return [round(float(10 + 2 * a + 3 * b * c + add), 3) for (a, b, c), add in zip(GRID, noise, strict=True)]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def between(folder: Path) -> None:
    """Write a table with options on both sides of the property."""
    cells = [(a, time, b, c) for (a, b, c), time in zip(GRID, times(), strict=True)]
    (folder / "table.csv").write_text(rows("a,time,b,c", cells))


class TestAveragedRows:
    LEARN = ("learn", "--measurements", "table.csv", "--property", "time", "--learner", "stepwise")

    def test_options_on_both_sides(self, here: Path, run: Run) -> None:
        """Columns to the right of the property are options where the rows show that they were set."""
        between(here)
        done = run(*self.LEARN, "--json")
        assert (done.exit_code, "averaged" in done.stderr) == (0, False)
        assert json.loads(done.stdout)["learning_configurations"] == 48

    def test_options_that_are_averaged(self, here: Path, run: Run) -> None:
        """A model of averaged runs has exit code 1, and the warning names the columns in which they differ."""
        between(here)
        run("init", "table.csv", "--ignore", "b,c", "-o", "system.xml")
        done = run(*self.LEARN)
        assert done.exit_code == 1
        assert "4 of 48 rows are distinct configurations" in done.stderr
        assert "'b' and 'c'" in done.stderr or "'b', 'c'" in done.stderr

    def test_other_rows_of_a_configuration(self, here: Path, run: Run) -> None:
        """Rows that differ in a column that is no option are counted, and not every configuration is measured."""
        rng = np.random.default_rng(3)
        cells = [(a, b, time, rng.integers(1, 9)) for (a, b, _), time in zip(GRID, times(), strict=True)][:-5]
        (here / "table.csv").write_text(rows("a,b,time,worker", cells))
        done = run("learn", "table.csv", "--property", "time")
        assert "43 rows, 15 configurations: rows of one configuration differ in worker" in done.stderr
        assert "every configuration is measured" not in done.stdout + done.stderr

    @pytest.mark.parametrize("repeated", [3, *(pytest.param(each, marks=pytest.mark.slow) for each in (2, 5))])
    def test_repetitions(self, here: Path, run: Run, repeated: int) -> None:
        """Repetitions are no averaged options: results differ in them, at random, or not at all."""
        rng = np.random.default_rng(repeated)
        cells = [
            (a, b, c, time + round(float(rng.normal()), 4), rng.integers(3, 7), round(float(rng.normal()), 3), 2 * a, 7)
            for (a, b, c), time in zip(GRID, times(), strict=True)
            for _ in range(repeated)
        ]
        (here / "table.csv").write_text(rows("a,b,c,time,faults,load,messages,levels", cells))
        done = run(*self.LEARN)
        assert (done.exit_code, "averaged" in done.stderr) == (0, False)


class TestOtherDescriptions:
    @pytest.fixture
    def table(self, here: Path) -> Path:
        """Write a table beside a description of another system."""
        between(here)
        (here / "left.xml").write_text(SYSTEM)
        return here

    def test_the_cure(self, table: Path, run: Run) -> None:
        """A table that is named as the system has the effect of a folder without a description."""
        given = ("--options", "b,c", "--learner", "stepwise", "--json")
        one = json.loads(run("learn", "--system", "table.csv", *given).stdout)
        (table / "left.xml").unlink()
        two = json.loads(run("learn", "--measurements", "table.csv", *given).stdout)
        assert one["model"] == two["model"]

    def test_another_table(self, table: Path, run: Run) -> None:
        """The system of one table can be that of the measurements of another one."""
        lines = (table / "table.csv").read_text().splitlines(keepends=True)
        (table / "first.csv").write_text("".join(lines[:20]))
        arguments = ("--options", "b,c", "--json")
        done = run("learn", "--system", "table.csv", "--measurements", "first.csv", *arguments)
        assert json.loads(done.stdout)["learning_configurations"] == 19


class TestFailedRuns:
    def write(self, folder: Path, wrong: Sequence[float], name: str = "time") -> None:
        """Write a table of two repetitions with some wrong times."""
        values = [*times(), *times(1)]
        for at, value in enumerate(wrong):
            values[10 * at + 3] = value
        cells = [(*row, value) for row, value in zip([*GRID, *GRID], values, strict=True)]
        (folder / "table.csv").write_text(rows(f"a,b,c,{name}", cells))

    @pytest.mark.parametrize("command", [("learn", "--measurements"), ("describe",), ("convert", "-o", "x.xml")])
    def test_lines(self, here: Path, run: Run, command: tuple[str, ...]) -> None:
        """Zeros and -1 among run times are counted in one warning with their lines."""
        self.write(here, (-1, 0, 0, -1))
        done = run(*command, "table.csv")
        assert done.stderr.count("unlike the others") == 1
        assert "4 of 96 values of time are unlike the others (lines 5, 15, 25, 35)" in done.stderr

    @pytest.mark.parametrize("wrong", [(-0.5, -2.25), (-1, -2, -3), ()])
    def test_results(self, here: Path, run: Run, wrong: tuple[float, ...]) -> None:
        """Values that differ are results."""
        self.write(here, wrong)
        assert "unlike the others" not in run("describe", "table.csv").stderr

    @pytest.mark.parametrize("wrong", [(1e9, 1e9), (99999, -1), (-2.137, -2.137), (2147483647,)])
    def test_other_values_of_failures(self, here: Path, run: Run, wrong: tuple[float, ...]) -> None:
        """A repeated value of the other sign, and round ones far beyond all others, are asked about, too."""
        self.write(here, wrong)
        assert f"{len(wrong)} of 96 values of time are unlike the others" in run("describe", "table.csv").stderr

    def test_negative_scores(self, here: Path, run: Run) -> None:
        """Positive values among scores that are negative are asked about; the scores are not."""
        scores = [-time for time in times()]
        scores[3] = scores[20] = 2.137
        cells = [(*row, score) for row, score in zip(GRID, scores, strict=True)]
        (here / "table.csv").write_text(rows("a,b,c,score", cells))
        assert "2 of 48 values of score are unlike the others (lines 5, 22)" in run("describe", "table.csv").stderr
