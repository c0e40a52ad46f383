"""The law of commands: what a command line may print and how it may end, in a process of its own."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import pkgutil
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support import cpu
from tests.support.schemas import schema_errors

# The soft limit of the CPU of each process, in seconds; the process ends.
SECONDS = 20
# The address space of a process, so that a defect does not take the memory of the machine; the law is stricter.
MAX_MEMORY = 4 * 1024**3
# A command that has not ended after this time, although it has CPU left, waits for something.
PATIENCE = 240.0


@dataclass(frozen=True)
class Outcome:
    """The result of a command."""

    code: int  # the exit code; negative: the signal that ended it
    stdout: bytes  # what it printed
    stderr: bytes  # its messages
    seconds: float  # its CPU, and that of its processes
    megabytes: int  # the largest memory of one of them
    hung: bool = False  # whether it was ended since it waited too long


def preload() -> None:
    """Import the project, and what it imports inside of functions, once for all commands."""
    with warnings.catch_warnings():
        # Modules with old names.
        warnings.simplefilter("ignore", DeprecationWarning)
        for package in ("splc", "sampling", "comparison"):
            for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
                if not module.name.endswith("__main__"):
                    importlib.import_module(module.name)
    cpu.preload()


def run(
    arguments: Sequence[str], folder: Path, scratch: Path, stdin: str = os.devnull, *, debug: bool = False
) -> Outcome:
    """Run `splc` with these arguments in a folder.

    `scratch` is for what it prints and for its temporary files; `stdin`: the file behind standard input; `debug`:
    print tracebacks.
    """
    (scratch / "tmp").mkdir(parents=True, exist_ok=True)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    begin = time.monotonic()
    process = os.fork()
    if process == 0:
        _child(arguments, folder, scratch, stdin, debug)
    hung, pause = False, 0.001
    while not (ended := os.wait4(process, os.WNOHANG))[0]:
        if time.monotonic() - begin > PATIENCE:
            hung = True
            os.killpg(process, signal.SIGKILL)
        time.sleep(pause)
        pause = min(2 * pause, 0.02)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)
    _, status, used = ended
    return Outcome(
        os.waitstatus_to_exitcode(status),
        (scratch / "stdout").read_bytes(),
        (scratch / "stderr").read_bytes(),
        used.ru_utime + used.ru_stime,
        used.ru_maxrss // 1024,
        hung,
    )


def _child(arguments: Sequence[str], folder: Path, scratch: Path, stdin: str, debug: bool) -> None:
    """Run the command line in this process, and end it."""
    code = 1
    try:
        os.setsid()
        os.chdir(folder)
        given = os.open(stdin, os.O_RDONLY)
        streams = [os.open(scratch / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) for name in ("stdout", "stderr")]
        for number, descriptor in enumerate((given, *streams)):
            os.dup2(descriptor, number)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False, buffering=1)  # noqa: SIM115
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
        os.environ |= {"TMPDIR": str(scratch / "tmp"), "HOME": str(scratch), "PYTHONWARNINGS": "default"}
        os.environ.pop("SPLC_DEBUG", None)
        if debug:
            os.environ["SPLC_DEBUG"] = "1"
        tempfile.tempdir = None
        signal.signal(signal.SIGINT, signal.default_int_handler)
        warnings.resetwarnings()
        warnings.simplefilter("always")
        sys.argv = ["splc", *arguments]
        from splc.cli import main

        code = _code(main)
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stderr.flush()
        os._exit(code)


def _code(main: object) -> int:
    """Return the exit code of the command line."""
    assert callable(main)
    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


MEGABYTES = 1536
CODES = (0, 1, 2, 130)
# Those that did what was asked, 1 with a negative answer.
ACCEPTED = (0, 1)
# Commands whose finished work is kept when they end with an error; `describe` prints what does not need measurements.
KEEPING = ("describe", "measure", "run", "study")
_WARNING = re.compile(rb"^\S.*:\d+: (\w*Warning): .*", re.MULTILINE)
_TRACEBACK = re.compile(rb"^Traceback \(most recent call last\)|^Exception ignored in", re.MULTILINE)
_TEMPORARY = re.compile(r"(^|/)\.[0-9a-f]{16}\.tmp$")

Files = Mapping[str, bytes]


def violations(
    arguments: Sequence[str], outcome: Outcome, before: Files, after: Files, temporary: Sequence[str]
) -> list[str]:
    """Return how a command broke the law: the name and arguments, the files of its folder, and temporary ones left."""
    found = []
    if outcome.hung:
        found.append("it does not end")
    elif outcome.seconds > SECONDS:
        found.append(f"more than {SECONDS} s of CPU")
    elif outcome.code not in CODES:
        found.append(f"exit code {outcome.code}")
    if outcome.megabytes > MEGABYTES or b"there is not enough memory" in outcome.stderr:
        found.append(f"{outcome.megabytes} MB of memory")
    if _TRACEBACK.search(outcome.stderr):
        found.append("a traceback")
    if warned := _WARNING.search(outcome.stderr):
        found.append(f"a warning of Python: {warned[0].decode(errors='replace')}")
    if outcome.code == 2 and not outcome.stderr.strip():
        found.append("exit code 2 without a message")
    if outcome.code == 2 and outcome.stdout and arguments[0] not in KEEPING:
        found.append("exit code 2 with a result")
    if "--json" in arguments and outcome.code in ACCEPTED:
        found += _not_an_object(outcome.stdout)
    if strays := [*temporary, *(name for name in after if _TEMPORARY.search(name) and name not in before)]:
        found.append(f"temporary files: {', '.join(strays)}")
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    if outcome.code == 2 and changed and arguments[0] not in KEEPING:
        found.append(f"exit code 2 after writing {', '.join(changed)}")
    # `splc convert --to` writes any format into any file.
    known = "--to" not in arguments
    return found + [
        f"{name} is not whole" for name in changed if name in after and known and not _whole(name, after[name])
    ]


def _not_an_object(text: bytes) -> list[str]:
    """Return what is wrong with the JSON object that a command printed."""
    try:
        json.loads(text, parse_constant=_refused)
    except ValueError as error:
        return [f"the output of --json is not one JSON object: {error}"]
    try:
        errors = schema_errors(text.decode())
    except UnicodeDecodeError as error:
        return [f"the output of --json is not UTF-8: {error}"]
    return [f"the object of --json is not valid by its schema: {errors[0]}"] if errors else []


def _refused(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _whole(name: str, content: bytes) -> bool:
    """Return whether a file that was written is complete, as far as its format tells."""
    text = content.rstrip()
    if name.endswith(".json"):
        try:
            json.loads(text, parse_constant=_refused)
        except ValueError:
            return False
    ends = {".xml": b">", ".svg": b"</svg>", ".pdf": b"%%EOF", ".png": b"IEND\xaeB`\x82"}
    suffix = next((each for each in ends if name.endswith(each)), None)
    # SPL Conqueror's programs write a log of errors, which is empty without any.
    return (bool(text) or name.endswith("_error")) and (suffix is None or text.endswith(ends[suffix]))
