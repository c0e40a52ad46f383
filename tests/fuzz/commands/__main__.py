"""Fuzz commands: `python -m tests.fuzz.commands --sessions 20`; `make fuzz` runs it.

A session is a generated project and 20 commands in it, one after the other; its number determines all of it, and
`python -m tests.fuzz.commands 123 --echo` repeats it. Inputs of commands that break the law are in
`build/fuzz/commands`; the exit code is 1 if there are some, or if too few lines of a command are accepted.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from tests.fuzz.commands.law import preload
from tests.fuzz.commands.sessions import Figures, session
from tests.support.paths import ROOT

KEPT = ROOT / "build" / "fuzz" / "commands"
# Fewer calls of a command say little about the share that is accepted.
MIN_CALLS, MIN_SHARE = 200, 0.4


def several(numbers: Iterable[int], until: float, echo: bool) -> Figures:
    """Run sessions until all are done or the time is over."""
    figures = Figures()
    memory = Path("/dev/shm")
    for number in numbers:
        if time.monotonic() > until:
            break
        with tempfile.TemporaryDirectory(prefix="splc-", dir=memory if memory.is_dir() else None) as folder:
            found = session(number, Path(folder), KEPT, echo)
        for each in found.findings:
            print(each, flush=True)
        figures.add(found)
    return figures


def together(numbers: Sequence[int], jobs: int, until: float, echo: bool) -> Figures:
    """Run sessions in several processes."""
    if jobs == 1:
        return several(numbers, until, echo)
    figures = Figures()
    with ProcessPoolExecutor(jobs, get_context("fork")) as pool:
        parts = [numbers[job::jobs] for job in range(jobs)]
        for found in pool.map(several, parts, repeat(until), repeat(echo)):
            figures.add(found)
    return figures


def main() -> None:
    """Run sessions, and print what they did."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.commands")
    parser.add_argument("numbers", nargs="*", type=int, help="these sessions only")
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the number of the first session")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no session after this time")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--echo", action="store_true", help="print every command line and its messages")
    given = parser.parse_args()
    numbers = given.numbers or range(given.first, given.first + given.sessions)
    begin = time.monotonic()
    if len(numbers) > 1:
        preload()
    figures = together(numbers, given.jobs, begin + given.seconds, given.echo)
    places = Counter(each.place for each in figures.findings)
    print(*figures.table(), sep="\n")
    slowest, where = figures.slowest
    print(f"{time.monotonic() - begin:.0f} s, at most {figures.megabytes} MB and {slowest:.1f} s ({where})")
    for place, count in places.most_common():
        print(f"{count} × {place}")
    few = [
        name for name, share in figures.shares().items() if share < MIN_SHARE and figures.commands[name] >= MIN_CALLS
    ]
    if few:
        print(f"fewer than {MIN_SHARE:.0%} accepted: {', '.join(few)}")
    print(f"{len(figures.findings)} findings at {len(places)} places")
    sys.exit(bool(figures.findings or few))


main()
