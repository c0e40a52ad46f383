"""Covering arrays: few configurations in which every valid combination of T values occurs.

Of systems with decision diagrams the valid combinations are listed, and selections are built option by option along the
diagrams (`Walks`). Of larger systems a SAT solver finds a configuration with an uncovered combination, and prefers the
values that occur in most of the uncovered ones. Combinations without a configuration are found on the way.

Henard et al.: "Bypassing the combinatorial explosion: using similarity to generate and prioritize t-wise test
configurations", TSE 40 (2014), and Kröher et al.: "YASA: yet another sampling algorithm", VaMoS 2020, cover large
feature models with solvers, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sampling.designs.design import Arguments, Design
from sampling.draws import generator
from sampling.space.diagram import completions_below, heaviest
from sampling.space.parts import Parts, feasible
from sampling.space.satisfiability import Satisfiability
from splc.errors import SpaceError
from splc.io.numbers import count_text
from splc.types import Array

MAX_TUPLES = 4_000_000
# Trials with different random choices, of which the smallest is taken: as many as small systems have time for.
_TRIALS, _TUPLES_IN_ALL = 8, 8_000
# Configurations that are built at the same time, of which the one that covers the most is taken.
_MOST, _LEAST, _CELLS = 48, 6, 2**23
_LARGE, _SIMILAR = 100_000, 0.8
# With a SAT solver: the most combinations, and those that are tried for each configuration.
MAX_SOLVED, _SOLVED = 12_000_000, 4
# Weights of literals are computed from at most this number of combinations, for this number of selections.
_COMBINATIONS, _SELECTIONS = 100_000, 8
_NOISE = 0.3


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
        rng = generator(seed if self.seed is None else self.seed, "binary")
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
    _require_few(f"{text}: ", n, size, MAX_TUPLES)
    # Options that are always or never selected have one literal.
    tuples = _tuples(np.flatnonzero(feasible(parts, np.arange(2 * n)[:, None])), size)
    return tuples[feasible(parts, tuples)]


def _require_few(text: str, options: int, size: int, most: int) -> None:
    """Refuse more combinations than can be covered."""
    if (count := math.comb(options, size) << size) > most:
        message = f"{text}{options:,} options have {count_text(count)} combinations of {size} values"
        raise SpaceError(
            f"{message} (the limit is {most:,})", hint="cover combinations of fewer options, or use random:N"
        )


def _tuples(literals: Array, size: int, excluded: Array | None = None) -> Array:
    """Return all combinations of literals of different variables without excluded pairs, shape (n, size)."""
    tuples = literals[:, None].astype(np.int32)
    for _ in range(size - 1):
        allowed = literals[None] > (tuples[:, -1:] | 1)
        if excluded is not None:
            for column in tuples.T:
                allowed &= ~excluded[column][:, literals]
        row, other = np.nonzero(allowed)
        tuples = np.concatenate([tuples[row], literals[other, None].astype(np.int32)], axis=1)
    return tuples


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


class Walks:
    """Builds valid binary parts option by option, several at once.

    The value of an option is the one with which more combinations are expected to be covered, if the options that are
    not decided yet have their values by chance and independently of each other. The chances are those in random
    configurations and in configurations of great weight: the weight of a value is the number of combinations that it
    is part of.
    """

    def __init__(self, parts: Parts, rng: np.random.Generator) -> None:
        self._rng = rng
        self._diagrams = [diagram for diagram in parts.binary.diagrams if diagram.variables]
        counts = parts.binary.value_counts()
        self._usual = np.array([value / max(1, sum(both)) for both in counts for value in both])

    def configurations(self, tuples: Array, count: int) -> Array:
        """Return selections that each have one of these valid combinations and others, and some of great weight."""
        if len(tuples) > _COMBINATIONS:
            tuples = tuples[np.sort(self._shuffled(len(tuples))[:_COMBINATIONS])]
        heavy, chances = self._heavy(tuples, min(count, _SELECTIONS))
        return np.concatenate([self._built(tuples, chances, count), heavy])

    def _shuffled(self, n: int) -> Array:
        """Return a permutation; of all draws, uniform numbers are the least likely to change with numpy's version."""
        return np.argsort(self._rng.random(n), kind="stable")

    def _heavy(self, tuples: Array, count: int) -> tuple[Array, Array]:
        """Return selections of great weight, and the chance of each literal."""
        possible = np.repeat((self._usual > 0)[None] * 0.5, count, axis=0)
        noise = 1 + _NOISE * self._rng.random(possible.shape)
        first = heaviest(self._diagrams, _weights(tuples, possible) * noise)
        chances = (possible + _literals(first)) / 2
        second = heaviest(self._diagrams, _weights(tuples, chances))
        chances = (possible + _literals(first) + _literals(second)) / 3
        return np.concatenate([first, second]), (chances.mean(axis=0) + self._usual) / 2 * (self._usual > 0)

    def _built(self, tuples: Array, usual: Array, count: int) -> Array:
        """Return selections that are built option by option from combinations, shape (count, selectable)."""
        aims = tuples[(self._rng.random(count) * len(tuples)).astype(np.int64)]
        # The chance of each literal in each selection: 0 or 1 once it is decided.
        chances = np.repeat(usual[None], count, axis=0)
        indices = np.arange(count)
        np.put_along_axis(chances, aims, 1.0, axis=1)
        np.put_along_axis(chances, aims ^ 1, 0.0, axis=1)
        wanted = np.full((count, len(usual) // 2), -1)
        wanted[indices[:, None], aims >> 1] = aims & 1
        flat = tuples.reshape(-1)
        by_literal = np.argsort(flat, kind="stable")
        ends = np.searchsorted(flat[by_literal], np.arange(len(usual) + 1))

        def gain(literal: int) -> Array:
            """Return the expected number of combinations with a literal that are covered, shape (count,)."""
            members = tuples[by_literal[ends[literal] : ends[literal + 1]] // tuples.shape[1]]
            product = np.ones((count, len(members)))
            for column in members.T:
                product *= np.where(column == literal, 1.0, chances[:, column])
            return np.asarray(product.sum(axis=1))

        for number in self._shuffled(len(self._diagrams)).tolist():
            diagram = self._diagrams[number]
            nodes = np.zeros(count, dtype=np.int64)
            # The aimed-at values occur below these nodes.
            alive = completions_below(diagram, wanted[:, list(diagram.variables)], 1)[1:]
            for layer, below in zip(diagram.layers, alive, strict=True):
                low, high = 2 * layer.variable, 2 * layer.variable + 1
                child = layer.binary_children[nodes]
                feasible = (child >= 0) & (below[indices[:, None], child] > 0) & (chances[:, [low, high]] > 0)
                following = np.where(feasible, child, -1)
                undecided = (following >= 0).all(axis=1)
                chosen = following[:, 1] >= 0
                if undecided.any():
                    difference = gain(high) - gain(low)
                    coin = self._rng.random(count) < 0.5
                    better = np.where(np.abs(difference) <= 1e-9, coin, difference > 0)
                    chosen = np.where(undecided, better, chosen)
                nodes = following[indices, chosen.astype(np.int64)]
                chances[:, high], chances[:, low] = chosen, ~chosen
        return np.asarray(chances[:, 1::2] == 1, dtype=np.int64)


def _literals(selections: Array) -> Array:
    """Return 1 for the literals that selections have, 0 for others, shape (n, literals)."""
    return np.stack([1 - selections, selections], axis=2).reshape(len(selections), -1)


def _weights(tuples: Array, chances: Array) -> Array:
    """Return for each literal the expected number of combinations that it completes, shape (n, literals)."""
    weights = np.zeros(chances.shape)
    for row, chance in enumerate(chances):
        for position, column in enumerate(tuples.T):
            others = np.delete(tuples, position, axis=1)
            weights[row] += np.bincount(column, chance[others].prod(axis=1), chances.shape[1])
    return weights


def covering(solver: Satisfiability, variables: int, size: int, known: Array, rng: np.random.Generator) -> Array:
    """Return configurations in which every combination of values of `size` variables occurs that any solution has.

    `known`: configurations whose combinations need not be covered again, shape (n, variables).
    """
    first = solver.solution(preferred=np.zeros(variables))
    if first is None:
        return np.zeros((0, variables), dtype=np.uint8)
    open_variables = np.flatnonzero(solver.fixed < 0)
    size = min(size, len(open_variables))
    _require_few("", len(open_variables), size, MAX_SOLVED)
    if size == 0:
        return first[None] if not len(known) else np.zeros((0, variables), dtype=np.uint8)
    # The combinations that unit propagation does not exclude.
    literals = (2 * open_variables[:, None] + np.arange(2)).reshape(-1)
    excluded = np.zeros((2 * variables, 2 * variables), dtype=bool)
    for literal in literals.tolist():
        implied = np.array(solver.implied(_signed(literal)))
        opposite = 2 * (abs(implied) - 1) + (implied < 0)
        opposite = opposite[opposite < 2 * variables]
        excluded[literal, opposite] = excluded[opposite, literal] = True
    tuples = _tuples(literals, size, excluded)
    for row in known:
        tuples = tuples[~holds(row, tuples)]
    return needed(_greedy(solver, variables, tuples, rng), tuples)


def _greedy(solver: Satisfiability, variables: int, tuples: Array, rng: np.random.Generator) -> Array:
    """Return configurations that cover all combinations that have one."""
    rows: list[Array] = []
    while len(tuples):
        weights = np.bincount(tuples.reshape(-1), minlength=2 * variables).reshape(variables, 2)
        # Of equally useful values a random one.
        preferred = weights[:, 1] + rng.random(variables) > weights[:, 0] + 0.5
        impossible: list[int] = []
        best, gain = None, np.zeros(len(tuples), dtype=bool)
        for index in rng.integers(len(tuples), size=_SOLVED).tolist():
            solution = solver.solution([_signed(literal) for literal in tuples[index].tolist()], preferred)
            if solution is None:
                impossible.append(index)
            elif (held := holds(solution, tuples)).sum() > gain.sum():
                best, gain = solution, held
        if best is not None:
            rows.append(best)
        gain[impossible] = True
        tuples = tuples[~gain]
    return np.array(rows, dtype=np.uint8).reshape(len(rows), variables)


def needed(rows: Array, tuples: Array) -> Array:
    """Return the rows without those whose combinations all occur in others; late rows are tried first."""
    times = sum((holds(row, tuples).astype(np.int32) for row in rows), np.zeros(len(tuples), dtype=np.int32))
    kept = []
    for index in reversed(range(len(rows))):
        held = holds(rows[index], tuples)
        if (times[held] > 1).all():
            times -= held
        else:
            kept.append(index)
    return rows[kept[::-1]]


def holds(row: Array, tuples: Array) -> Array:
    """Return which combinations a configuration has, shape (n,)."""
    literals = np.stack([row == 0, row == 1], axis=1).reshape(-1)
    held: Array = literals[tuples[:, 0]]
    for column in tuples.T[1:]:
        held &= literals[column]
    return held


def _signed(literal: int) -> int:
    """Return a literal 2v + value in the numbers of the solver."""
    variable = literal // 2 + 1
    return variable if literal & 1 else -variable
