"""Values of a property near the smallest and largest numbers: results are those of other units, without a warning."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run

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
    ("compare", "l.log", "p.log", "--measurements", "measurements.csv"),
    ("explain", "l.log"),
    ("optimize", "l.json"),
    ("suggest", "measurements.csv"),
    ("calibrate", "calibrated.txt", "--free", "c,d"),
    ("scale", "measurements.csv"),
)
# A number in the unit of the property, or a time.
_NUMBERS = re.compile(r"[-+]?[\d.]+e[-+]?\d+|[\d.]+ s\b|\|a - b\|.*")


def outputs(run: Run, folder: Path, unit: float) -> list[tuple[tuple[str, ...], int, str]]:
    """Return what all commands print about a table of values in a unit, without the numbers in this unit."""
    folder.mkdir()
    rng = random.Random(3)
    with (folder / "measurements.csv").open("w", encoding="utf-8") as stream:
        stream.write("a,b,n,time\n")
        for row in range(40):
            a, b, n = row % 2, row // 2 % 2, 2 ** (row // 4 % 5)
            stream.write(f"{a},{b},{n},{(3 + 2 * a + 0.2 * n + 0.1 * b * n + rng.random() * 0.05) * unit!r}\n")
    (folder / "terms.txt").write_text("root\na\nn\n", encoding="utf-8")
    (folder / "calibrated.txt").write_text("c + d * n\n", encoding="utf-8")
    found: list[tuple[tuple[str, ...], int, str]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for command in COMMANDS:
            result = run(*command)
            shown = _NUMBERS.sub("", result.stdout + result.stderr)
            found.append((command, result.exit_code, re.sub(r"[ ,─]+", " ", shown)))
    return found


@pytest.mark.parametrize(("usual", "extreme"), [(1e-60, 1e-300), (1e60, 1e299)])
def test_units_of_any_size(run: Run, tmp_path: Path, usual: float, extreme: float) -> None:
    """Outputs about values do not depend on their unit, down to 1e-300 and up to 1e300."""
    expected = outputs(run, tmp_path / "usual", usual)
    assert [code for _, code, _ in expected] == [0] * len(COMMANDS)
    for one, two in zip(outputs(run, tmp_path / "extreme", extreme), expected, strict=True):
        assert one == two
