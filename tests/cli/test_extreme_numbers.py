"""Numbers far outside of any use, in every option that is a number."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from splc.cli.app import COMMANDS
from tests.cli.conftest import Run
from tests.support.command_fields import command_fields

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
TEXTS = [
    ("compare", "--parameter", "base=1e308"),
    ("compare", "--parameter", "base=-1e308"),
    ("predict", "--parameter", "base=1e308"),
    ("optimize", "--parameter", "base=1e308"),
    ("scale", "--predict-at", "p=1e-308"),
    ("scale", "--predict-at", "p=1e308"),
    ("tune", "--budget", "99999999999"),
    ("tune", "--budget", "0"),
    ("tune", "--limit", "energy <= 1e308"),
    ("scale", "--target", "p=1e308"),
    ("scale", "--target", "p=1e-308"),
    ("scale", "--axis", "p=1e308,1e-308"),
    ("scale", "--until", "1e308%"),
    ("calibrate", "--bound", "base=-1e308..1e308"),
    ("learn", "--set", "abortError=1e308"),
    ("learn", "--sampling", "random:99999999999"),
    ("sample", "--sampling", "pb:99999999999,99999999999"),
]


def numbers() -> Iterator[Any]:
    """Yield command, option and value of all options that are numbers."""
    for name in COMMANDS:
        for each in command_fields(name):
            values = WHOLE if each.number is int else REAL if each.number is float else ()
            for option, value in product((text for text in each.spellings if text[:2] == "--"), values):
                yield pytest.param((name, option, value), marks=() if value in USUAL else pytest.mark.slow)


@pytest.fixture
def project(models: Path) -> Path:
    """Return a project folder with inputs of all commands."""
    points = "".join(f"{p},{3 + p * p}\n" for p in (2, 4, 8, 16, 32))
    (models / "profile.csv").write_text(f"p,time\n{points}", encoding="utf-8")
    study = 'property = "time"\nsamplings = ["measured"]\n[learners.s]\nlearner = "stepwise"\n'
    (models / "study.toml").write_text(study, encoding="utf-8")
    return models


@pytest.mark.parametrize("case", [*numbers(), *TEXTS], ids=" ".join)
@pytest.mark.timeout(60)
def test_extreme_numbers(run: Run, project: Path, case: tuple[str, str, str]) -> None:
    """A command has an answer or refuses the number; there is no warning, and it does not begin to count to it."""
    command, option, value = case
    base = BASES.get(command, ())
    more: tuple[str, ...] = ("--max-deviation", "0.1") if option == "--max-repeat" else ()
    if command == "scale" and option in (
        "--target",
        "--axis",
        "--until",
        "--budget",
        "--count",
        "--extend",
        "--repetitions",
    ):
        more = ("--suggest",)
    done = run(command, *base, *more, option, value)
    assert done.exit_code in {0, 1, 2}
