"""Golden files: command lines, each followed by what it prints, and how both are compared.

A file has one or several sessions. A session begins with the name of the project below `tests/golden/projects`, in a
copy of which the commands are run one after the other (`empty` has no files), the names of the files that are copied if
not all are (`PROJECT/FILE` is one of another project), and lines with `#` that say what the session shows. Lines of
standard error begin with `2> `, and an exit code that is not 0 is a line in brackets. Besides `splc` there are a few
commands: `cat FILE`, `ls` (the names of all files), `rm FILE`, `mv FILE FILE`, `ln FILE LINK`, `mkdir FOLDER` and
`write FILE`, above the lines of the file. `< FILE` gives the standard input of a command. At its end `| jq PROGRAM`, `|
grep -o PATTERN` (of Python), `| head -n LINES` or `| tail -n LINES` shows a part of the standard output, or of the file
of `cat`, which is all that is compared. What fits of a JSON object is on one line.

Two lines agree if their texts are the same and their numbers agree one by one. Numbers agree if they are written in the
same way. Numbers of six significant digits or more, which depend on the kernels of linear algebra, agree to five; they
are written with six. Numbers below 1e-9 are rounding, and agree. Times and hashes are not compared.
"""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.paths import ROOT

FOLDER = ROOT / "tests" / "golden"
REWRITE, INTENDED = "SPLC_GOLDEN", "If this is intended: make golden"
PROJECTS = FOLDER / "projects"
# The project without files.
NOTHING = "empty"
PROMPT, ERROR, PROJECT, TITLE = "$ ", "2> ", "project: ", "# "
DIGITS, ROUNDING = 6, 1e-9
NUMBER = re.compile(r"([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)")
# JSON: the width of a line, the steps of `jq`, and a number in place of all others where lines are broken: kernels of
# linear algebra differ in the last digits.
WIDTH, PATH, SHOWN = 120, re.compile(r"\.(\w*)(\[\])?"), "1.23456"
# What differs from run to run, and what is shown instead.
VOLATILE = (
    # How long something took, not a predicted or measured time.
    (re.compile(r"(\btime:? +|\babout )\d+(\.\d+)?(e-\d+)? (s|ms)\b"), r"\1TIME"),
    (re.compile(r'("\w*seconds\w*": )[\d.e-]+'), r"\1TIME"),
    (re.compile(r"\b\d\d:\d\d:\d\d\.\d+\b"), "TIME"),
    # The milliseconds of a round in a log.
    (re.compile(r"^(\d+;[^;\n]*(?:;[^;\n]*){4};)[\d.e-]+(?=;)", re.MULTILINE), r"\1TIME"),
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
    """A part of a golden file: commands that are run in a copy of a project."""

    project: str  # the project, and the files that are copied if not all are
    steps: tuple[Step, ...]  # the commands with what they print
    titles: tuple[str, ...] = ()  # what the session shows

    @property
    def text(self) -> str:
        """The text of the session."""
        head = "\n".join([PROJECT + self.project, *(TITLE + title for title in self.titles)])
        return "\n\n".join([head, *("\n".join([PROMPT + step.command, *step.lines]) for step in self.steps)]) + "\n"

    def copy_to(self, folder: Path) -> None:
        """Copy the files of the project into a folder."""
        name, *files = self.project.split()
        if not files and name != NOTHING:
            shutil.copytree(PROJECTS / name, folder)
            return
        folder.mkdir()
        for file in files:
            shutil.copy(PROJECTS / (file if "/" in file else f"{name}/{file}"), folder)


def read_sessions(file: Path) -> list[Session]:
    """Read a golden file."""
    lines = file.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    starts = [at for at, line in enumerate(lines) if line.startswith(PROJECT)]
    ends = [*(start - 1 for start in starts[1:]), len(lines)]
    return [_session(lines[start:end]) for start, end in zip(starts, ends, strict=True)]


def _session(lines: Sequence[str]) -> Session:
    starts = [at for at, line in enumerate(lines) if line.startswith(PROMPT)]
    steps = []
    for start, end in zip(starts, [*starts[1:], len(lines) + 1], strict=True):
        # An empty line is before the next command.
        steps.append(Step(lines[start].removeprefix(PROMPT), tuple(lines[start + 1 : end - 1])))
    titles = tuple(line.removeprefix(TITLE) for line in lines[1 : starts[0]] if line)
    return Session(lines[0].removeprefix(PROJECT), tuple(steps), titles)


def performed(session: Session, run: Run) -> Iterator[Step]:
    """Run the commands in the current folder, and yield them with what they print.

    A printed line that agrees with the one of the session is that one.
    """
    for step in session.steps:
        printed = outcome(step, run)
        known = step.lines if len(step.lines) == len(printed) else [""] * len(printed)
        yield Step(
            step.command, tuple(old if same_line(old, new) else new for old, new in zip(known, printed, strict=True))
        )


def outcome(step: Step, run: Run) -> Sequence[str]:
    """Return the lines that a command prints."""
    program, *arguments = shlex.split(step.command)
    path = Path(arguments[0]) if arguments else Path()
    if program == "cat":
        return _shown(path.read_text(encoding="utf-8"), arguments[2:])
    if program == "ls":
        return sorted(each.name for each in path.iterdir())
    if program == "write":
        path.write_text("".join(f"{line}\n" for line in step.lines), encoding="utf-8")
        return step.lines
    if program in ("rm", "mkdir"):
        (path.unlink if program == "rm" else path.mkdir)()
        return ()
    if program == "mv":
        path.rename(arguments[1])
        return ()
    if program == "ln":
        Path(arguments[1]).symlink_to(path)
        return ()
    assert program == "splc", f"unknown program: {step.command}"
    given: dict[str, str] = {}
    part: list[str] = []
    if "|" in arguments:
        at = arguments.index("|")
        arguments, part = arguments[:at], arguments[at + 1 :]
    if "<" in arguments:
        given = {"stdin": Path(arguments[-1]).read_text(encoding="utf-8")}
        arguments = arguments[:-2]
    code, out, error = run(*arguments, **given)
    return [*_shown(out, part), *(ERROR + line for line in _lines(error)), *([f"[{code}]"] if code else [])]


def _shown(text: str, part: Sequence[str]) -> list[str]:
    """Return the lines that are shown of an output."""
    if not part:
        return _lines(compacted(text))
    program, *_, argument = part
    if program == "jq":
        return _lines(selected(text, argument))
    if program == "grep":
        return re.findall(argument, text)
    return _lines(text)[: int(argument)] if program == "head" else _lines(text)[-int(argument) :]


def _lines(text: str) -> list[str]:
    return stable(text).removesuffix("\n").split("\n") if text else []


def stable(text: str) -> str:
    """Return a text without times, hashes and facts of the machine, and with at most six significant digits."""
    for pattern, shown in VOLATILE:
        text = pattern.sub(shown, text)
    return NUMBER.sub(lambda found: _shortened(found[0]), text)


def _shortened(number: str) -> str:
    return number if whole(number) or significant(number) <= DIGITS else f"{float(number):.{DIGITS}g}"


def check_sessions(file: Path, run: Callable[..., Any], folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Check that command lines print the lines below them, end with the exit codes, and write the files, or do so."""
    patch.setenv("COLUMNS", "100")

    def printed(*arguments: str, **settings: str) -> tuple[int, str, str]:
        result = run(*arguments, **settings)
        return result.exit_code, result.stdout, result.stderr

    sessions = read_sessions(file)
    found = []
    for number, session in enumerate(sessions):
        own = folder / f"{number}" / session.project.split()[0]
        own.parent.mkdir()
        session.copy_to(own)
        patch.chdir(own)
        found.append(replace(session, steps=tuple(performed(session, printed))))
    for session, new_session in zip(sessions, found, strict=True):
        for step, new in zip(session.steps, new_session.steps, strict=True):
            assert new.lines == step.lines or os.environ.get(REWRITE), f"$ {step.command}\n{INTENDED}"
    check_file(file, "\n".join(session.text for session in found))


def check_file(file: Path, text: str) -> None:
    """Check that a golden file has this text, or write it."""
    if os.environ.get(REWRITE):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8"), INTENDED


def same_line(one: str, other: str, agree: Callable[[str, str], bool] | None = None) -> bool:
    """Return whether two lines have the same text, and numbers that agree, by default as the top of this file says."""
    first, second = NUMBER.split(one), NUMBER.split(other)
    numbers = map(agree or _same_number, first[1::2], second[1::2])
    return one == other or (first[::2] == second[::2] and all(numbers))


def _same_number(one: str, other: str) -> bool:
    if one == other or max(abs(float(one)), abs(float(other))) < ROUNDING:
        return True
    if (whole(one) and whole(other)) or max(significant(one), significant(other)) < DIGITS:
        return False
    return math.isclose(float(one), float(other), rel_tol=2e-5)


def significant(number: str) -> int:
    """Return how many significant digits a number is shown with; zeros at its end count."""
    return len(number.partition("e")[0].lstrip("+-").replace(".", "").lstrip("0"))


def whole(number: str) -> bool:
    """Return whether a number is written as a whole one."""
    return number.lstrip("+-").isdecimal()


def compact(value: Any, indent: str = "") -> str:
    """Return a JSON value as text; what fits is on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent + NUMBER.sub(lambda found: found[0] if found[0].isdecimal() else SHOWN, line)) <= WIDTH or (
        not isinstance(value, dict | list)
    ):
        return line
    inner = indent + "  "
    if isinstance(value, list):
        return "[\n" + ",\n".join(inner + compact(each, inner) for each in value) + f"\n{indent}]"
    entries = (f"{inner}{json.dumps(name, ensure_ascii=False)}: {compact(each, inner)}" for name, each in value.items())
    return "{\n" + ",\n".join(entries) + f"\n{indent}}}"


def compacted(text: str) -> str:
    """Return a text, and a JSON object as `compact` shows it."""
    return f"{compact(json.loads(text))}\n" if text.startswith("{\n") else text


def selected(text: str, program: str) -> str:
    """Return what `jq` selects from a JSON object: `.a.b` is a value, `.a[]` each of a list, `{a, b}` some keys."""
    values = [json.loads(text)]
    for stage in program.split("|"):
        values = [found for value in values for found in _selected(value, stage.strip())]
    return "".join(f"{compact(value)}\n" for value in values)


def _selected(value: Any, stage: str) -> Iterator[Any]:
    if stage.startswith("{"):
        yield {name: value[name] for name in stage.strip("{}").replace(" ", "").split(",")}
        return
    found = PATH.match(stage)
    assert found, f"not supported by tests/support/golden.py: {stage}"
    value = value[found[1]] if found[1] else value
    for each in value if found[2] else [value]:
        yield from _selected(each, rest) if (rest := stage[found.end() :]) else [each]
