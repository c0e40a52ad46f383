"""Uniformly distributed integers of any size, and distinct ones, from a random generator."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Literal, get_args

import numpy as np

Purpose = Literal["whole", "binary", "numeric", "measured", "distance"]
_PURPOSES = get_args(Purpose)


def uniform_below(bound: int, rng: np.random.Generator) -> int:
    """Return an integer in 0 … bound - 1, exactly uniform and the same on every machine."""
    bits = (bound - 1).bit_length()
    size = (bits + 7) // 8
    while True:
        # At least half of the trials succeed.
        number = int.from_bytes(rng.bytes(size), "little") >> (8 * size - bits)
        if number < bound:
            return number


def distinct_ranks(count: int, n: int, rng: np.random.Generator) -> list[int]:
    """Return n distinct integers in 0 … count - 1, uniform, in drawing order (n ≤ count).

    The first m of them are those of a draw of m with the same generator (Fisher-Yates, in which only moved numbers are
    stored: Durstenfeld, "Algorithm 235: Random permutation", CACM 1964).
    """
    return list(itertools.islice(shuffled_ranks(count, rng), n))


def shuffled_ranks(count: int, rng: np.random.Generator) -> Iterator[int]:
    """Yield the integers 0 … count - 1 in random order, each drawn when it is needed."""
    moved: dict[int, int] = {}
    for index in range(count):
        other = index + uniform_below(count - index, rng)
        yield moved.get(other, other)
        moved[other] = moved.pop(index, index)


def generator(seed: int, purpose: Purpose) -> np.random.Generator:
    """Return the random generator for a purpose; generators for different purposes are independent.

    PCG64 is explicit because the default of numpy may change.
    """
    return np.random.Generator(np.random.PCG64([seed, _PURPOSES.index(purpose)]))
