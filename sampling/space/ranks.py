"""Uniform whole numbers of any size, and distinct ones, out of a random generator."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

Purpose = Literal["whole", "binary", "numeric"]
_PURPOSES = get_args(Purpose)


def uniform_below(bound: int, rng: np.random.Generator) -> int:
    """Return a whole number in 0 … bound - 1, exactly uniform, the same on every machine."""
    bits = (bound - 1).bit_length()
    size = (bits + 7) // 8
    while True:
        # More than half of the tries succeed.
        number = int.from_bytes(rng.bytes(size), "little") >> (8 * size - bits)
        if number < bound:
            return number


def distinct_ranks(count: int, n: int, rng: np.random.Generator) -> list[int]:
    """Return n distinct whole numbers in 0 … count - 1, uniform, in drawing order (n ≤ count).

    The first m of them are the m that a smaller draw with the same generator gives (Fisher-Yates, in which only the
    touched places are kept: Durstenfeld, "Algorithm 235: Random permutation", CACM 1964).
    """
    moved: dict[int, int] = {}
    drawn = []
    for place in range(n):
        other = place + uniform_below(count - place, rng)
        drawn.append(moved.get(other, other))
        moved[other] = moved.pop(place, place)
    return drawn


def generator(seed: int, purpose: Purpose) -> np.random.Generator:
    """Return the random generator for a purpose: the same seed gives independent numbers for each.

    PCG64 is named, because numpy's default may change.
    """
    return np.random.Generator(np.random.PCG64([seed, _PURPOSES.index(purpose)]))
