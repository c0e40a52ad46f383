"""The yardstick of benchmarks: CPU time in units of sorting ten million random numbers, in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np


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
