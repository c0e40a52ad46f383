"""Next steps: the commands that are printed below a result run as they are printed."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from splc.io.files import STANDARD
from splc.workflows.common_fields import inputs_of
from splc.workflows.inputs import SystemInputs
from splc.workflows.learn import Request
from splc.workflows.views import NextStep
from tests.cli.conftest import Run

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
