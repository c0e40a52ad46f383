"""Covering arrays: few configurations in which every valid combination of T values occurs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sampling.designs.binary.walks import Walks
from sampling.designs.design import Arguments, Design
from sampling.space.completion import feasible
from sampling.space.coverage import covering, holds, needed
from sampling.space.parts import Parts
from sampling.space.ranks import generator
from splc.errors import SpaceError
from splc.types import Array

MAX_TUPLES = 4_000_000
# Trials with different random choices, of which the smallest is taken: as many as small systems have time for.
_TRIALS, _TUPLES_IN_ALL = 8, 8_000
# Configurations that are built at the same time, of which the one that covers the most is taken.
_MOST, _LEAST, _CELLS = 48, 6, 2**23
_LARGE, _SIMILAR = 100_000, 0.8


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

    @classmethod
    def parse(cls, arguments: Arguments) -> Covering:
        """Read its arguments."""
        arguments.expect(1, 1, "seed")
        size = arguments.whole_number(arguments.positional[0], "the number of options in a combination", 1)
        return cls(arguments.text, size, arguments.seed())

    def design(self, parts: Parts, seed: int) -> Design:
        """Return its rows; its own seed takes precedence over `seed`."""
        rng = generator(self.seed if self.seed is not None else seed, "binary")
        if parts.solver is not None:
            return Design(covering(parts.solver, len(parts.selectable), self.size, parts.covered, rng))
        tuples = combinations(parts, self.size, self.text)
        for known in parts.covered:
            tuples = tuples[~holds(known, tuples)]
        if not len(tuples):
            return Design(np.zeros((0, len(parts.selectable)), dtype=np.int64))
        trials = max(1, min(_TRIALS, _TUPLES_IN_ALL // len(tuples)))
        rows = min((_array(parts, tuples, rng) for _ in range(trials)), key=len)
        return Design(rows)


def combinations(parts: Parts, size: int, text: str) -> Array:
    """Return the valid combinations of values of `size` binary options, as literals of shape (n, size)."""
    n = len(parts.selectable)
    if size > n:
        raise SpaceError(f"{text}: the number of binary options is only {n}", hint=f"use covering:{n}, or all")
    if math.comb(n, size) << size > MAX_TUPLES:
        raise SpaceError(
            f"{text}: {n:,} options have {math.comb(n, size) << size:,} combinations of {size} values "
            f"(the limit is {MAX_TUPLES:,})",
            hint="cover combinations of fewer options, or use random:N",
        )
    # Options that are always or never selected have one literal.
    single = feasible(parts, np.arange(2 * n)[:, None])
    literals = np.flatnonzero(single)[:, None]
    for _ in range(size - 1):
        counts = np.arange(2 * n)[None] > (literals[:, -1:] | 1)
        row, other = np.nonzero(counts & single)
        literals = np.concatenate([literals[row], other[:, None]], axis=1)
    return literals[feasible(parts, literals)]


def _array(parts: Parts, tuples: Array, rng: np.random.Generator) -> Array:
    """Return selections that cover all combinations, without ones that are not needed."""
    rows: list[Array] = []
    uncovered = tuples
    count = int(np.clip(_CELLS // tuples.size, _LEAST, _MOST))
    walks = Walks(parts, rng)
    while len(uncovered):
        built = walks.configurations(uncovered, count)
        most = 0
        while len(built) and len(uncovered):
            gains = np.array([holds(row, uncovered).sum() for row in built])
            best = int(np.argmax(gains))
            # Building takes long if there are many combinations: others that are nearly as good are taken, too.
            if gains[best] == 0 or gains[best] < most * (_SIMILAR if len(tuples) > _LARGE else 1):
                break
            most = max(most, int(gains[best]))
            rows.append(built[best])
            uncovered = uncovered[~holds(built[best], uncovered)]
            built = np.delete(built, best, axis=0)
    return needed(np.array(rows), tuples)
