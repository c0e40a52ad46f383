"""Fixtures of the tests of the command line: a project folder, and a function that runs a command in it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from splc.cli.app import app
from splc.learning.stepwise.algorithm import ForwardSelection
from tests.support.golden import PROJECTS

SMALL = PROJECTS / "small"
# All 9 valid configurations are measured, one of them twice.
SYSTEM, MEASUREMENTS, ANALYTICAL, PARAMETERS, OTHER = (
    (SMALL / name).read_text(encoding="utf-8")
    for name in ("system.xml", "measurements.csv", "analytical.txt", "parameters.toml", "other.txt")
)

Run = Callable[..., Result]


def description(options: str = "", constraints: str = "", numeric: str = "") -> str:
    """Return a system description: `cache`, and further options and constraints."""
    return (
        '<vm name="small"><binaryOptions>'
        "<configurationOption><name>cache</name><optional>True</optional></configurationOption>\n"
        f"{options}</binaryOptions>\n<numericOptions>{numeric}</numericOptions>\n"
        f"<booleanConstraints>{constraints}</booleanConstraints></vm>"
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project folder with a system and measurements, which is the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "system.xml").write_text(SYSTEM, encoding="utf-8")
    (tmp_path / "measurements.csv").write_text(MEASUREMENTS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def models(folder: Path) -> Path:
    """Return the project folder with an analytical model, its parameters, and another model."""
    (folder / "analytical.txt").write_text(ANALYTICAL, encoding="utf-8")
    (folder / "parameters.toml").write_text(PARAMETERS, encoding="utf-8")
    (folder / "other.txt").write_text(OTHER, encoding="utf-8")
    (folder / "splc.toml").write_text('nfp = "time"\n', encoding="utf-8")
    return folder


@pytest.fixture
def inputs(models: Path) -> Path:
    """Return the project folder with inputs of all commands: profile, parts of the table, versions, study, script."""
    points = "".join(f"{p},{3 + p * p}\n" for p in (2, 4, 8, 16, 32))
    (models / "profile.csv").write_text(f"p,time\n{points}", encoding="utf-8")
    (models / "few.csv").write_text("".join(MEASUREMENTS.splitlines(keepends=True)[:7]), encoding="utf-8")
    header, *rows = MEASUREMENTS.splitlines()
    versions = [f"version,{header}", *(f"{version},{row}" for version in ("v1", "v2") for row in rows)]
    (models / "versions.csv").write_text("\n".join(versions), encoding="utf-8")
    study = 'property = "time"\nsamplings = ["measured"]\n[learners.s]\nlearner = "stepwise"\n'
    (models / "study.toml").write_text(study, encoding="utf-8")
    lines = "vm system.xml\nall measurements.csv\nnfp time\nselect-all-measurements true\nlearn-splconqueror\n"
    (models / "s.a").write_text(lines, encoding="utf-8")
    return models


@pytest.fixture(scope="session")
def run() -> Run:
    """Return a function that runs `splc` with these arguments; a bug of ours is raised, not reported."""

    def runs(*arguments: str, stdin: str | bytes | None = None) -> Result:
        result = CliRunner().invoke(app, list(arguments), input=stdin, catch_exceptions=False)
        assert "internal error" not in result.stderr, result.stderr
        assert "Traceback" not in result.output
        return result

    return runs


@pytest.fixture
def refused(run: Run) -> Callable[..., str]:
    """Return a function that runs `splc`, which must refuse with exit code 2 and print nothing to stdout.

    What it returns is the message.
    """

    def runs(*arguments: str, stdin: str | bytes | None = None) -> str:
        result = run(*arguments, stdin=stdin)
        assert result.exit_code == 2, result.output
        assert result.stdout == ""
        assert result.stderr.strip()
        return result.stderr

    return runs


@pytest.fixture
def pressing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Return a function: once, these signals arrive in the second round of stepwise learning, or after more rounds."""
    step = ForwardSelection.step

    def presses(*signals: signal.Signals, rounds: int = 1) -> None:
        left = list(signals)

        def pressed(learner: ForwardSelection) -> Any:
            while left and len(learner.rounds) == rounds:
                signal.raise_signal(left.pop(0))
            return step(learner)

        monkeypatch.setattr(ForwardSelection, "step", pressed)

    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
    yield presses
    assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] == before


@pytest.fixture
def empty(folder: Path) -> Path:
    """Return the project folder without its measurements, which is the current folder."""
    (folder / "measurements.csv").unlink()
    return folder
