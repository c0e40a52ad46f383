"""Fuzz readers: `python -m tests.fuzz READER --seconds 60`; every reader without one. `make fuzz` runs it.

A third of the time repeats texts (`mutations.repeated`) to find times that are not linear, the rest is atheris.
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
from pathlib import Path
from types import TracebackType

import atheris

INSTRUMENTED = ["splc", "sampling"]
with atheris.instrument_imports(include=INSTRUMENTED, enable_loader_override=False):
    from tests.fuzz import limits
    from tests.fuzz.limits import check, peak_megabytes, restart_peak, seconds
    from tests.fuzz.mutations import UNITS, mutated, places, repeated
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
        self.peak = 0

    def check(self, data: bytes, slower: float) -> None:
        """Read an input, and keep it if it violates the law."""
        self.inputs += 1
        restart_peak()
        before = peak_megabytes()
        try:
            check(self.reader, data, slower)
            if (grown := peak_megabytes() - before) > limits.MEGABYTES:
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
        finally:
            self.peak = max(self.peak, peak_megabytes())


def _place(trace: TracebackType | None) -> str:
    """Return the last line of splc in a traceback."""
    frames = [f for f in traceback.extract_tb(trace) if "/tests/fuzz/" not in f.filename and str(ROOT) in f.filename]
    own = [f for f in frames if "site-packages" not in f.filename]
    return f"{Path(own[-1].filename).relative_to(ROOT)}:{own[-1].lineno}" if own else "?"


def repeat(findings: Findings, allowed: float, rng: random.Random) -> None:
    """Repeat texts in the seeds; keep inputs whose time is not linear in their size and violates the law."""
    seeds = list(findings.reader.texts())
    begin = time.process_time()
    while time.process_time() - begin < allowed:
        seed, unit = rng.choice(seeds[: 1 + rng.randrange(len(seeds))]), rng.choice(UNITS)
        place = rng.randrange(places(seed))
        small, large = (repeated(seed, unit, place, size) for size in (SMALL, LARGE))
        findings.inputs += 2
        base = seconds(findings.reader, seed)
        first, second = seconds(findings.reader, small) - base, seconds(findings.reader, large) - base
        if second > 0.02 and second > 2 * (LARGE / SMALL) * first:
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
            report(findings)
        findings.check(data, SLOWER)

    def change(data: bytes, size: int, seed: int) -> bytes:
        del seed
        if rng.random() < 0.5:
            return bytes(atheris.Mutate(data, size))
        return mutated(data, seeds, rng)[:size]

    options = [f"-max_len={LARGEST}", "-timeout=300", "-rss_limit_mb=0", "-print_final_stats=0", "-verbosity=0"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], one, custom_mutator=change)
    atheris.Fuzz()


def report(findings: Findings) -> None:
    """Print a summary, and end the process."""
    print(
        f"{findings.name}: {findings.inputs:,} inputs, {time.process_time():.0f} s of CPU, {findings.peak} MB, "
        f"{len(findings.found)} findings",
        flush=True,
    )
    os._exit(bool(findings.found))


def main() -> None:
    """Fuzz one reader in this process, or each of several in its own."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("readers", nargs="*", choices=[*READERS, []], help="which readers; all by default")
    parser.add_argument("--seconds", type=float, default=60, help="seconds of CPU for each reader")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if len(given.readers) != 1:
        command = [sys.executable, "-m", "tests.fuzz", "--seconds", str(given.seconds), "--seed", str(given.seed)]
        codes = [
            subprocess.run([*command, name], check=False, cwd=ROOT).returncode for name in given.readers or READERS
        ]
        sys.exit(any(codes))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    (name,) = given.readers
    findings, rng = Findings(name, READERS[name]), random.Random(given.seed)
    # The first input imports the modules of the reader, which are instrumented as well.
    with atheris.instrument_imports(include=INSTRUMENTED, enable_loader_override=False):
        for seed in READERS[name].texts():
            findings.check(seed, SLOWER)
    repeat(findings, given.seconds / 3, rng)
    guided(findings, given.seconds * 2 / 3, rng)


main()
