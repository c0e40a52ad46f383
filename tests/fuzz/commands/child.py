"""A command line in a forked process with limits of time and memory: its exit code, output, seconds and peak memory."""

from __future__ import annotations

import contextlib
import importlib
import os
import pkgutil
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support import cpu

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
