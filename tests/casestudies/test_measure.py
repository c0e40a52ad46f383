"""Measuring a case study again: the command, the levels that join the rows, and the files that come out."""

from __future__ import annotations

import csv
import gzip
import subprocess
import sys
from functools import cache
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest

from casestudies import measure
from casestudies.drivers import level_columns
from splc.formats.measurements.configurations import read_observed
from splc.project import Project
from tests.support.paths import BOOMERAMG, CASES

# Stands for mpirun and amg: prints a row per configuration, and its levels after it; the second one may have too few.
FAKE = """
import sys
levels = open(sys.argv[-1], "w")
works = ["smoothing", "residual", "restriction", "interpolation"]
names = ["C", "s", "shat", "p", "n", "phat", "nhat", *(w + "_compute_seconds" for w in works)]
print("px,nx,levels,load_average", flush=True)
levels.write("px,nx,level," + ",".join(names) + "\\n")
for number, row in enumerate(sys.stdin.read().split()[1:]):
    print(f"{row},{number + 1},0.5", flush=True)
    for level in range(number + 1 - (number == 1 and "--short" in sys.argv)):
        cells = [*range(10 * level, 10 * level + 7), 0.25, 0.5, 1, level]
        levels.write(f"{row},{level}," + ",".join(map(str, cells)) + "\\n")
    levels.flush()
sys.exit(int("--fail" in sys.argv))
"""


def table(text: str) -> list[dict[str, str]]:
    """Return the rows of a CSV table."""
    return list(csv.DictReader(StringIO(text)))


def joined(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Return what the program that joins rows and levels does with the stand-in for `amg`."""
    (folder / "fake.py").write_text(FAKE, encoding="utf-8")
    program = [sys.executable, str(CASES / "drivers" / "level_columns.py"), sys.executable, str(folder / "fake.py")]
    return subprocess.run(
        [*program, *options], input="px,nx\n1,8\n2,8\n1,16\n", capture_output=True, text=True, check=False
    )


def test_levels_join_their_row(tmp_path: Path) -> None:
    """Each row gets the variables and the computing time of its own levels, and zeros for all others."""
    done = joined(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    rows = table(done.stdout)
    assert [(row["px"], row["nx"], row["levels"]) for row in rows] == [
        ("1", "8", "1"),
        ("2", "8", "2"),
        ("1", "16", "3"),
    ]
    for count, row in enumerate(rows, 1):
        for level in range(level_columns.LEVELS):
            found = [float(row[name]) for name in level_columns.columns(level)]
            there = [*range(10 * level, 10 * level + 7), 1.75 + level]
            assert found == (there if level < count else [0.0] * 8)


def test_failure_is_handed_on(tmp_path: Path) -> None:
    """The exit code is that of the program, and levels that are missing are an error that names the row."""
    assert joined(tmp_path, "--fail").returncode == 1
    done = joined(tmp_path, "--short")
    assert done.returncode == 3
    assert "level 1 of {'px': '2'" in done.stderr
    assert len(table(done.stdout)) == 1


@cache
def committed() -> list[dict[str, str]]:
    """Return the rows that measuring BoomerAMG would have to give for its committed files."""
    levels: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in table(gzip.decompress((BOOMERAMG / "levels.csv.gz").read_bytes()).decode()):
        levels.setdefault(tuple(row[name] for name in measure.OPTIONS), []).append(row)
    rows = []
    for row in table((BOOMERAMG / "measurements.csv").read_text(encoding="utf-8")):
        own = levels[tuple(row[name] for name in measure.OPTIONS)]
        for number in range(level_columns.LEVELS):
            for name in level_columns.VARIABLES.values():
                row[f"{name}_{number}"] = (own[number][name] or "0") if number < len(own) else "0"
        rows.append({**row, "levels": str(len(own))})
    return rows


def test_split_gives_the_committed_form(tmp_path: Path) -> None:
    """From what is measured come the committed files, to the last character."""
    found = measure.split(committed())
    assert found["levels"] == gzip.decompress((BOOMERAMG / "levels.csv.gz").read_bytes()).decode()
    assert found["observed"] == (BOOMERAMG / "observed.csv").read_text(encoding="utf-8")
    assert found["measurements"] == (BOOMERAMG / "measurements.csv").read_text(encoding="utf-8")
    for name in ("observed", "levels"):
        (tmp_path / f"{name}.csv").write_text(found[name], encoding="utf-8")
    model = Project.load(BOOMERAMG).variability_model(observed=False)
    assert len(read_observed([tmp_path / "observed.csv", tmp_path / "levels.csv"], model)) == 1728


def test_observations_that_differ_are_refused() -> None:
    """Levels that are not the same in all repetitions are an error, for they could not be an observed variable."""
    rows = [*committed()]
    rows[1] = {**rows[1], "C_1": "7"}
    with pytest.raises(ValueError, match="differ between repetitions"):
        measure.split(rows)


@pytest.mark.parametrize("name", measure.CASES)
def test_command(name: str, tmp_path: Path) -> None:
    """All configurations are measured three times, into a new file, unless something else is asked for.

    A journal is continued.
    """
    case = measure.CASES[name]
    assert case.output in ("measurements.new.csv", "measured.new.csv")
    own = measure.arguments(case, tmp_path, [])
    assert own.count("--output") == 1
    options = list(pairwise(own))
    assert ("--sampling", "ff") in options
    assert ("--repeat", "3") in options
    assert "--property=load_average" in own
    assert "--resume" not in own
    further = ["--configurations", "few.csv", "--repeat=5", "--timeout", "9"]
    other = measure.arguments(case, tmp_path, further)
    assert other[-len(further) :] == further
    assert not {"--sampling", "--repeat"} & set(other)
    assert other.count("--timeout") == 1
    (tmp_path / case.output.replace(".csv", ".journal")).touch()
    assert measure.arguments(case, tmp_path, []).count("--resume") == 1
    assert measure.arguments(case, tmp_path, ["--resume"]).count("--resume") == 1


@pytest.mark.parametrize("given", [[], ["smg2000"], ["smg2000/4d", "--dry-run"]])
def test_unknown_case(given: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A case that cannot be measured is exit code 2, and the message names those that can."""
    assert measure.main(given) == 2
    assert "smg2000/1d, smg2000/2d, smg2000/3d, boomeramg" in capsys.readouterr().err
