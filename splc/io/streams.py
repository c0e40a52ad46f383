"""Paths that name no file to replace: devices, pipes, and the open files of this process (`/dev/stdout`)."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

_DESCRIPTORS = re.compile(r"/proc/(\d+)(/task/\d+)?/fd|/dev/fd")
# The greatest number of links that a path may consist of.
_LINKS = 40


def descriptor_of(path: str | Path) -> int | None:
    """Return the number of the open file of this process that a path stands for, such as 1 for `/dev/stdout`."""
    target = Path(path)
    for _ in range(_LINKS):
        try:
            match = _DESCRIPTORS.fullmatch(os.path.realpath(target.parent))
            if match and target.name.isdecimal() and match[1] in {None, str(os.getpid())}:
                return int(target.name)
            target = target.parent / target.readlink()
        except (OSError, ValueError):
            return None
    return None


def is_stream(path: str | Path) -> bool:
    """Return whether a path is written to and never replaced."""
    if descriptor_of(path) is not None:
        return True
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def write_stream(path: str | Path, parts: Iterable[bytes]) -> None:
    """Write to a device, a pipe, or an open file of this process, after what was printed before."""
    number = descriptor_of(path)
    with ExitStack() as stack:
        if number is None:
            stream = stack.enter_context(Path(path).open("wb"))
        else:
            for printed in (sys.stdout, sys.stderr):
                printed.flush()
            stream = stack.enter_context(os.fdopen(os.dup(number), "wb"))
        stream.writelines(parts)
