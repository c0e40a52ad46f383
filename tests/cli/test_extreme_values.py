"""Values of a property near the smallest and largest numbers: results are those of other units, without a warning."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from typer.testing import CliRunner

from splc.cli.app import app
from tests.support.paths import ROOT

COMMANDS = (
    ("describe", "measurements.csv"),
    ("learn", "-o", "l.log"),
    ("learn", "-o", "l.json"),
    ("learn", "--set", "scale=raw", "-o", "raw.json"),
    ("learn", "--preset", "splconqueror", "-o", "p.log"),
    ("learn", "--sampling", "random:12", "--baselines", "-o", "b.log"),
    ("learn", "--given-terms", "terms.txt", "-o", "given.json"),
    ("learn", "--by", "b", "-o", "by.json"),
    ("predict", "l.json", "measurements.csv", "--interval"),
    ("predict", "raw.json", "measurements.csv", "--interval"),
    ("compare", "l.log", "p.log", "--measurements", "measurements.csv"),
    ("explain", "l.log"),
    ("optimize", "l.log"),
    ("optimize", "l.json"),
    ("scale", "measurements.csv", "--suggest"),
    ("calibrate", "calibrated.txt", "--free", "c,d"),
    ("scale", "measurements.csv"),
)
SHORT = tuple(command for command in COMMANDS if not {"l.json", "b.log", "by.json"} & {*command})
# A number in the unit of the property, or a time.
_NUMBERS = re.compile(r"[-+]?[\d.]+e[-+]?\d+|[\d.]+ s\b|\|a - b\|.*")


@cache
def outputs(commands: tuple[tuple[str, ...], ...], unit: float) -> list[tuple[tuple[str, ...], int, str]]:
    """Return what commands print about a table of values in a unit, without the numbers in this unit."""
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
        for command in commands:
            result = CliRunner().invoke(app, command)
            shown = _NUMBERS.sub("", result.stdout + result.stderr)
            found.append((command, result.exit_code, re.sub(r"[ ,─]+", " ", shown)))
    return found


@pytest.mark.parametrize("commands", [SHORT, pytest.param(COMMANDS, marks=pytest.mark.slow)])
@pytest.mark.parametrize("extreme", [1e-300, 1e299])
def test_units_of_any_size(commands: tuple[tuple[str, ...], ...], extreme: float) -> None:
    """Outputs about values do not depend on their unit, down to 1e-300 and up to 1e300."""
    expected = outputs(commands, 1e60)
    assert [code for _, code, _ in expected] == [0] * len(commands)
    for one, two in zip(outputs(commands, extreme), expected, strict=True):
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
