"""Golden files: command lines, each followed by what it prints, and how both are compared.

The first line of a file names the project below `tests/golden/projects`, in a copy of which the commands are run one
after the other. Lines of standard error begin with `2> `, and an exit code that is not 0 is a line in brackets. `cat
FILE` prints a file, and `ls` the names of all files.

Two lines agree if their texts are the same and their numbers agree one by one. Numbers agree if they are written in the
same way. Numbers of six significant digits or more, which depend on the kernels of linear algebra, agree to five; they
are written with six. Numbers below 1e-9 are rounding, and agree. Times and hashes are not compared.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.paths import ROOT
from tests.support.printed_numbers import NUMBER, significant, whole

FOLDER = ROOT / "tests" / "golden"
PROJECTS = FOLDER / "projects"
PROMPT, ERROR, PROJECT = "$ ", "2> ", "project: "
DIGITS, ROUNDING = 6, 1e-9
# What differs from run to run, and what is shown instead.
VOLATILE = (
    (re.compile(r"\b\d+(\.\d+)?(e-\d+)? (s|ms)\b"), "TIME"),
    (re.compile(r'("\w*seconds\w*": )[\d.e-]+'), r"\1TIME"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "SHA256"),
    (re.compile(r"\bsplc \d+\.\d+\.\d+"), "splc VERSION"),
    (re.compile(r'("machine": )\{[^}]*\}'), r"\1MACHINE"),
)
Run = Callable[..., tuple[int, str, str]]


@dataclass(frozen=True)
class Step:
    """A command line, and the lines that it prints."""

    command: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Session:
    """The content of a golden file."""

    project: str
    steps: tuple[Step, ...]

    @property
    def text(self) -> str:
        """The text of the file."""
        parts = [PROJECT + self.project, *("\n".join(["", PROMPT + step.command, *step.lines]) for step in self.steps)]
        return "\n".join(parts) + "\n"


def read_session(file: Path) -> Session:
    """Read a golden file."""
    first, *lines = file.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    starts = [at for at, line in enumerate(lines) if line.startswith(PROMPT)]
    steps = []
    for start, end in zip(starts, [*starts[1:], len(lines) + 1], strict=True):
        # An empty line is before the next command.
        steps.append(Step(lines[start].removeprefix(PROMPT), tuple(lines[start + 1 : end - 1])))
    return Session(first.removeprefix(PROJECT), tuple(steps))


def performed(session: Session, run: Run) -> Iterator[Step]:
    """Run the commands in the current folder, and yield them with what they print.

    A printed line that agrees with the one of the session is that one.
    """
    for step in session.steps:
        printed = outcome(step.command, run)
        known = step.lines if len(step.lines) == len(printed) else [""] * len(printed)
        yield Step(
            step.command, tuple(old if same_line(old, new) else new for old, new in zip(known, printed, strict=True))
        )


def outcome(command: str, run: Run) -> list[str]:
    """Return the lines that a command prints."""
    program, *arguments = shlex.split(command)
    if program == "cat":
        return _lines(Path(arguments[0]).read_text(encoding="utf-8"))
    if program == "ls":
        return sorted(path.name for path in Path().iterdir())
    assert program == "splc", f"unknown program: {command}"
    code, out, error = run(*arguments)
    return [*_lines(out), *(ERROR + line for line in _lines(error)), *([f"[{code}]"] if code else [])]


def _lines(text: str) -> list[str]:
    return stable(text).removesuffix("\n").split("\n") if text else []


def stable(text: str) -> str:
    """Return a text without times, hashes and facts of the machine, and with at most six significant digits."""
    for pattern, shown in VOLATILE:
        text = pattern.sub(shown, text)
    return NUMBER.sub(lambda found: _shortened(found[0]), text)


def _shortened(number: str) -> str:
    return number if whole(number) or significant(number) <= DIGITS else f"{float(number):.{DIGITS}g}"


def same_line(one: str, other: str) -> bool:
    """Return whether two lines agree: see the top of this file."""
    if one == other:
        return True
    first, second = NUMBER.split(one), NUMBER.split(other)
    return first[::2] == second[::2] and all(map(_same_number, first[1::2], second[1::2]))


def _same_number(one: str, other: str) -> bool:
    if one == other or max(abs(float(one)), abs(float(other))) < ROUNDING:
        return True
    if (whole(one) and whole(other)) or max(significant(one), significant(other)) < DIGITS:
        return False
    return math.isclose(float(one), float(other), rel_tol=2e-5)
