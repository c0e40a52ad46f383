"""Commands for the tests of `splc measure`, their expected values, and what tests change around processes."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ALL = ("--sampling", "all+ff")
# Prints what a solver might: the time of a configuration, from its values.
AWK = 'awk \'BEGIN {{ print "time:", {x} * 2 + {cache}; print {x} > "/dev/stderr" }}\''
TIME = ("--property", r"time=regex:time: (\S+)")
VALUES = {
    (0, 0, 1, 1): 2,
    (0, 0, 1, 2): 4,
    (0, 0, 1, 4): 8,
    (0, 1, 0, 1): 2,
    (0, 1, 0, 2): 4,
    (0, 1, 0, 4): 8,
    (1, 1, 0, 1): 3,
    (1, 1, 0, 2): 5,
    (1, 1, 0, 4): 9,
}


def table(repeat: int = 1, leave_out: Callable[[tuple[int, ...]], bool] = lambda _: False) -> str:
    """Return the measurements file of AWK."""
    rows = [
        ",".join(map(str, (*key, value))) for key, value in VALUES.items() if not leave_out(key) for _ in range(repeat)
    ]
    return "\n".join(["cache,left,right,x,time", *rows, ""])


def script(folder: Path, code: str, interpreter: str = f"{sys.executable} -IS") -> str:
    """Write an executable script, of Python that starts fast, and return its name."""
    path = folder / "program"
    path.write_text(f"#!{interpreter}\n{code}\n", encoding="utf-8")
    path.chmod(0o755)
    return "./program"


def untraced() -> dict[str, str]:
    """Return the environment of a process that coverage does not trace."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
