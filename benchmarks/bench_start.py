"""Start of `splc`: CPU time of whole processes.

Run by `make bench`. The yardsticks of the same run are Python alone, and the import of numpy.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

CASE = Path(__file__).parents[1] / "casestudies" / "smg2000" / "3d"


def cpu(*arguments: str) -> float:
    """Return the CPU seconds of a Python process, the best of five, for other work may disturb one."""

    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, cwd=CASE
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once() for _ in range(5))


def test_help_is_quick() -> None:
    """`splc --help` takes less than 0.4 s of CPU."""
    seconds, alone = cpu("-m", "splc", "--help"), cpu("-c", "")
    print(f"\nsplc --help: {seconds:.3f} s of CPU, {seconds / alone:.1f} times starting Python")
    assert seconds < 0.4


@pytest.mark.parametrize(
    ("arguments", "limit"),
    [
        ("--version", 1.2),
        ("describe", 4),
        ("learn --sampling pb:9,3 --preset splconqueror -o /dev/null", 5.5),
        ("learn --sampling pb:9,3 -o /dev/null", 7),
    ],
)
def test_small_commands_are_quick(arguments: str, limit: float) -> None:
    """Commands on a small case take at most so many times the import of numpy.

    The command line's parser takes once that time, since typer 0.2 imports pydantic.
    """
    seconds, numpy = cpu("-m", "splc", *arguments.split()), cpu("-c", "import numpy")
    print(f"\nsplc {arguments}: {seconds:.3f} s of CPU, {seconds / numpy:.1f} times importing numpy ({numpy:.3f} s)")
    assert seconds / numpy < limit
