"""Outputs of commands: pipes, files that are not overwritten, and next steps that run as they are printed."""

from __future__ import annotations

import itertools
import os
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from splc.cli.app import COMMANDS, app
from splc.io.files import STANDARD
from splc.measuring.journal import read_journal
from splc.workflows.fields import inputs_of
from splc.workflows.inputs import SystemInputs
from splc.workflows.learn import Request
from splc.workflows.views import NextStep
from tests.cli.conftest import MEASUREMENTS, Run

Refused = Callable[..., str]

STEPWISE = ("--learner", "stepwise")
# Arguments of each command that writes a file, and the name of the file.
TUNE = ("--command", "echo 3", "--property", "t=regex:(.)", "--budget", "3")
CHANGED = ("versions.csv", "--by", "version")
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
    "explain": (("other.txt",), "out.csv"),
    "changed": (CHANGED, "out.md"),
    "report": (("other.txt", "analytical.txt"), "out.html"),
}
PLOTS: dict[str, tuple[str, ...]] = {
    "changed": CHANGED,
    "learn": STEPWISE,
    "explain": ("other.txt",),
    "optimize": ("other.txt", "analytical.txt", "--property", "time", "--property", "energy"),
    "compare": ("other.txt", "analytical.txt"),
    "scale": ("profile.csv",),
    "tune": (*TUNE, "-o", "out.csv"),
}


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
def test_outputs(run: Run, inputs: Path, command: str) -> None:
    """A named pipe gets what a file gets, and `/dev/stdout` is standard output."""
    arguments, name = WRITERS[command]
    journals = iter("abcd")

    def given() -> tuple[str, ...]:
        return (command, *arguments, *(("--journal", next(journals)) if command in ("measure", "tune") else ()), "-o")

    for folder in ("files", "pipes"):
        (inputs / folder).mkdir()
    done = run(*given(), f"files/{name}")
    assert done.exit_code == 0, done.output
    written = (inputs / "files" / name).read_text(encoding="utf-8")
    piped = through_pipe(run, inputs / "pipes" / name, *given()).decode()
    assert without_seconds(piped) == without_seconds(written).replace("files/", "pipes/")
    shown, plain = (run(*given(), path).stdout for path in ("/dev/stdout", "-"))
    assert without_seconds(shown) == without_seconds(plain) != ""


def without_seconds(text: str) -> str:
    """Return a text without durations."""
    return re.sub(r"(?<=;)[0-9.e-]+(?=;)|[0-9]+:[0-9:.]+|[0-9.e-]+ ?s\b", "", text)


@pytest.mark.parametrize("command", PLOTS)
def test_plots(run: Run, inputs: Path, command: str) -> None:
    """A picture is written to a named pipe."""
    assert b"<svg" in through_pipe(run, inputs / "p.svg", command, *PLOTS[command], "--plot")


def test_a_file_per_value(refused: Refused, inputs: Path) -> None:
    """A pipe cannot be the output of a command that writes a file per value, and nothing is written beside it."""
    lines = MEASUREMENTS.splitlines()
    text = "\n".join([f"version,{lines[0]}", *(f"{version},{line}" for version in ("v1", "v2") for line in lines[1:])])
    Path("versions.csv").write_text(text, encoding="utf-8")
    Path("profiles.csv").write_text("version,p,time\n" + "".join(f"v1,{p},{p}\n" for p in (2, 4, 8, 16, 32)))
    for name in ("pipe", "pipe.toml"):
        os.mkfifo(name)
    before = sorted(inputs.iterdir())
    table = ("--measurements", "versions.csv")
    for command in (
        ("learn", *STEPWISE, *table),
        ("calibrate", *WRITERS["calibrate"][0], *table),
        ("predict", "other.txt", "versions.csv"),
        ("scale", "profiles.csv", "--coordinates", "p"),
    ):
        for name in ("pipe", "pipe.toml"):
            assert "one file per value" in refused(*command, "--by", "version", "-o", name)
    assert sorted(inputs.iterdir()) == before


def test_journals(refused: Refused, inputs: Path) -> None:
    """The journal of a measurement needs a name where the output is a pipe, and cannot be one."""
    os.mkfifo(inputs / "pipe")
    measure = ("measure", *WRITERS["measure"][0])
    assert "needs a name" in refused(*measure, "-o", "pipe")
    for journal in ("pipe", "-", "/dev/null"):
        assert "must be a file" in refused(*measure, "-o", "m.csv", "--journal", journal)
    assert read_journal("m.journal") == []


def test_logs_of_scripts(run: Run, inputs: Path) -> None:
    """The log of a script may be a pipe; then no second file is written beside it."""
    (inputs / "s.a").write_text("log pipe\nvm system.xml\n", encoding="utf-8")
    log = through_pipe(lambda *arguments: run(*arguments[:-1]), inputs / "pipe", "run", "s.a")
    assert b"command: vm system.xml" in log
    assert not (inputs / "pipe_error").exists()


