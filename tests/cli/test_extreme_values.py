"""Values of a property near the smallest and largest numbers: results are those of other units, without a warning."""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from typer.testing import CliRunner

from splc.cli.app import app

COMMANDS = (
    ("describe", "measurements.csv"),
    ("learn", "-o", "l.log"),
    ("learn", "-o", "l.json"),
    ("learn", "--scale", "raw", "-o", "raw.json"),
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
    ("suggest", "measurements.csv"),
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
