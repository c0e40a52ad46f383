"""Changed source text of one file for imports, here and in the processes that tests start; and a guard of signals.

Imports nothing but the standard library: `site/sitecustomize.py` runs it when Python starts.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

FILE, TEXT = "MUTANT_FILE", "MUTANT_TEXT"


def substitute(file: str, text: str) -> None:
    """Let imports of a file see another text."""
    before: Callable[[SourceFileLoader, str], CodeType | None] = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> CodeType | None:
        if os.path.realpath(loader.path) != file:
            return before(loader, name)
        code: CodeType = compile(text, file, "exec", dont_inherit=True)
        return code

    SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]


def guard() -> None:
    """Allow signals to processes of this test run only, and keep devices.

    A mutant may compute another process id, or replace a device such as `/dev/null` by a file.
    """

    def kept(change: Callable[..., Any]) -> Callable[..., Any]:
        def one(*paths: Any, **more: Any) -> None:
            if any(str(path).startswith("/dev/") for path in paths):
                raise PermissionError(13, f"{paths} are devices")
            change(*paths, **more)

        return one

    def guarded(send: Callable[..., Any]) -> Callable[..., Any]:
        def one(process: int, number: int) -> None:
            if number and (process <= 1 or not _own(process)):
                raise ProcessLookupError(f"process {process} is not one of this test run")
            send(process, number)

        return one

    os.kill, os.killpg = guarded(os.kill), guarded(os.killpg)
    os.replace, os.rename, os.unlink = kept(os.replace), kept(os.rename), kept(os.unlink)


def _own(process: int) -> bool:
    """Return whether a process is this one, descends from it, or has this test run's environment."""
    try:
        if f"{FILE}=".encode() in Path(f"/proc/{process}/environ").read_bytes():
            return True
        while process not in {0, os.getpid()}:
            process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return False
    return process != 0


def from_environment() -> None:
    """Do what the environment says, in a process that a test started."""
    if FILE in os.environ:
        guard()
        if os.environ[FILE]:
            substitute(os.environ[FILE], Path(os.environ[TEXT]).read_text(encoding="utf-8"))
