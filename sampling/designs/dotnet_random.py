"""The random generator `System.Random` of .NET Framework and Mono, with which SPL Conqueror draws."""

from __future__ import annotations

from splc.errors import SpecError

_LARGEST = 2**31 - 1
_LEAST = -(2**31)
_TABLE = 55
_LAG = 21


class DotNetRandom:
    """The subtractive generator of D. Knuth, as .NET implements it.

    Knuth: "The Art of Computer Programming", volume 2, section 3.2.2; `ran3` in "Numerical Recipes". .NET has a lag of
    21 instead of 31, and its numbers are integers in 0 … 2^31 - 2.

    The seed is an integer of 32 bits; its sign has no effect.
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
        self._one = 0
        self._other = _LAG

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

    def real(self) -> float:
        """Return the next number in [0, 1) (`NextDouble()`)."""
        return self.integer() * (1.0 / _LARGEST)

    def below(self, bound: int) -> int:
        """Return the next integer in 0 … bound - 1 (`Next(bound)`, bound ≤ 2^31 - 1)."""
        return int(self.real() * bound)


def removed_positions(count: int, n: int, seed: int) -> list[int]:
    """Return n distinct positions in a list of `count` elements, each drawn among those that are left (n ≤ count)."""
    random = DotNetRandom(seed)
    remaining = list(range(count))
    return [remaining.pop(random.below(len(remaining))) for _ in range(n)]


def redrawn_positions(count: int, n: int, seed: int) -> list[int]:
    """Return n distinct positions in a list of `count` elements, each drawn from the whole list (n ≤ count).

    A position that was drawn before is drawn again.
    """
    random = DotNetRandom(seed)
    positions: dict[int, None] = {}
    while len(positions) < n:
        positions.setdefault(random.below(count))
    return list(positions)