def test_what_was_redirected_to_standard_input_is_kept(folder: Path) -> None:
    """The file that standard input comes from is an input, too."""
    command = [sys.executable, "-m", "splc", "convert", "-", "-o", "measurements.csv"]
    before = (folder / "measurements.csv").read_bytes()
    with (folder / "measurements.csv").open("rb") as stream:
        found = subprocess.run(command, stdin=stream, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (2, "")
    assert "this is an input" in found.stderr
    assert (folder / "measurements.csv").read_bytes() == before


@pytest.mark.parametrize(
    "content", [b"", b"a note\n", b"\xff\xfe{", b'{"nfp": 3, "provenance": []}', b"[1]", b"[" * 9999]
)
def test_other_files_have_no_subject(run: Run, folder: Path, content: bytes) -> None:
    """A file that names neither a system nor a property is replaced without a note."""
    for name in ("learned.log", "damaged.log.gz"):
        (folder / name).write_bytes(content)
        result = run("learn", "--preset", "splconqueror", "--property", "time", "-o", name)
        assert result.exit_code == 0
        assert "replaced" not in result.stderr


HEADER = "cache,level,mode name,time,size"


def rows(count: int, factor: float = 1.0) -> str:
    """Return a table with three options, two properties and some of the combinations."""
    found = [(c, level, mode) for level in (1, 2, 4, 8, 16) for c in (0, 1) for mode in (0, 1)][:count]
    lines = (f"{c},{level},{m},{factor * (5 + 3 * c + level * (1 + m)):g},{10 + level}" for c, level, m in found)
    return "\n".join([HEADER, *lines]) + "\n"


def steps_of(printed: str) -> Iterator[list[str]]:
    """Yield the arguments of the next steps below a result."""
    _, found, steps = printed.partition("\nnext:\n" if not printed.startswith("next:\n") else "next:\n")
    for line in steps.splitlines() if found else ():
        words = shlex.split(line, comments=True)
        assert words[0] == "splc", line
        yield words[1:]


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["my table.csv", "--property", "time"], marks=pytest.mark.slow),
        ["my table.csv", "--property", "time", "--ignore", "size", "-o", "a model.json"],
        ["my table.csv", "--property", "time", "--options", "cache,level,mode name"],
        ["--measurements", "my table.csv", "--property", "time", "--sampling", "random:12"],
        ["my table.csv", "--property", "time", "--preset", "splconqueror"],
        ["few.csv", "--property", "time"],
    ],
)
def test_commands_run(arguments: list[str], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command that follows from learning runs, and so does every command that follows from it."""
    monkeypatch.chdir(tmp_path)
    Path("my table.csv").write_text(rows(17), encoding="utf-8")
    Path("few.csv").write_text(rows(5), encoding="utf-8")
    done = run("learn", *arguments)
    assert done.exit_code == 0, done.stderr
    steps = list(steps_of(done.stderr))
    assert "explain" in [step[0] for step in steps]
    assert ("suggest" in [step[0] for step in steps]) is not ("--sampling" in arguments or "--preset" in arguments)
    for step in steps:
        followed = run(*step)
        assert followed.exit_code == 0, (step, followed.stderr)


def test_the_best_configuration_is_explained(run: Run, folder: Path) -> None:
    """The next step after optimize explains the optimum, against the best measured configuration if there is one."""
    (folder / "splc.toml").write_text('nfp = "time"\n', encoding="utf-8")
    assert run("learn").exit_code == 0
    for arguments in (
        (),
        ("--maximize",),
        ("--printed",),
        ("--property", "time", "--measurements", "measurements.csv"),
    ):
        (step,) = steps_of(run("optimize", "learned.log", *arguments).stderr)
        assert step[:2] == ["explain", "learned.log"]
        assert run(*step).exit_code == 0


def test_standard_input_is_not_read_again() -> None:
    """Inputs of a request from standard input have no command."""
    assert inputs_of(Request(measurements=STANDARD), SystemInputs) is None
    request = Request(measurements="a b.csv", options=("x", "y"), where={"v": "1 2"}, ignore=("p", "q"), nfp="t")
    found = inputs_of(request, SystemInputs)
    assert found is not None
    assert NextStep(("learn", *found), "").command == (
        "splc learn --measurements 'a b.csv' --options x,y --property t --ignore p --ignore q --where 'v=1 2'"
    )


@pytest.mark.parametrize("verb", ["describe", "learn"])
def test_other_roles(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str) -> None:
    """Commands with other roles run, also where contexts with several values stop the one that proposes them."""
    monkeypatch.chdir(tmp_path)
    points = itertools.product(("a b", "c"), ("x", "y"), (8, 9), (1, 2, 4), (0, 1, 2))
    rows = [
        f"{host},{runner},{release},{n},{k},{10 / n + release + at % 7 / 50},{at * 31 % 97 % 4}"
        for at, (host, runner, release, n, k) in enumerate(points)
    ]
    Path("t.csv").write_text("\n".join(["host,runner,release,n,k,time,worker", *rows, ""]), encoding="utf-8")
    output = run(verb, "t.csv", "--property", "time").stderr
    commands = re.findall(rf"^ +(otherwise|as options) +splc ({verb} .*)$", output, re.MULTILINE)
    assert [when for when, _ in commands] == ["otherwise", "as options"]
    for _, command in commands:
        assert run(*shlex.split(command)).exit_code == 0, command
