"""Few configurations that cover all valid combinations of values, for systems that are too large for diagrams.

A SAT solver finds a configuration with an uncovered combination, and prefers the values that occur in
most of the uncovered ones. Combinations without a configuration are found on the way. Henard et al.: "Bypassing the
combinatorial explosion: using similarity to generate and prioritize t-wise test configurations", TSE 40 (2014), and
Kröher et al.: "YASA: yet another sampling algorithm", VaMoS 2020, cover large feature models with solvers, too.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable

import numpy as np

from sampling.space.satisfiability import Satisfiability
from splc.errors import SpaceError
from splc.io.numbers import count_text
from splc.types import Array

MAX_TUPLES = 12_000_000
# The combinations that are tried for each configuration.
_TRIALS = 4


def covering(solver: Satisfiability, variables: int, size: int, known: Array, rng: np.random.Generator) -> Array:
    """Return configurations in which every combination of values of `size` variables occurs that any solution has.

    `known`: configurations whose combinations need not be covered again, shape (n, variables). Returns: The
    configurations, shape (n, variables); without solutions none.
    """
    first = solver.solution(preferred=np.zeros(variables))
    if first is None:
        return np.zeros((0, variables), dtype=np.uint8)
    open_variables = np.flatnonzero(solver.fixed < 0)
    size = min(size, len(open_variables))
    count = math.comb(len(open_variables), size) << size
    if count > MAX_TUPLES:
        raise SpaceError(
            f"{len(open_variables):,} options have {count_text(count)} combinations of {size} values "
            f"(the limit is {MAX_TUPLES:,})",
            hint="cover combinations of fewer options, or use random:N",
        )
    if size == 0:
        return first[None] if not len(known) else np.zeros((0, variables), dtype=np.uint8)
    tuples = _possible(solver, open_variables, variables, size)
    for row in known:
        tuples = tuples[~holds(row, tuples)]
    return needed(_greedy(solver, variables, tuples, rng), _possible(solver, open_variables, variables, size), known)


def _possible(solver: Satisfiability, open_variables: Array, variables: int, size: int) -> Array:
    """Return the combinations that unit propagation does not exclude, as literals 2v + value, shape (n, size)."""
    literals = (2 * open_variables[:, None] + np.arange(2)).reshape(-1)
    excluded = np.zeros((2 * variables, 2 * variables), dtype=bool)
    for literal in literals.tolist():
        implied = np.array(solver.implied(_signed(literal)))
        opposite = 2 * (abs(implied) - 1) + (implied < 0)
        opposite = opposite[opposite < 2 * variables]
        excluded[literal, opposite] = excluded[opposite, literal] = True
    tuples = literals[:, None].astype(np.int32)
    for _ in range(size - 1):
        allowed = literals[None] > (tuples[:, -1:] | 1)
        for column in tuples.T:
            allowed &= ~excluded[column][:, literals]
        row, other = np.nonzero(allowed)
        tuples = np.concatenate([tuples[row], literals[other, None].astype(np.int32)], axis=1)
    return tuples


def _greedy(solver: Satisfiability, variables: int, tuples: Array, rng: np.random.Generator) -> Array:
    """Return configurations that cover all combinations that have one."""
    rows: list[Array] = []
    while len(tuples):
        weights = np.bincount(tuples.reshape(-1), minlength=2 * variables).reshape(variables, 2)
        # Of equally useful values a random one.
        preferred = weights[:, 1] + rng.random(variables) > weights[:, 0] + 0.5
        impossible: list[int] = []
        best, gain = None, np.zeros(0, dtype=bool)
        for index in rng.integers(len(tuples), size=_TRIALS).tolist():
            solution = solver.solution([_signed(literal) for literal in tuples[index].tolist()], preferred)
            if solution is None:
                impossible.append(index)
                continue
            held = holds(solution, tuples)
            if held.sum() > gain.sum():
                best, gain = solution, held
        uncovered = ~gain if best is not None else np.ones(len(tuples), dtype=bool)
        uncovered[impossible] = False
        if best is not None:
            rows.append(best)
        tuples = tuples[uncovered]
    return np.array(rows, dtype=np.uint8).reshape(len(rows), variables)


def needed(rows: Array, tuples: Array, known: Iterable[Array] = ()) -> Array:
    """Return the rows without those whose combinations all occur in others or are known; late rows are tried first."""
    times = np.zeros(len(tuples), dtype=np.int32)
    for row in itertools.chain(known, rows):
        times += holds(row, tuples)
    is_needed = np.ones(len(rows), dtype=bool)
    for index in range(len(rows) - 1, -1, -1):
        held = holds(rows[index], tuples)
        if (times[held] > 1).all():
            is_needed[index] = False
            times -= held
    return rows[is_needed]


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
