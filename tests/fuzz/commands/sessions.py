"""Sessions: commands one after the other in one generated project, all of them determined by a number."""

from __future__ import annotations

import os
import random
import re
import shlex
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from splc.cli.app import COMMANDS
from splc.io.files import is_file
from tests.fuzz.commands.child import run
from tests.fuzz.commands.law import ACCEPTED, violations
from tests.fuzz.commands.lines import line
from tests.fuzz.commands.project import project

# What is called again with the models that the session wrote.
AGAIN = ("learn", "explain", "predict", "optimize", "compare", "suggest", "describe", "convert")
_FRAME = re.compile(r'^  File "([^"]+)", line (\d+), in (\S+)', re.MULTILINE)
_OWN = ("/splc/", "/sampling/", "/comparison/")


@dataclass(frozen=True)
class Finding:
    """A command that broke the law."""

    number: int  # the session
    step: int  # the place of the command in it
    line: str  # the command line
    problems: tuple[str, ...]  # how it broke the law
    stderr: str  # its messages, with the traceback of an internal error
    place: str  # what tells findings apart: the exception and its last line in the project, or the problem

    def __str__(self) -> str:
        """Return the finding as text."""
        return f"{self.number}.{self.step}: {self.line}\n    {'; '.join(self.problems)}\n    {self.place}"


@dataclass
class Figures:
    """Figures of sessions: numbers of commands and accepted ones, seconds of CPU by command, and findings."""

    commands: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)
    megabytes: int = 0
    slowest: tuple[float, str] = (0.0, "")
    findings: list[Finding] = field(default_factory=list)

    def add(self, other: Figures) -> None:
        """Add the figures of other sessions."""
        self.commands += other.commands
        self.accepted += other.accepted
        for name, seconds in other.seconds.items():
            self.seconds[name] = self.seconds.get(name, 0.0) + seconds
        self.megabytes = max(self.megabytes, other.megabytes)
        self.slowest = max(self.slowest, other.slowest)
        self.findings += other.findings

    def shares(self) -> dict[str, float]:
        """Return command → the share of its calls that were accepted."""
        return {name: self.accepted[name] / count for name, count in self.commands.items()}

    def table(self) -> Iterator[str]:
        """Yield the lines of a table by command."""
        yield f"{'command':10} {'calls':>6} {'accepted':>8} {'seconds':>8}"
        for name in sorted(self.commands, key=list(COMMANDS).index):
            yield f"{name:10} {self.commands[name]:6} {self.shares()[name]:8.0%} {self.seconds[name]:8.1f}"
        total, good = self.commands.total(), self.accepted.total()
        yield f"{'all':10} {total:6} {good / max(total, 1):8.0%} {sum(self.seconds.values()):8.1f}"


def session(number: int, folder: Path, keep: Path | None = None, echo: bool = False) -> Figures:
    """Run a session in an empty folder.

    `keep`: where the inputs of commands that break the law are written; `echo`: print every command line.
    """
    rng = random.Random(number)
    home = folder / "project"
    home.mkdir(parents=True)
    made = project(home, rng)
    figures = Figures()
    later = rng.sample(AGAIN, 4)
    for step, command in enumerate((*COMMANDS, *later)):
        arguments, stdin = piped(line(command, made, rng), home, rng)
        before = contents(home)
        outcome = run(arguments, home, folder / "scratch", stdin)
        after = contents(home)
        left = sorted(contents(folder / "scratch" / "tmp"))
        if echo:
            print(f"{number}.{step} [{outcome.code}, {outcome.seconds:.2f} s] {_shown(arguments, stdin)}")
            print(outcome.stderr.decode(errors="replace"), end="", flush=True)
        figures.commands[command] += 1
        figures.accepted[command] += outcome.code in ACCEPTED
        figures.seconds[command] = figures.seconds.get(command, 0.0) + outcome.seconds
        figures.megabytes = max(figures.megabytes, outcome.megabytes)
        figures.slowest = max(figures.slowest, (outcome.seconds, f"{number}.{step} {command}"))
        problems = violations(arguments, outcome, before, after, left)
        if problems:
            stderr = outcome.stderr
            if outcome.code == 70:
                # An internal error is shown with its traceback.
                _restore(folder / "again", before)
                stderr = run(arguments, folder / "again", folder / "scratch", stdin, debug=True).stderr
                shutil.rmtree(folder / "again")
            text = stderr.decode(errors="replace")
            place = _place(text) or f"{command}: {problems[0]}"
            figures.findings.append(Finding(number, step, _shown(arguments, stdin), tuple(problems), text, place))
            if keep is not None:
                _write(keep / f"{number}.{step}", before, figures.findings[-1])
            shutil.rmtree(folder / "scratch" / "tmp")
    return figures


def piped(arguments: list[str], home: Path, rng: random.Random) -> tuple[list[str], str]:
    """Return the arguments, a few times with `-` for one of the files, and the file behind standard input."""
    files = [at for at, word in enumerate(arguments) if is_file(str(home / word))]
    if not files or rng.random() > 0.04:
        return arguments, os.devnull
    at = rng.choice(files)
    return [*arguments[:at], "-", *arguments[at + 1 :]], arguments[at]


def _shown(arguments: list[str], stdin: str) -> str:
    """Return a command line as text that shells read."""
    text = shlex.join(["splc", *arguments]) + (f" < {shlex.quote(stdin)}" if stdin != os.devnull else "")
    return text.encode("utf-8", "backslashreplace").decode()


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder, and of folders in it, with their contents."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _place(messages: str) -> str | None:
    """Return the last line of the project in a traceback, with the exception; None without a traceback."""
    frames = [each for each in _FRAME.findall(messages) if any(part in each[0] for part in _OWN)]
    frames = [each for each in frames if "site-packages" not in each[0]]
    errors = (line for line in messages.splitlines() if re.match(r"[\w.]*(Error|Exception|Iteration|Warning)\b", line))
    return f"{frames[-1][0]}:{frames[-1][1]} {frames[-1][2]}: {next(errors, '')}" if frames else None


def _restore(folder: Path, files: dict[str, bytes]) -> None:
    """Write files into a new folder; programs can be executed."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o755 if content.startswith(b"#!") else 0o644)


def _write(folder: Path, files: dict[str, bytes], finding: Finding) -> None:
    """Write the inputs of a command, its line and its messages."""
    shutil.rmtree(folder, ignore_errors=True)
    _restore(folder / "project", files)
    text = f"{finding}\n\n{finding.stderr}"
    (folder / "finding.txt").write_text(text, encoding="utf-8", errors="backslashreplace")
