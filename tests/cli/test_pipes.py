"""Every command that writes a file writes to pipes, too."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from splc.cli.app import COMMANDS, app
from splc.measuring.journal import read_journal
from tests.cli.conftest import MEASUREMENTS, Run

Refused = Callable[..., str]

STEPWISE = ("--learner", "stepwise")
# Arguments of each command that writes a file, and the name of the file.
TUNE = ("--command", "echo 3", "--property", "t=regex:(.)", "--budget", "3")
WRITERS: dict[str, tuple[tuple[str, ...], str]] = {
    "init": (("measurements.csv",), "out.xml"),
    "sample": (("--sampling", "pb:9,3"), "out.csv"),
    "learn": (STEPWISE, "out.log"),
    "measure": (("--sampling", "all+ff", "--command", "echo 3", "--property", "t=regex:(.)"), "out.csv"),
    "calibrate": (("--free", "base"), "out.toml"),
    "scale": (("profile.csv",), "out.json"),
    "suggest": (("--measurements", "few.csv", "--budget", "1"), "out.csv"),
    "tune": (TUNE, "out.csv"),
    "predict": (("other.txt", "measurements.csv"), "out.csv"),
    "run": (("s.a", "--to-study"), "out.toml"),
    "convert": (("other.txt", "--to", "json"), "out.json"),
    "report": (("other.txt", "analytical.txt"), "out.html"),
}
PLOTS: dict[str, tuple[str, ...]] = {
    "learn": STEPWISE,
    "explain": ("other.txt",),
    "optimize": ("other.txt", "analytical.txt", "--property", "time", "--property", "energy"),
    "compare": ("other.txt", "analytical.txt"),
    "scale": ("profile.csv",),
    "tune": (*TUNE, "-o", "out.csv"),
}


@pytest.fixture
def project(models: Path) -> Path:
    """Return a project folder with inputs of all commands."""
    points = "".join(f"{p},{3 + p * p}\n" for p in (2, 4, 8, 16, 32))
    (models / "profile.csv").write_text(f"p,time\n{points}", encoding="utf-8")
    lines = "vm system.xml\nall measurements.csv\nnfp time\nselect-all-measurements true\nlearn-splconqueror\n"
    (models / "few.csv").write_text("".join(MEASUREMENTS.splitlines(keepends=True)[:7]), encoding="utf-8")
    (models / "s.a").write_text(lines, encoding="utf-8")
    return models


def through_pipe(run: Run, path: Path, *arguments: str) -> bytes:
    """Return what a command writes to a named pipe."""
    os.mkfifo(path)
    content: list[bytes] = []
    reader = threading.Thread(target=lambda: content.append(path.read_bytes()), daemon=True)
    reader.start()
    done = run(*arguments, str(path))
    assert done.exit_code == 0, done.output
    assert path.is_fifo()
    reader.join(30)
    return content[0]


def test_every_writer_is_here() -> None:
    """The commands with an output file are those of the tables here."""
    group: Any = typer.main.get_command(app)
    commands = {name: group.get_command(typer.Context(group), name) for name in COMMANDS}
    found = {
        (name, each.name)
        for name, command in commands.items()
        for each in command.params
        if each.metavar == "FILE" and each.name in {"output", "plot"}
    }
    without = {("study", "plot")}
    assert found - without == {(name, "output") for name in WRITERS} | {(name, "plot") for name in PLOTS}


@pytest.mark.parametrize("command", WRITERS)
def test_outputs(run: Run, project: Path, command: str) -> None:
    """A named pipe gets what a file gets, and `/dev/stdout` is standard output."""
    arguments, name = WRITERS[command]
    journals = iter("abcd")

    def given() -> tuple[str, ...]:
        return (command, *arguments, *(("--journal", next(journals)) if command in ("measure", "tune") else ()), "-o")

    for folder in ("files", "pipes"):
        (project / folder).mkdir()
    done = run(*given(), f"files/{name}")
    assert done.exit_code == 0, done.output
    written = (project / "files" / name).read_text(encoding="utf-8")
    piped = through_pipe(run, project / "pipes" / name, *given()).decode()
    assert without_seconds(piped) == without_seconds(written).replace("files/", "pipes/")
    shown, plain = (run(*given(), path).stdout for path in ("/dev/stdout", "-"))
    assert without_seconds(shown) == without_seconds(plain) != ""


def without_seconds(text: str) -> str:
    """Return a text without durations."""
    return re.sub(r"(?<=;)[0-9.e-]+(?=;)|[0-9]+:[0-9:.]+|[0-9.e-]+ ?s\b", "", text)


@pytest.mark.parametrize("command", PLOTS)
def test_plots(run: Run, project: Path, command: str) -> None:
    """A picture is written to a named pipe."""
    assert b"<svg" in through_pipe(run, project / "p.svg", command, *PLOTS[command], "--plot")


def test_a_file_per_value(refused: Refused, project: Path) -> None:
    """A pipe cannot be the output of a command that writes a file per value, and nothing is written beside it."""
    lines = MEASUREMENTS.splitlines()
    text = "\n".join([f"version,{lines[0]}", *(f"{version},{line}" for version in ("v1", "v2") for line in lines[1:])])
    Path("versions.csv").write_text(text, encoding="utf-8")
    Path("profiles.csv").write_text("version,p,time\n" + "".join(f"v1,{p},{p}\n" for p in (2, 4, 8, 16, 32)))
    for name in ("pipe", "pipe.toml"):
        os.mkfifo(name)
    before = sorted(project.iterdir())
    table = ("--measurements", "versions.csv")
    for command in (
        ("learn", *STEPWISE, *table),
        ("calibrate", *WRITERS["calibrate"][0], *table),
        ("predict", "other.txt", "versions.csv"),
        ("scale", "profiles.csv", "--coordinates", "p"),
    ):
        for name in ("pipe", "pipe.toml"):
            assert "one file per value" in refused(*command, "--by", "version", "-o", name)
    assert sorted(project.iterdir()) == before


def test_journals(refused: Refused, project: Path) -> None:
    """The journal of a measurement needs a name where the output is a pipe, and cannot be one."""
    os.mkfifo(project / "pipe")
    measure = ("measure", *WRITERS["measure"][0])
    assert "needs a name" in refused(*measure, "-o", "pipe")
    for journal in ("pipe", "-", "/dev/null"):
        assert "must be a file" in refused(*measure, "-o", "m.csv", "--journal", journal)
    assert read_journal("m.journal") == []


def test_logs_of_scripts(run: Run, project: Path) -> None:
    """The log of a script may be a pipe; then no second file is written beside it."""
    (project / "s.a").write_text("log pipe\nvm system.xml\n", encoding="utf-8")
    log = through_pipe(lambda *arguments: run(*arguments[:-1]), project / "pipe", "run", "s.a")
    assert b"command: vm system.xml" in log
    assert not (project / "pipe_error").exists()
