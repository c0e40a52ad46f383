"""The law of every command on generated projects: see `law`; and that the generator knows every option."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from splc.cli.app import COMMANDS
from tests.fuzz.commands.law import MEGABYTES, SECONDS, Outcome, violations
from tests.fuzz.commands.project import Project, project
from tests.fuzz.commands.sessions import WITHOUT, line
from tests.fuzz.commands.values import OWN, VALUES, value_of
from tests.support.golden_messages import check_calls
from tests.support.paths import ROOT
from tests.support.programs import untraced
from tests.support.schemas import command_fields, spelling

OBJECT = (
    b'{"schema": "splc.sample/1", "sampling": "ff", "seed": 0, "configurations": 9, "removed": 0, "notes": [], '
    b'"output": "a.csv"}'
)
GOOD = Outcome(0, OBJECT + b"\n", b"", 1.0, 200)
INPUT = {"in": b"1"}


@pytest.mark.parametrize(
    ("first", "sessions"), [(9, 1), *(pytest.param(first, 2, marks=pytest.mark.slow) for first in (0, 2, 4, 6))]
)
def test_sessions(first: int, sessions: int) -> None:
    """No command of these sessions, which run in a process of their own, breaks the law."""
    arguments = ["--first", str(first), "--sessions", str(sessions)]
    command = [sys.executable, "-m", "tests.fuzz.commands", *arguments]
    ended = subprocess.run(command, cwd=ROOT, env=untraced(), capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_values() -> None:
    """Every option and argument has values, by its name or its type; no name in the tables is unknown."""
    every = {(command, spelling(each)): each for command in COMMANDS for each in command_fields(command)}
    for (command, name), each in every.items():
        known = value_of(command, name) is not None or each.field.kind == "flag" or name in WITHOUT
        assert known or each.choices or each.number is int, (command, name)
    assert VALUES.keys() <= {name for _, name in every}
    assert {(command.split()[0], name) for command, name in OWN} <= every.keys()


def test_numbers_determine_sessions(tmp_path: Path) -> None:
    """The same number gives the same files and command lines."""
    found = []
    for at in ("a", "b"):
        made = written(tmp_path / at, 5)
        rng = random.Random(1)
        texts = {name: (made.folder / name).read_bytes() for name in made.files("*", "*/*", "*/*/*")}
        found.append((texts, [line(command, made, rng) for command in COMMANDS]))
    assert found[0] == found[1]


def written(folder: Path, seed: int) -> Project:
    """Return a project in a new folder."""
    folder.mkdir()
    return project(folder, random.Random(seed))


def law(command: str, *temporary: str, after: dict[str, bytes] = INPUT, **changes: Any) -> list[str]:
    """Return how a command breaks the law whose outcome and files differ so from those of a good one."""
    return violations(command.split(), replace(GOOD, **changes), INPUT, after, temporary)


def test_the_law() -> None:
    """Each way to end that the law forbids, stray and partial files, and what a refused command wrote are found."""
    check_calls("law-of-commands", law, OBJECT=OBJECT, SECONDS=SECONDS, MEGABYTES=MEGABYTES)


RUN = """
import json, sys
from pathlib import Path
from splc.cli.app import app
from tests.fuzz.commands.law import run
home = Path(sys.argv[1])
for arguments in (["example", "none"], ["example", "--json", "smg2000", "here"], ["example", "--unknown"]):
    found = run(arguments, home, home / "scratch")
    print(json.dumps([found.code, found.stdout.decode(), found.stderr.decode(), found.seconds, found.megabytes]))
"""


def test_outcomes(tmp_path: Path) -> None:
    """A forked command has its own streams and folder; its exit code, seconds and memory are found."""
    done = subprocess.run([sys.executable, "-c", RUN, tmp_path], cwd=ROOT, capture_output=True, text=True, check=True)
    refused, copied, misused = map(json.loads, done.stdout.splitlines())
    assert [each[0] for each in (refused, copied, misused)] == [2, 0, 2]
    assert "no example 'none'" in refused[2]
    assert json.loads(copied[1])["schema"] == "splc.example/1"
    assert (tmp_path / "here" / "splc.toml").exists()
    assert "--unknown" in misused[2]
    assert all(0 < each[3] < SECONDS and 10 < each[4] < MEGABYTES for each in (refused, copied, misused))
