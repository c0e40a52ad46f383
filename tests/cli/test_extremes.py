"""Numbers far outside of any use, in options and in tables."""

from __future__ import annotations

import os
import random
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from typer.testing import CliRunner

from splc.cli.app import COMMANDS, app
from splc.workflows.scale.scale import SUGGESTIONS
from tests.cli.conftest import Run
from tests.support.paths import ROOT
from tests.support.schemas import command_fields


def lines_of(name: str) -> list[tuple[str, ...]]:
    """Return the command lines in a file beside this one."""
    text = (Path(__file__).parent / f"{name}.txt").read_text(encoding="utf-8")
    return [tuple(shlex.split(line)) for line in text.splitlines()]


# Arguments that commands need besides an option that is a number.
BASES: dict[str, tuple[str, ...]] = {
    "sample": ("--sampling", "random:3"),
    "measure": ("--sampling", "all+ff", "--command", "echo 1", "--dry-run", "-o", "new.csv"),
    "learn": ("--learner", "stepwise"),
    "calibrate": ("--free", "base"),
    "changed": ("--by", "version"),
    "scale": ("profile.csv",),
    "tune": ("--replay", "measurements.csv", "--property", "time", "--budget", "5"),
    "suggest": ("--measurements", "measurements.csv", "--property", "time", "--budget", "2"),
    "predict": ("other.txt", "measurements.csv"),
    "optimize": ("other.txt",),
    "compare": ("other.txt", "analytical.txt"),
    "study": ("--no-pictures", "--force"),
    "report": ("other.txt", "analytical.txt"),
}
WHOLE = ("-1", "0", "1" + "0" * 30, "99999999999")
REAL = (*WHOLE, "1e308", "-1e308", "1e-308", "nan", "inf", "5e9")
USUAL = ("0", "99999999999", "1e308", "nan")
# Options whose numbers are part of a text.
TEXTS = lines_of("extreme-texts")


def numbers() -> Iterator[Any]:
    """Yield command, option and value of all options that are numbers."""
    for name in COMMANDS:
        for each in command_fields(name):
            values = WHOLE if each.number is int else REAL if each.number is float else ()
            for option, value in product((text for text in each.spellings if text[:2] == "--"), values):
                yield pytest.param((name, option, value), marks=() if value in USUAL else pytest.mark.slow)


@pytest.mark.parametrize("case", [*numbers(), *TEXTS], ids=" ".join)
@pytest.mark.timeout(60)
@pytest.mark.usefixtures("inputs")
def test_extreme_numbers(run: Run, case: tuple[str, str, str]) -> None:
    """A command has an answer or refuses the number; there is no warning, and it does not begin to count to it."""
    command, option, value = case
    base = BASES.get(command, ())
    more: tuple[str, ...] = ("--max-deviation", "0.1") if option == "--max-repeat" else ()
    of_panel = (each.spellings for each in command_fields(command) if each.field.panel == SUGGESTIONS)
    if command == "scale" and any(option in spellings for spellings in of_panel):
        more = ("--suggest",)
    done = run(command, *base, *more, option, value)
    assert done.exit_code in {0, 1, 2}


IN_UNITS = lines_of("lines-in-units")
# A number in the unit of the property, or a time.
_NUMBERS = re.compile(r"[-+]?[\d.]+e[-+]?\d+|[\d.]+ s\b|\|a - b\|.*")


@cache
def outputs(unit: float) -> list[tuple[tuple[str, ...], int, str]]:
    """Return what the commands print about a table of values in a unit, without the numbers in this unit."""
    rng = random.Random(3)
    found: list[tuple[tuple[str, ...], int, str]] = []
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        with Path("measurements.csv").open("w", encoding="utf-8") as stream:
            stream.write("a,b,n,time\n")
            for row in range(20):
                a, b, n = row % 2, row // 2 % 2, 2 ** (row // 4)
                stream.write(f"{a},{b},{n},{(3 + 2 * a + 0.2 * n + 0.1 * b * n + rng.random() * 0.05) * unit!r}\n")
        Path("terms.txt").write_text("root\na\nn\n", encoding="utf-8")
        Path("calibrated.txt").write_text("c + d * n\n", encoding="utf-8")
        for command in IN_UNITS:
            result = CliRunner().invoke(app, command)
            shown = _NUMBERS.sub("", result.stdout + result.stderr)
            found.append((command, result.exit_code, re.sub(r"[ ,─]+", " ", shown)))
    return found


@pytest.mark.parametrize("extreme", [1e-300, 1e299])
def test_units_of_any_size(extreme: float) -> None:
    """Outputs about values do not depend on their unit, down to 1e-300 and up to 1e300."""
    expected = outputs(1e60)
    assert [code for _, code, _ in expected] == [0] * len(IN_UNITS)
    for one, two in zip(outputs(extreme), expected, strict=True):
        assert one == two


ODD = ("", "1e300", "1.8e308", "-1e308", "1e155", "1e-300", "4.9e-324", "inf", "9" * 20)


def table(odd: str, column: int) -> str:
    """Return measurements of two versions, repeated, with an odd cell in the middle."""
    rows = [[str(v), str(a), str(2**n), f"{v * (3 + 2 * a + 0.5 * 2**n) + 0.01 * turn:.4g}"]
            for v in (1, 2) for a in (0, 1) for n in range(5) for turn in (0, 1)]  # fmt: skip
    rows[len(rows) // 2][column] = odd
    return "".join(f"{','.join(row)}\n" for row in [["version", "a", "n", "time"], *rows])


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("column", [2, 3])
def test_an_odd_cell_gives_no_warning_of_numpy(odd: str, column: int, tmp_path: Path) -> None:
    """One cell of any size among usual ones is read, or refused with a message; tests turn warnings into errors."""
    file, profile = tmp_path / "t.csv", tmp_path / "p.csv"
    file.write_text(table(odd, column), encoding="utf-8")
    profile.write_text(
        "n,time\n" + "".join(f"{2**n},{odd if n == 3 else 3 + 4**n}\n" for n in range(7)), encoding="utf-8"
    )
    for command in (
        ("init", str(file)),
        ("describe", str(file)),
        ("scale", str(profile), "-o", str(tmp_path / "m.json")),
    ):
        result = CliRunner().invoke(app, command)
        assert result.exit_code in {0, 1, 2}, result.output
        assert "internal error" not in result.stderr
        assert "an error of the program" not in result.stderr


def test_numpy_says_nothing_to_users() -> None:
    """A process that runs a command prints no warning of numpy, unless Python is asked for it."""
    code = "import warnings; from splc.cli import main\ntry: main()\nfinally: warnings.warn('overflow', RuntimeWarning)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONWARNINGS", None)
    for options, shown in ((), False), (("-W", "default"), True):
        command = [sys.executable, *options, "-c", code, "--version"]
        found = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        assert ("RuntimeWarning" in found.stderr) == shown
