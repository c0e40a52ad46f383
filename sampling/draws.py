"""Random draws: integers of any size, distinct ones, places with weights, and the numbers that SPL Conqueror draws."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator, Sequence
from typing import Literal, get_args

import numpy as np

from splc.errors import SpecError

Purpose = Literal["whole", "binary", "numeric", "measured", "distance"]
_PURPOSES = get_args(Purpose)
PRECISION = 128  # bits of the weights of places that count
# The generator of .NET: the greatest number, the least seed, the length of its table, and its lag.
_LARGEST, _LEAST, _TABLE, _LAG = 2**31 - 1, -(2**31), 55, 21


def uniform_below(bound: int, rng: np.random.Generator) -> int:
    """Return an integer in 0 … bound - 1, exactly uniform and the same on every machine."""
    bits, number, source = (bound - 1).bit_length(), bound, rng.bit_generator.ctypes
    size = (bits + 7) // 8
    while number >= bound:
        # `rng.bytes(size)`, little-endian, which takes ten times as long; at least half of the trials succeed.
        words = [source.next_uint32(source.state) << place for place in range(0, max(8 * size, 1), 32)]
        number = sum(words) % 256**size >> (8 * size - bits)
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
    """Return the random generator for a purpose; generators for different purposes are independent."""
    # PCG64 is explicit because the default of numpy may change.
    return np.random.Generator(np.random.PCG64([seed, _PURPOSES.index(purpose)]))


class Lottery:
    """Draws of places with given weights, without those that were removed.

    Weights below 2^-128 of the largest one count as 0 until larger ones are removed.
    """

    def __init__(self, weights: Sequence[int], rng: np.random.Generator) -> None:
        self._weights, self._rng = list(weights), rng
        self._build()

    def draw(self) -> int:
        """Return a place; its probability is its share of the weights that were not removed."""
        while True:
            position = bisect.bisect_right(self._ends, uniform_below(self._ends[-1], self._rng))
            if position not in self._removed:
                return position

    def remove(self, position: int) -> None:
        """Remove a place."""
        self._removed.add(position)
        self._weights[position] = 0
        self._lost += self._ends[position] - (self._ends[position - 1] if position else 0)
        if 2 * self._lost > self._ends[-1]:
            self._build()

    def _build(self) -> None:
        excess = max(0, max(self._weights).bit_length() - PRECISION)
        self._ends = list(itertools.accumulate(weight >> excess for weight in self._weights))
        self._removed: set[int] = set()
        self._lost = 0


class DotNetRandom:
    """`System.Random` of .NET Framework and Mono, with which SPL Conqueror draws; the sign of the seed has no effect.

    Knuth: "The Art of Computer Programming", volume 2, section 3.2.2; `ran3` in "Numerical Recipes". .NET has a lag of
    21 instead of 31, and its numbers are integers in 0 … 2^31 - 2.
    """

    def __init__(self, seed: int) -> None:
        if not _LEAST <= seed <= _LARGEST:
            raise SpecError(f"the seed {seed} does not fit into .NET's 32 bits", hint=f"use at most {_LARGEST}")
        # The absolute value of the least integer does not fit into 32 bits.
        last = 161803398 - min(abs(seed), _LARGEST)
        state = [0] * (_TABLE + 1)
        state[_TABLE] = last
        following = 1
        for index in range(1, _TABLE):
            position = 21 * index % _TABLE
            state[position] = following
            following = last - following
            if following < 0:
                following += _LARGEST
            last = state[position]
        for _ in range(4):
            for index in range(1, _TABLE + 1):
                state[index] -= state[1 + (index + 30) % _TABLE]
                if state[index] < 0:
                    state[index] += _LARGEST
        self._state = state
        self._one, self._other = 0, _LAG

    def integer(self) -> int:
        """Return the next integer in 0 … 2^31 - 2 (`Next()`)."""
        self._one = self._one % _TABLE + 1
        self._other = self._other % _TABLE + 1
        number = self._state[self._one] - self._state[self._other]
        if number == _LARGEST:
            number -= 1
        if number < 0:
            number += _LARGEST
        self._state[self._one] = number
        return number

    def below(self, bound: int) -> int:
        """Return the next integer in 0 … bound - 1 (`Next(bound)`, bound ≤ 2^31 - 1)."""
        return int(self.integer() * (1.0 / _LARGEST) * bound)


def compat_positions(count: int, n: int, seed: int, redraws: bool) -> list[int]:
    """Return n ≤ count distinct positions: each drawn among those that are left, or drawn again until it is new."""
    random = DotNetRandom(seed)
    remaining = list(range(count))
    positions: dict[int, None] = {}
    while len(positions) < n:
        positions.setdefault(random.below(count) if redraws else remaining.pop(random.below(len(remaining))))
    return list(positions)
