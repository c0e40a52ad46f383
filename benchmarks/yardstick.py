"""The yardsticks of benchmarks: CPU time beside references of the same run, and beside stored ratios to them.

`ratios.toml` has benchmark → reference → ratio. `make bench RATIOS=1` measures and stores them.
"""

from __future__ import annotations

import os
import time
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

STORED = Path(__file__).with_name("ratios.toml")
# A benchmark has become slower if each of its ratios is so many times the stored one. Machines, and other programs that
# run beside, change one reference by up to a third; a regression changes the ratios to all of them.
TOLERANCE = 1.5
# The variable of the environment with which ratios are stored instead of compared.
STORE = "SPLC_RATIOS"
_STEPS = 3_000_000
# An expression for the peak memory of a process in MB. `ru_maxrss` includes that of the process that started it.
PEAK = "[int(line.split()[1]) / 1e3 for line in open('/proc/self/status') if 'VmHWM' in line][0]"


def cpu(call: Callable[[], Any]) -> float:
    """Return the CPU seconds of a call."""
    before = time.process_time()
    call()
    return time.process_time() - before


def report(name: str, seconds: float) -> None:
    """Print a measurement and its ratio to the yardstick."""
    numbers = np.random.default_rng(0).random(10_000_000)
    yardstick = cpu(lambda: np.sort(numbers))
    print(f"\n{name}: {seconds:.3f} s of CPU, {seconds / yardstick:.2f} times sorting ten million numbers")


def loop() -> float:
    """Return the CPU seconds of a fixed loop of Python, the least of three."""

    def steps() -> None:
        found: dict[int, int] = {}
        for number in range(_STEPS):
            key = number * 31 % 1009
            found[key] = found.get(key, 0) + len(str(number))

    return min(cpu(steps) for _ in range(3))


def check(name: str, seconds: float, **references: float) -> None:
    """Compare the ratios of a measurement to a fixed loop and to further references with the stored ones.

    Args:
        name: the benchmark.
        seconds: its CPU seconds.
        references: reference → its CPU seconds in the same run.
    """
    ratios = {reference: seconds / each for reference, each in {"loop": loop(), **references}.items()}
    table = tomllib.loads(STORED.read_text(encoding="utf-8"))
    if os.environ.get(STORE):
        table[name] = {reference: float(f"{ratio:.3g}") for reference, ratio in ratios.items()}
        STORED.write_text("".join(map(_line, sorted(table.items()))), encoding="utf-8")
    stored: Mapping[str, float] = table[name]
    multiples = {reference: ratio / stored[reference] for reference, ratio in ratios.items()}
    texts = (f"{ratios[key]:.3g} times {key} ({multiple:.2f} of stored)" for key, multiple in multiples.items())
    print(f"\n{name}: {seconds:.2f} s of CPU, {', '.join(texts)}")
    assert min(multiples.values()) <= TOLERANCE, f"{name} has become slower, or {STORED.name} is of another machine"


def _line(entry: tuple[str, Mapping[str, float]]) -> str:
    name, ratios = entry
    return f'"{name}" = {{ {", ".join(f"{reference} = {ratio}" for reference, ratio in ratios.items())} }}\n'
