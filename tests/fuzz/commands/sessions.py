"""Sessions: generated command lines in a project, and what they may do."""

from __future__ import annotations

import os
import random
import re
import shlex
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from splc.cli.app import COMMANDS
from splc.io.files import is_file
from splc.workflows.fields import BoundField
from tests.fuzz.commands.law import ACCEPTED, run, violations
from tests.fuzz.commands.project import PROGRAM, Project, project
from tests.fuzz.commands.systems import kind_of
from tests.fuzz.commands.values import KINDS, LONG, number, value_of
from tests.fuzz.limits import SPECIAL
from tests.support.schemas import command_fields, spelling

# Options that start a cluster, which takes seconds; the tests of clusters use them.
WITHOUT = ("--backend", "--scheduler", "--help")
# An option → one that it needs.
NEEDED = {
    "--max-repeat": "--max-deviation",
    "--retry-failed": "--resume",
    "--maximize": "--goal",
}
NEEDED |= {"--view": "--plot", "--prefix": "--command-lines", "--postfix": "--command-lines"}
# Options that few projects allow, and seldom the others of a line.
RARE = (
    "--parameter", "--at", "--round", "--learning", "--against", "--interval", "--extend", "--observed", "--check",
    "--evaluate-on", "--batch", "--cwd", "--maximize-only", "--sum", "--given-terms",
    "--scale", "--picture", "--bound",
)  # fmt: skip
OF_CONTEXTS = ("--by", "--context", "--where")
# `splc scale --suggest` takes other options than models do.
OF_POINTS = (
    "--cost", "--target", "--strategy", "--until", "--budget", "--count", "--axis", "--extend", "--repetitions",
    "--suggest",
)  # fmt: skip
NOT_OF_POINTS = ("--tree", "--plot", "--predict-at", "--by", "--top", "--suggest")
# `splc tune` runs a command, or replays a table.
OF_COMMANDS = (
    "--cwd", "--env", "--timeout", "--journal", "--resume", "--retry-failed", "--default", "--from", "--for", "--race",
    "--workers", "--dry-run", "--explore", "--limit", "--column", "--verify", "--output", "--best", "--model",
    "--replay", "--command", "--plot", "--keep-going",
)  # fmt: skip
OF_TABLES = (
    "--seeds", "--where", "--ignore", "--aggregate", "--duplicates", "--invalid", "--options", "--at-least", "--replay",
)  # fmt: skip
_MISTYPED = 0.02
_TEXTS = tuple(each.decode("utf-8", "surrogateescape").replace("\0", "") for each in SPECIAL)


def line(command: str, project: Project, rng: random.Random) -> list[str]:
    """Draw a command line; most of them have what their command cannot do without."""
    every = {spelling(each): each for each in command_fields(command)}
    points = command == "scale" and rng.random() < 0.3
    replays = command == "tune" and rng.random() < 0.4
    required = [name for name, each in every.items() if each.required and each.field.kind == "option"]
    free = [name for name in every if name.startswith("-") and name not in (*required, *WITHOUT)]
    free = [name for name in free if rng.random() < likelihood(command, name, project, points, replays)]
    chosen = required + rng.sample(free, min(len(free), rng.choice((0, 0, 1, 1, 1, 2, 2, 3, 4))))
    needed = sorted({NEEDED.get(name, "") for name in chosen} & every.keys() - {*chosen})
    chosen += [name for name in needed if rng.random() < 0.9]
    if "--quiet" in chosen and rng.random() < 0.9:
        chosen = [name for name in chosen if name != "--verbose"]
    kind = rng.choice(KINDS.get(command, (command,)))
    words = [word for name in chosen for word in _with_value(kind, every[name], project, rng)]
    drawn = {*words}
    # What is separated or ignored is not selected, and the other way round.
    apart = {
        part.partition("=")[0]
        for name, value in pairwise(words)
        if name in ("--by", "--ignore", "--where")
        for part in value.split(",")
    }
    for name, value in usual(command, project, rng, points, replays):
        conflicts = name in drawn or (name in OF_CONTEXTS and value.partition("=")[0] in apart)
        if name in every and not conflicts and (rng.random() < 0.95 or LONG in drawn):
            words += [name, value]
    for name, each in every.items():
        if not name.startswith("-") and (each.required or rng.random() < argument_likelihood(command)):
            count = rng.choice((1, *[2] * 8, 3)) if command == "compare" else 1
            words += [_value(kind, each, project, rng) for _ in range(count)]
    return [command, *words, *(["--suggest"] if points else [])]


