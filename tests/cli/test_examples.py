"""Examples: those of every help text, and the case studies that `splc example` copies."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from splc.cli.app import COMMANDS, verb_of
from splc.workflows.example import EXAMPLES
from tests.cli.conftest import Run
from tests.support.paths import CASES, ROOT, SMG2000
from tests.support.programs import untraced
from tests.support.schemas import command_fields
from tests.support.tracked import copy_tracked, tracked

# A study of one sampling: the one of the case study takes longer than a test should.
STUDY = 'nfp = "solve_seconds"\nsamplings = ["pb:9,3"]\n'
PROFILE = "PARAMETER p\nPOINTS (2) (4) (8) (16) (32)\nMETRIC time\nREGION main\n" + "".join(
    f"DATA {value}\n" for value in (4, 16, 64, 256, 1024)
)
# Models of many runs are learned, which have tests of their own.
LONG = re.compile("--replay|--maximize-only")
SOLVER = '#!/bin/sh\necho "$# arguments, 0.5 s"\n'


def examples() -> list[tuple[str, str]]:
    """Return every example with the name of its command."""
    return [(name, text) for name in COMMANDS for text in verb_of(name).examples]


@pytest.fixture(scope="module")
def project(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a part of a case study with a small study, profiles, few measurements, a solver and a learned model."""
    folder = tmp_path_factory.mktemp("examples") / "2d"
    copy_tracked(SMG2000 / "2d", folder)
    system = (folder / "system.xml").read_text(encoding="utf-8")
    system = system.replace("<minValue>50<", "<minValue>100<").replace("nx + 25", "nx + 75")
    (folder / "system.xml").write_text(system, encoding="utf-8")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    (folder / "profile.txt").write_text(PROFILE, encoding="utf-8")
    runs = [f"{p},{n},{p * n}" for p in (2, 4, 8, 16, 32) for n in (1, 2, 3, 4, 5)]
    (folder / "runs.csv").write_text("\n".join(["p,n,time", *runs]) + "\n", encoding="utf-8")
    header, *lines = (folder / "measurements.csv").read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines[::3] if int(line.split(",")[2]) % 75 == 25]
    (folder / "measurements.csv").write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    shutil.copytree(folder, folder / "systems" / "smg")
    versions = [f"v1.9,{line}" for line in lines] + [f"v1.10,{line}".replace(",0.", ",9.") for line in lines]
    (folder / "versions.csv").write_text("\n".join([f"version,{header}", *versions]) + "\n", encoding="utf-8")
    (folder / "few.csv").write_text("\n".join([header, *lines[::3]]) + "\n", encoding="utf-8")
    (folder / "solver").write_text(SOLVER, encoding="utf-8")
    (folder / "solver").chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert run("learn").exit_code == 0
        assert run("sample", "--sampling", "pb:9,3", "-o", "configurations.csv").exit_code == 0
    (folder / "logs").mkdir()
    shutil.copy(folder / "learned.log", folder / "logs" / "smg_1.log")
    return folder


@pytest.mark.parametrize(
    ("command", "example"),
    [pytest.param(*each, marks=pytest.mark.slow if LONG.search(each[1]) else ()) for each in examples()],
)
def test_example(command: str, example: str, run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every example runs, is about its command and is part of its help, unwrapped."""
    monkeypatch.chdir(project)
    program, first, *rest = shlex.split(example)
    assert (program, first) == ("splc", command)
    # The versions of this project differ, which is a negative answer.
    assert run(first, *rest).exit_code == (1 if command == "changed" else 0)
    assert f"  {example}\n" in run(command, "--help").stdout


def test_every_command_has_examples() -> None:
    """Each command has two or three examples."""
    names = [name for name, _ in examples()]
    for command in COMMANDS:
        assert names.count(command) in (2, 3), command


@pytest.mark.parametrize("command", ["learn", "scale"])
def test_help_fits_on_two_screens(command: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The help of the commands that learn has at most 94 lines on a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    lines = run(command, "--help").stdout.splitlines()
    assert len(lines) <= 94
    assert max(len(line) for line in lines) <= 80


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_plain(command: str, run: Run) -> None:
    """Help texts have no stray backslashes, double brackets, braces around arguments, or `<bool>`, but all choices.

    Every option has a help text, and a default is stated once.
    """
    help_of_command = run(command, "--help")
    assert (help_of_command.exit_code, help_of_command.stderr) == (0, "")
    found = help_of_command.stdout
    assert run(command, "-h").stdout == found
    text = found.split("Examples:")[0]
    for sign in ("\\", "[[", "<bool>", "{MODEL}"):
        assert sign not in text
    usage = re.search(r"Usage: .*", text)
    assert usage is not None
    assert "{" not in usage[0]
    for field in command_fields(command):
        assert all(choice in found for choice in field.choices)
        assert field.field.help
    plain = " ".join(found.replace(" (default: those of the current folder)", "").split())
    assert [entry for entry in plain.split(" --")[1:] if entry.lower().count("default:") > 1] == []


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_copy(name: str, run: Run) -> None:
    """A copy has the files of the case study, and commands for it are printed."""
    result = run("example", name)
    assert result.exit_code == 0
    example = EXAMPLES[name]
    assert {path.name: path.read_bytes() for path in Path(name).iterdir()} == {
        Path(file).name: (CASES / example.source / file).read_bytes() for file in example.files
    }
    for command in example.commands:
        assert f"  {command}\n" in result.stdout


def test_a_failure_leaves_nothing(place: Path) -> None:
    """If a file cannot be written, the ones before it and the folder are removed."""
    script = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)); "
    script += "from splc.cli import main; sys.argv = ['splc', 'example', 'zstd']; main()"
    # Coverage could not write its data either.
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=place, env=untraced(), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "measurements.csv: cannot be written: File too large" in done.stderr
    assert list(place.iterdir()) == []


def test_the_wheel_has_the_files() -> None:
    """The wheel includes the files of all examples, and nothing else of the case studies."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
    paths = [path for path in wheel["wheel"]["only-include"] if path.startswith("casestudies/")]
    included = {file for path in paths for file in tracked(ROOT) if file.is_relative_to(ROOT / path)}
    assert included == {path.resolve() for example in EXAMPLES.values() for path in example.paths.values()}
