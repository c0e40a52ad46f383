"""Start of `splc`: CPU time.

Run by `make bench`. The measurement is compared with a yardstick of the same run: starting Python alone.
"""

from __future__ import annotations

import resource
import subprocess
import sys


def cpu(*arguments: str) -> float:
    """Return the CPU seconds of a Python process, the best of five, for other work may disturb one."""

    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once() for _ in range(5))


def test_help_is_quick() -> None:
    """`splc --help` takes less than 0.4 s of CPU."""
    seconds, alone = cpu("-m", "splc", "--help"), cpu("-c", "")
    print(f"\nsplc --help: {seconds:.3f} s of CPU, {seconds / alone:.1f} times starting Python")
    assert seconds < 0.4
