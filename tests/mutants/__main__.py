"""Mutation tests: `python -m tests.mutants --sample 40 --seed 20261128`. `make mutants` runs it with the day as seed.

Random lines of the product are changed, one at a time. The tests of a mutant (`processes.py`) run until one fails, or
for some seconds of CPU; a test counts only if it passes without the change. So the share that is killed is a lower
bound, and two trees are compared by the same seed and seconds.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from tests.mutants.mutations import Mutation, sample
from tests.mutants.processes import Child, Plugin, Tests, run_tests
from tests.support.cpu import preload

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("splc", "sampling", "comparison")
# Seconds of CPU of the tests of each mutant, and those that its start and its last test may take beyond.
SECONDS, PATIENCE = 40.0, 90.0
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?)(?: - |$)", re.MULTILINE)
# Tests that pass without a change, and others, as this process knows by now.
PASSED: dict[str, bool] = {}


def outcome(root: Path, seconds: float, patience: float, mutation: Mutation) -> str:
    """Return how a mutation ended: `killed by …`, `timeout`, or `survived`."""
    files = Tests(root).of(mutation.file)
    while True:
        plugin = Plugin([name for name, passes in PASSED.items() if not passes], seconds)
        code, output = _run(root, files, plugin, seconds + patience, mutation)
        if code == "timeout":
            return "timeout"
        if code in {0, 2, 5} and not FAILED.search(output):
            return "survived"
        found = FAILED.search(output)
        # Without a failed test, it cannot even be imported, or took Python down.
        test = found[1] if found else files[0]
        if test not in PASSED:
            PASSED[test] = _run(root, [test], Plugin([], seconds), seconds + patience)[0] == 0
        if PASSED[test]:
            return f"killed by {test}"


def _run(
    root: Path, tests: list[str], plugin: Plugin, limit: float, mutation: Mutation | None = None
) -> tuple[int | str, str]:
    file, text = (str(root / mutation.file), mutation.text) if mutation else ("", "")
    child = Child(root, lambda: run_tests(root, tests, [plugin]), limit, file, text).start()
    code = child.wait()
    output = child.output()
    child.close()
    return code, output


def main() -> None:
    """Draw mutants and judge them."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("packages", nargs="*", default=PRODUCT, help="folders or files, as splc/models; default: all")
    parser.add_argument("--sample", type=int, default=40, help="number of mutants")
    parser.add_argument("--seed", type=int, default=int(f"{datetime.now(UTC):%Y%m%d}"), help="default: the day")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="seconds of CPU of the tests of a mutant")
    parser.add_argument("--patience", type=float, default=PATIENCE, help="further ones for its start and its last test")
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree")
    given = parser.parse_args()
    root, begin = given.root.resolve(), time.monotonic()
    paths = [root / package for package in given.packages]
    files = [file for path in paths for file in (sorted(path.rglob("*.py")) if path.is_dir() else [path])]
    mutations = sample(root, files, given.sample, given.seed)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    preload()
    killed = 0
    with ProcessPoolExecutor(given.jobs, mp_context=multiprocessing.get_context("fork")) as pool:
        ends = pool.map(partial(outcome, root, given.seconds, given.patience), mutations)
        for number, (mutation, end) in enumerate(zip(mutations, ends, strict=True), 1):
            killed += end != "survived"
            print(f"{number}/{len(mutations)} {mutation.file}:{mutation.line} {end}", flush=True)
            if end == "survived":
                print("    " + mutation.change.replace("\n", "\n    "), flush=True)
    passed = time.monotonic() - begin
    print(f"seed {given.seed}: {killed} of {len(mutations)} mutants were killed, in {passed:.0f} s")
    if not mutations:
        sys.exit("no line can be changed")


if __name__ == "__main__":
    main()
