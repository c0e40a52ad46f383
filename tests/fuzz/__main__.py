"""Fuzz readers: `python -m tests.fuzz READER --seconds 60`; every reader without one. `make fuzz` runs it.

A third of the time repeats texts (`mutations.repeated`) to find times and memory that are not linear, the rest is
atheris. These are two processes: instrumented code keeps the result of each comparison of arrays (atheris 3.0.0).
Findings are written to `build/fuzz/READER`, one input for each exception and place; the exit code is 1 if there are
some.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import resource
import subprocess
import sys
import time
import traceback
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from types import TracebackType

import atheris

PHASES = ("repeated", "guided")


def instrumented() -> AbstractContextManager[None]:
    """Return a context in which imported modules are instrumented if atheris will run."""
    if "guided" not in sys.argv:
        return nullcontext()
    return atheris.instrument_imports(include=["splc", "sampling"], enable_loader_override=False)  # type: ignore[no-any-return]


with instrumented():
    from tests.fuzz import limits
    from tests.fuzz.limits import UNITS, check, mutated, peak_megabytes, places, repeated, restart_peak, seconds
    from tests.fuzz.readers import READERS, Reader
    from tests.support.paths import ROOT

FINDINGS = ROOT / "build" / "fuzz"
MEMORY = 2 * 1024**3
# Instrumented code is slower.
SLOWER = 5.0
LARGEST = 6000
SMALL, LARGE = 2000, 12_000


class Findings:
    """The inputs of one reader that violate the law, one for each exception and place."""

    def __init__(self, name: str, reader: Reader) -> None:
        self.name, self.reader = name, reader
        self.found: dict[str, str] = {}
        self.inputs = 0
        self.most_memory = 0

    def check(self, data: bytes, slower: float) -> None:
        """Read an input, and keep it if it violates the law."""
        self.inputs += 1
        restart_peak()
        before = peak_megabytes()
        try:
            try:
                check(self.reader, data, slower)
            finally:
                grown = peak_megabytes() - before
                self.most_memory = max(self.most_memory, grown)
            if grown > limits.MEGABYTES:
                raise limits.TooLargeError(f"{grown} MB of memory")
        except Exception as error:
            place = f"{type(error).__name__} {_place(error.__traceback__)}"
            if place in self.found:
                return
            self.found[place] = str(error)[:200]
            folder = FINDINGS / self.name
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / hashlib.sha256(place.encode()).hexdigest()[:12]
            path.write_bytes(data)
            path.with_suffix(".txt").write_text(
                "".join(traceback.format_exception(error)), encoding="utf-8", errors="backslashreplace"
            )
            print(f"{self.name}: {place}: {str(error)[:200]!r}\n    {path}", flush=True)


def _place(trace: TracebackType | None) -> str:
    """Return the last line of splc in a traceback."""
    frames = [f for f in traceback.extract_tb(trace) if "/tests/fuzz/" not in f.filename and str(ROOT) in f.filename]
    own = [f for f in frames if "site-packages" not in f.filename]
    return f"{Path(own[-1].filename).relative_to(ROOT)}:{own[-1].lineno}" if own else "?"


def repeat(findings: Findings, allowed: float, rng: random.Random) -> None:
    """Repeat texts in the seeds; keep those that violate the law: their time is not linear, or their memory large."""
    seeds = list(findings.reader.texts())
    begin = time.process_time()
    while time.process_time() - begin < allowed:
        seed, unit = rng.choice(seeds[: 1 + rng.randrange(len(seeds))]), rng.choice(UNITS)
        place = rng.randrange(places(seed))
        small, large = (repeated(seed, unit, place, size) for size in (SMALL, LARGE))
        findings.inputs += 2
        base = seconds(findings.reader, seed)
        first = seconds(findings.reader, small) - base
        restart_peak()
        before = peak_megabytes()
        second = seconds(findings.reader, large) - base
        grown = peak_megabytes() - before
        findings.most_memory = max(findings.most_memory, grown)
        much = grown > limits.MEGABYTES * LARGE / limits.BYTES
        if much or (second > 0.02 and second > 2 * (LARGE / SMALL) * first):
            findings.check(repeated(seed, unit, place, limits.BYTES), 1.0)


def guided(findings: Findings, allowed: float, rng: random.Random) -> None:
    """Run atheris; it ends the process."""
    seeds = list(findings.reader.texts())
    corpus = FINDINGS / f"{findings.name}.corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        (corpus / hashlib.sha256(seed).hexdigest()).write_bytes(seed)
    begin = time.process_time()

    def one(data: bytes) -> None:
        if time.process_time() - begin > allowed:
            report(findings, PHASES[1])
        findings.check(data, SLOWER)

    def change(data: bytes, size: int, seed: int) -> bytes:
        del seed
        if rng.random() < 0.5:
            return bytes(atheris.Mutate(data, size))
        return mutated(data, seeds, rng)[:size]

    options = [f"-max_len={LARGEST}", "-timeout=300", "-rss_limit_mb=0", "-print_final_stats=0", "-verbosity=0"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], one, custom_mutator=change)
    atheris.Fuzz()


def report(findings: Findings, phase: str) -> None:
    """Print a summary, and end the process."""
    print(
        f"{findings.name} ({phase}): {findings.inputs:,} inputs, {time.process_time():.0f} s of CPU, "
        f"at most {findings.most_memory} MB for one, {len(findings.found)} findings",
        flush=True,
    )
    os._exit(bool(findings.found))


def main() -> None:
    """Fuzz one reader in this process, or each of several in its own."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("readers", nargs="*", choices=[*READERS, []], help="which readers; all by default")
    parser.add_argument("--seconds", type=float, default=60, help="seconds of CPU for each reader")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--phase", choices=PHASES, help="how the inputs of one reader are made; both by default")
    given = parser.parse_args()
    if given.phase is None:
        command = [sys.executable, "-m", "tests.fuzz", "--seconds", str(given.seconds), "--seed", str(given.seed)]
        children = [[*command, name, "--phase", phase] for name in given.readers or READERS for phase in PHASES]
        codes = [subprocess.run(each, check=False, cwd=ROOT).returncode for each in children]
        sys.exit(any(codes))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    (name,) = given.readers
    findings, rng = Findings(name, READERS[name]), random.Random(given.seed)
    # The first input imports the modules of the reader, which are instrumented as well.
    seeds = list(READERS[name].texts())
    with instrumented():
        for seed in seeds:
            seconds(READERS[name], seed)
    for seed in seeds:
        findings.check(seed, SLOWER)
    if given.phase == "repeated":
        repeat(findings, given.seconds / 3, rng)
        report(findings, PHASES[0])
    guided(findings, given.seconds * 2 / 3, rng)


main()
