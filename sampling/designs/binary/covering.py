"""Covering arrays: few configurations in which every valid combination of T values occurs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sampling.designs.binary.walks import Walks
from sampling.designs.design import Arguments, Design
from sampling.space.completion import feasible
from sampling.space.parts import Parts
from sampling.space.ranks import generator
from splc.errors import SpaceError
from splc.types import Array

MAX_TUPLES = 4_000_000
# Trials with different random choices, of which the smallest is taken: as many as small systems have time for.
_TRIALS, _TUPLES_IN_ALL = 10, 20_000
# Configurations that are built at the same time, of which the one that covers the most is taken.
_MOST, _LEAST, _CELLS = 48, 6, 2**23


@dataclass(frozen=True)
class Covering:
    """`covering:T[,seed=S]`: a small set of configurations in which every valid combination of T values occurs.

    A combination assigns selected or not selected to each of T binary options; it is valid if some valid configuration
    has it. Configurations are added one by one; each is the best of several, which are built option by option so
    that the expected number of newly covered combinations is greatest (the density of Bryce and Colbourn, "The density
    algorithm for pairwise interaction testing", STVR 2007). The configurations that cover the most come first.
    """

    text: str
    size: int
    seed: int | None = None
    full: bool = False

    @classmethod
    def parse(cls, arguments: Arguments) -> Covering:
        """Read its arguments."""
        arguments.expect(1, 1, "seed")
        size = arguments.whole_number(arguments.positional[0], "the number of options in a combination", 1)
        return cls(arguments.text, size, arguments.seed())

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows; its own seed takes precedence over `seed`.

        Raises:
            SpaceError: if there are too many combinations, or fewer than T options.
        """
        tuples = combinations(parts, self.size, self.text)
        for known in parts.covered:
            tuples = tuples[~_holds(known.astype(np.int64), tuples)]
        if not len(tuples):
            return Design(np.zeros((0, len(parts.selectable)), dtype=np.int64))
        rng = generator(self.seed if self.seed is not None else seed, "binary")
        trials = max(1, min(_TRIALS, _TUPLES_IN_ALL // len(tuples)))
        rows = min((_array(parts, tuples, rng) for _ in range(trials)), key=len)
        return Design(rows)


def combinations(parts: Parts, size: int, text: str) -> Array:
    """Return the valid combinations of values of `size` binary options, as literals of shape (n, size).

    Raises:
        SpaceError: if there are too many of them, or too few options.
    """
    n = len(parts.selectable)
    if size > n:
        raise SpaceError(f"{text}: there are only {n} binary options", hint=f"use covering:{n}, or all")
    if math.comb(n, size) << size > MAX_TUPLES:
        raise SpaceError(
            f"{text}: {n:,} options have {math.comb(n, size) << size:,} combinations of {size} values "
            f"(the limit is {MAX_TUPLES:,})",
            hint="cover combinations of fewer options, or use random:N",
        )
    # Options that are always or never selected have one literal.
    single = feasible(parts, np.arange(2 * n)[:, None])
    found = np.flatnonzero(single)[:, None]
    for _ in range(size - 1):
        counts = np.arange(2 * n)[None] > (found[:, -1:] | 1)
        row, other = np.nonzero(counts & single)
        found = np.concatenate([found[row], other[:, None]], axis=1)
    return found[feasible(parts, found)]


def _holds(row: Array, tuples: Array) -> Array:
    """Return which combinations a configuration has, shape (n,)."""
    held: Array = (row[tuples >> 1] == (tuples & 1)).all(axis=1)
    return held


def _array(parts: Parts, tuples: Array, rng: np.random.Generator) -> Array:
    """Return configurations that cover all combinations, without ones that are not needed."""
    rows: list[Array] = []
    uncovered = tuples
    count = int(np.clip(_CELLS // tuples.size, _LEAST, _MOST))
    walks = Walks(parts, rng)
    while len(uncovered):
        built = walks.configurations(uncovered, count)
        covered = [_holds(row, uncovered) for row in built]
        best = int(np.argmax([held.sum() for held in covered]))
        rows.append(built[best])
        uncovered = uncovered[~covered[best]]
    return _needed(np.array(rows), tuples)


def _needed(rows: Array, tuples: Array) -> Array:
    """Return the rows without those whose combinations all occur in others; late rows are tried first."""
    times = np.zeros(len(tuples), dtype=np.int64)
    for row in rows:
        times += _holds(row, tuples)
    kept = np.ones(len(rows), dtype=bool)
    for place in range(len(rows) - 1, -1, -1):
        held = _holds(rows[place], tuples)
        if (times[held] > 1).all():
            kept[place] = False
            times -= held
    return rows[kept]
