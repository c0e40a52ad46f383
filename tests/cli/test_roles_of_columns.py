"""Commands on tables whose columns could have other roles: what is averaged, assumed or failed is said."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
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
    LEARN = ("learn", "--measurements", "table.csv", "--property", "time")

    def test_options_that_are_averaged(self, here: Path, run: Run) -> None:
        """A model of averaged runs has exit code 1, and the warning names the options to add, which are the cure."""
        between(here)
        done = run(*self.LEARN)
        assert done.exit_code == 1
        assert "4 of 48 rows are distinct configurations" in done.stderr
        assert "--options b,c" in done.stderr
        done = run(*self.LEARN, "--options", "b")
        assert done.exit_code == 1
        assert "--options b,c" in done.stderr
        done = run(*self.LEARN, "--options", "b,c", "--json")
        assert (done.exit_code, "averaged" in done.stderr) == (0, False)
        assert json.loads(done.stdout)["learning_configurations"] == 48

    def test_every_command(self, here: Path, run: Run) -> None:
        """Commands that describe, calibrate or compare averaged rows have exit code 1 and the same warning."""
        between(here)
        for name, text in (("analytical", "base + step * a"), ("first", "5 + a"), ("second", "5 + 2 * a")):
            (here / f"{name}.txt").write_text(f"{text}\n")
        model = ("--measurements", "table.csv", "--property", "time")
        commands = (
            ("describe", "table.csv"),
            ("calibrate", "analytical.txt", *model, "--free", "base,step"),
            ("compare", "first.txt", "second.txt", *model),
        )
        for command in commands:
            done = run(*command)
            assert (done.exit_code, command) == (1, command)
            assert "4 of 48 rows are distinct configurations" in done.stderr
            assert "--options" in done.stderr
            done = run(*command, "--options", "b,c")
            assert (done.exit_code, "averaged" in done.stderr) == (0, False)

    def test_without_a_grid(self, here: Path, run: Run) -> None:
        """Options that are averaged are recognized in random samples, too."""
        rng = np.random.default_rng(3)
        cells = [(a, 5 + a + 0.1 * b + round(float(rng.normal()), 4), b) for a in (1, 2, 3) for b in range(20)]
        kept = rng.permutation(len(cells))[:30].tolist()
        (here / "table.csv").write_text(rows("a,time,b", [cells[at] for at in kept]))
        done = run(*self.LEARN)
        assert done.exit_code == 1
        assert "--options b" in done.stderr

    @pytest.mark.parametrize("repeated", [2, 3, 5])
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

    def test_one_configuration(self, here: Path, run: Run) -> None:
        """A second result of one configuration, which differs in every row, is no option."""
        (here / "table.csv").write_text(rows("a,time,energy", [(2, at + 0.5, 7 + at / 3) for at in range(6)]))
        assert "averaged" not in run("describe", "table.csv", "--property", "time").stderr

    def test_with_a_description(self, folder: Path, run: Run) -> None:
        """The cure is another one where a description states the options."""
        lines = (folder / "measurements.csv").read_text().split()
        more = [f"{line},{threads}" for line in lines[1:] for threads in (1, 2, 4)]
        (folder / "measurements.csv").write_text("\n".join([f"{lines[0]},threads", *more]))
        done = run("learn", "--property", "time")
        assert done.exit_code == 1
        assert "'threads' and are averaged; add options to the description" in done.stderr
        assert run("learn", "--property", "time", "--ignore", "threads").exit_code == 0


class TestOtherDescriptions:
    @pytest.fixture
    def table(self, here: Path) -> Path:
        """Write a table beside a description of another system."""
        between(here)
        (here / "left.xml").write_text(SYSTEM)
        return here

    @pytest.mark.parametrize(
        "command",
        [
            ("learn", "--measurements", "table.csv"),
            ("describe", "table.csv"),
            ("sample", "--measurements", "table.csv", "--sampling", "random:3"),
            ("suggest", "--measurements", "table.csv", "--property", "time", "--budget", "3"),
        ],
    )
    def test_it_is_named(self, table: Path, run: Run, command: tuple[str, ...]) -> None:
        """The description that a folder has is named, and how to infer the options instead."""
        done = run(*command)
        assert "left.xml" in done.stderr
        assert "--system table.csv" in done.stderr

    def test_the_cure(self, table: Path, run: Run) -> None:
        """A table that is named as the system has the effect of a folder without a description."""
        given = ("--options", "b,c", "--json")
        one = json.loads(run("learn", "--system", "table.csv", *given).stdout)
        (table / "left.xml").unlink()
        two = json.loads(run("learn", "--measurements", "table.csv", *given).stdout)
        assert one["model"] == two["model"]

    @pytest.mark.parametrize("others", [{"other.xml": SYSTEM}, {"other.xml": "no XML", "left.xml": "no XML"}])
    def test_descriptions_that_cannot_be_used(
        self, table: Path, run: Run, refused: Callable[..., str], others: dict[str, str]
    ) -> None:
        """Several descriptions, and files that are none, are named with the same cure."""
        for name, text in others.items():
            (table / name).write_text(text)
        message = refused("learn", "--measurements", "table.csv")
        assert "other.xml" in message
        assert "--system table.csv" in message
        assert run("learn", "--system", "table.csv", "--options", "b,c").exit_code == 0

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
        assert done.stderr.count("not positive") == 1
        assert "4 of 96 values of time are not positive (lines 5, 15, 25, 35)" in done.stderr

    @pytest.mark.parametrize("wrong", [(-0.5, -2.25), (-1, -2, -3), ()])
    def test_results(self, here: Path, run: Run, wrong: tuple[float, ...]) -> None:
        """Values that differ are results."""
        self.write(here, wrong)
        assert "not positive" not in run("describe", "table.csv").stderr

    def test_counts(self, here: Path, run: Run) -> None:
        """Zeros of a count, or of all repetitions of a configuration, are results."""
        cells = [
            (p, n, 0.5 * n + rep / 7 + p, 0 if p == 1 else p * n, 0 if n == p == 1 else 0.3 * p * n + rep / 9)
            for p in range(1, 11)
            for n in (1, 2, 3)
            for rep in (1, 2)
        ]
        (here / "table.csv").write_text(rows("p,n,time,messages,waiting", cells))
        assert "not positive" not in run("describe", "table.csv").stderr
