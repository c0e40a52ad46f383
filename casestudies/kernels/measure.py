"""`python measure.py > profile.new.txt`: measure the profile again (some minutes); the growth of each is known.

Five functions of plain Python for inputs of size n: the least of three means, since other programs only add to the
time. All sizes are measured once, then all again, five times, so that a drift of the machine affects all sizes alike.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from time import process_time

SIZES = (8, 16, 32, 64, 128, 256, 512)
REPETITIONS = 5
ENOUGH = 0.01
BATCHES = 3


def search(values: list[float]) -> int:
    """Search a value in a sorted list by halving: log2(n)."""
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < 2:
            low = middle + 1
        else:
            high = middle
    return low


def total(values: list[float]) -> float:
    """Add up a list: n."""
    found = 0.0
    for value in values:
        found += value * value
    return found


def merge_sort(values: list[float]) -> list[float]:
    """Sort a list by merging: n * log2(n)."""
    if len(values) < 2:
        return values
    left, right = merge_sort(values[: len(values) // 2]), merge_sort(values[len(values) // 2 :])
    found = [(left if not right or (left and left[-1] > right[-1]) else right).pop() for _ in values]
    return found[::-1]


def pairs(values: list[float]) -> int:
    """Count the pairs that are close to each other: n^2."""
    count = 0
    for one in values:
        for other in values:
            if -0.01 < one - other < 0.01:
                count += 1
    return count


def product(values: list[float]) -> float:
    """Multiply two matrices of n rows and columns: n^3."""
    size = len(values)
    trace = 0.0
    for row in range(size):
        for column in range(size):
            entry = 0.0
            for at in range(size):
                entry += values[at] * values[row]
            trace += entry * (row == column)
    return trace


FUNCTIONS: tuple[Callable[[list[float]], object], ...] = (search, total, merge_sort, pairs, product)


def seconds(function: Callable[[list[float]], object], values: list[float]) -> float:
    """Return the CPU seconds of a call: the least of three means of as many calls as take 10 ms."""
    count = 1
    while batch(function, values, count) < ENOUGH:
        count *= 2
    return min(batch(function, values, count) for _ in range(BATCHES)) / count


def batch(function: Callable[[list[float]], object], values: list[float], count: int) -> float:
    """Return the CPU seconds of several calls."""
    start = process_time()
    for _ in range(count):
        function(values)
    return process_time() - start


def main() -> None:
    """Print the profile in the text format of Extra-P."""
    rng = random.Random(1)
    # Numbers of a sorted list are not in order in memory, unless they are made anew.
    inputs = {size: [value * 0.5 for value in sorted(rng.random() for _ in range(size))] for size in SIZES}
    measured: dict[tuple[str, int], list[float]] = {}
    for repetition in range(REPETITIONS):
        print(f"repetition {repetition + 1} of {REPETITIONS}", file=sys.stderr)
        for size in SIZES:
            for function in FUNCTIONS:
                found = measured.setdefault((function.__name__, size), [])
                found.append(seconds(function, inputs[size]))
    print("PARAMETER n")
    print("POINTS", *(f"({size})" for size in SIZES))
    print("METRIC time")
    for function in FUNCTIONS:
        print(f"REGION kernels->{function.__name__}")
        for size in SIZES:
            print("DATA", *(f"{value:.4g}" for value in measured[function.__name__, size]))


if __name__ == "__main__":
    main()