def argument_likelihood(command: str) -> float:
    """Return how likely an optional argument is given."""
    if command == "measure":
        # A sampling says what is measured.
        return 0.03
    return 0.95 if command in ("compare", "report") else 0.7


def likelihood(command: str, name: str, project: Project, points: bool, replays: bool) -> float:
    """Return how likely an option is one that may be chosen."""
    described = bool(project.files("system.xml"))
    unfit = (
        (name in OF_CONTEXTS and not project.system.contexts)
        or (name == "--options" and described)
        or (name == "--no-constraints" and (described or command not in ("init", "describe", "learn")))
        or (command == "init" and name == "--output" and described)
        or (command == "tune" and name in (OF_COMMANDS if replays else OF_TABLES))
        or (
            command == "measure" and name in ("--configurations", "--journal", "--append", "--resume", "--retry-failed")
        )
        or (command == "changed" and name in ("--context", "--where", "--ignore", "--options", "--system"))
        or (command == "scale" and name in (NOT_OF_POINTS if points else OF_POINTS))
    )
    return 0.05 if unfit else 0.2 if name in RARE else 1.0


def usual(command: str, project: Project, rng: random.Random, points: bool, replays: bool) -> list[tuple[str, str]]:
    """Return options that nearly every line of a command has: what it cannot do without, and budgets of time."""
    sampling = value_of(command, "--sampling")
    if command == "changed":
        return [("--measurements", "versions.csv"), ("--property", project.system.properties[0])]
    program = f"./{PROGRAM} {rng.choice(('{options}', '-x {options}', '{repetition} {options}'))}"
    found = {
        "measure": [
            ("--sampling", "random:2"),
            ("--output", f"runs{rng.randrange(1000)}.csv"),
            ("--command", program),
        ],
        "tune": [("--budget", "6"), ("--replay", "measurements.csv")]
        if replays
        else [("--budget", "6"), ("--command", program), ("--output", f"runs{rng.randrange(1000)}.csv")],
        "sample": [("--sampling", sampling(project, rng) if sampling else "")],
        # Not the default, the file of learned models.
        "scale": [("--output", "scaling.json")],
        "study": [("--jobs", "1")],
        "suggest": [("--budget", "2")],
    }.get(command, [])
    runs = command == "measure" or (command == "tune" and not replays)
    if runs and not project.files("system.xml"):
        found += [("--system", "systems/app/system.xml")]
    texts = [name for name in map(kind_of, project.system.groups()) if name in project.header]
    if texts and not points and not runs and command != "scale":
        found += [("--options", ",".join(texts))]
    contexts = {} if points or runs or command in {"init", "scale"} else project.system.contexts
    # A single model is seldom one of all values.
    every = (*contexts, *contexts) if command != "explain" else ()
    by = rng.choice([*every, "", ""]) if "--by" in map(spelling, command_fields(command)) else ""
    if command == "calibrate" and rng.random() < 0.4:
        return [("--system", "systems/app/system.xml"), ("--measurements", "systems/app/measurements.csv")]
    if command == "report" and contexts:
        found += [("--measurements", "systems/app/measurements.csv")]
    first = {name: project.rows[0].get(name, values[0]) for name, values in contexts.items()}
    return found + [("--by", name) if name == by else ("--where", f"{name}={first[name]}") for name in contexts]


def _with_value(kind: str, parameter: BoundField, project: Project, rng: random.Random) -> list[str]:
    """Return an option with its value, or a flag, as words."""
    name = rng.choice([name for each in parameter.spellings for name in each.split("/")])
    if parameter.field.kind == "flag":
        return [name]
    times = 2 if parameter.repeated and not parameter.required and rng.random() < 0.15 else 1
    return [word for _ in range(times) for word in (name, _value(kind, parameter, project, rng))]


def _value(kind: str, parameter: BoundField, project: Project, rng: random.Random) -> str:
    own = value_of(kind, spelling(parameter))
    text = rng.choice(parameter.choices) if parameter.choices else (own or number)(project, rng)
    return mistyped(str(text), rng) if rng.random() < _MISTYPED else str(text)


def mistyped(text: str, rng: random.Random) -> str:
    """Return a text with a letter left out or doubled, or with something that no one expects."""
    at = rng.randrange(len(text) + 1)
    match rng.randrange(4):
        case 0:
            return text[:at] + text[at + 1 :]
        case 1:
            return text[:at] + text[max(at - 1, 0) :]
        case 2:
            return text[:at] + rng.choice(_TEXTS) + text[at:]
        case _:
            return rng.choice(_TEXTS)


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
