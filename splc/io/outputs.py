"""Checks of output files, made before anything is computed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from splc.errors import OutputError, Problem
from splc.io.files import missing_folder
from splc.io.streams import is_stream


def require_writable(path: str | None, inputs: Iterable[str | None] = ()) -> None:
    """Raise an error if a file cannot be written, or is one of the inputs. None, `-`, devices and pipes are fine."""
    if path is None or path == "-" or is_stream(path):
        return
    target = Path(os.path.realpath(path))
    folder = target.parent
    if target.is_dir():
        raise OutputError(Problem("this is a folder", path, hint="name a file in it"))
    if hint := missing_folder(path):
        raise OutputError(Problem("cannot be written", path, hint=hint))
    if any(_is_same_file(target, input_path) for input_path in inputs if input_path is not None):
        problem = Problem("this is an input or another output of the same command", path, hint="write to another file")
        raise OutputError(problem)
    try:
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(13, "the file is write-protected")
        # Permissions are not enough (read-only file systems, access lists), so try to write.
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        problem = Problem(f"cannot be written: {reason}", path, hint="choose another output file")
        raise OutputError(problem) from None


def _is_same_file(target: Path, input_path: str) -> bool:
    """Return whether two paths name one file, also through links; `-` is the file of a redirected standard input."""
    try:
        if input_path == "-":
            return os.path.samestat(target.stat(), os.fstat(0))
        return target == Path(os.path.realpath(input_path)) or target.samefile(input_path)
    except (OSError, ValueError):
        return False
