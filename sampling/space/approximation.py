"""Approximately uniform draws of solutions where the constraints are too complex for exact counts: Gibbs sampling.

Each draw is the end of a separate chain, so that draws are independent of each other. A chain starts from random
values. In a sweep, all variables are replaced block by block: by values, uniformly drawn, that violate the fewest
constraints given the rest. Once a chain violates none, it is a Gibbs sampler, whose distribution approaches the uniform
one (Geman and Geman, Stochastic relaxation, Gibbs distributions, and the Bayesian restoration of images, 1984).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from sampling.draws import uniform_below
from sampling.space.compilation import BUDGETS
from sampling.space.problem import Component, ConstraintProblem, components, flags_of, values_in
from sampling.space.rows import without_repeats
from sampling.space.satisfiability import Satisfiability, is_installed
from sampling.space.solutions import Cache, Solutions
from splc.errors import SpaceError
from splc.types import Array

COUNTING_BUDGETS = BUDGETS[:2]  # components whose diagrams are not found within these budgets are drawn by chains
CHAINS = 256  # chains at a time, for any number of draws, so that a smaller draw is the beginning of a larger one
# Sweeps after a chain violates no constraint, and the most before it.
SWEEPS, MAX_REPAIRS = 24, 400
# With a solver, it finds the first solutions of the chains that still violate constraints after these sweeps.
MAX_SOLVED_REPAIRS = 20
_ROWS = 128  # the most combinations of values of a block
FlaggedLiterals = tuple[tuple[int, Array], ...]


def approximate_draws(problem: ConstraintProblem, n: int, rng: np.random.Generator, cache: Cache) -> tuple[Array, str]:
    """Return n distinct solutions, and a sentence on their distribution for users.

    Values of small components are exactly uniform, others approximately. The first ones are those of a smaller draw
    with the same generator.
    """
    counted: list[Component] = []
    chains: list[Chains] = []
    for part in components(problem) or ():
        try:
            Solutions(problem, part.variables, cache=cache, budgets=COUNTING_BUDGETS, parts=[part])
        except SpaceError:
            if part.comparisons:
                raise
            chains.append(Chains(part, problem.sizes))
        else:
            counted.append(part)
    variables = [variable for part in counted for variable in part.variables]
    small = Solutions(problem, variables, cache=cache, budgets=COUNTING_BUDGETS, parts=counted)
    rows = np.zeros((0, len(problem.sizes)), dtype=np.int64)
    dependence = 0.0
    while len(rows) < n:
        batch = np.zeros((CHAINS, len(problem.sizes)), dtype=np.int64)
        batch[:, variables] = small.unrank([uniform_below(small.count, rng) for _ in range(CHAINS)])
        for chain in chains:
            batch[:, list(chain.variables)], chain_dependence = chain.draw(rng)
            dependence = max(dependence, chain_dependence, key=abs)
        before, rows = len(rows), without_repeats(np.concatenate([rows, batch]))
        if len(rows) == before:
            raise SpaceError(f"only {before:,} valid configurations were found, not {n:,}", hint="ask for fewer")
    connected = max((len(chain.variables) for chain in chains), default=1)
    chance = 1 / float(np.sqrt(CHAINS * connected))
    return rows[:n], (
        f"drawn approximately uniformly, for the constraints over {connected:,} connected options are too "
        f"complex for exact counts: {SWEEPS} sweeps of block Gibbs sampling, whose correlation with the start is "
        f"{abs(dependence):.2g} (by chance {chance:.2g})"
    )


class Chains:
    """Approximately uniform solutions of a component whose constraints are disjunctions."""

    def __init__(self, component: Component, sizes: Sequence[int]) -> None:
        self.variables, self._clauses = component.variables, component.clauses
        positions = {variable: position for position, variable in enumerate(self.variables)}
        self._values = [values_in(component.domains[variable]) for variable in self.variables]
        self._constraints: list[FlaggedLiterals] = [
            tuple((positions[variable], flags_of(bits, sizes[variable])) for variable, bits in literals)
            for literals in component.disjunctions
        ]
        self._about: list[list[int]] = [[] for _ in self.variables]
        for number, literals in enumerate(self._constraints):
            for position, _ in literals:
                self._about[position].append(number)

    @cached_property
    def _solver(self) -> Satisfiability | None:
        """The solver of the constraints; None if it is not installed, or for variables with more than two values."""
        if self._clauses is None or not is_installed():
            return None
        return Satisfiability(len(self.variables), self._clauses)

    def draw(self, rng: np.random.Generator, sweeps: int = SWEEPS) -> tuple[Array, float]:
        """Return the ends of `CHAINS` chains, shape (chains, variables), and how much they depend on their starts.

        The dependence is the correlation, over all variables and chains, of the values with those of the first state
        without violated constraints. It is 0 up to about 1 / sqrt(chains * variables) once the start is forgotten.
        """
        state = np.stack([rng.choice(values, CHAINS) for values in self._values], axis=1)
        for _ in range(MAX_REPAIRS if self._solver is None else MAX_SOLVED_REPAIRS):
            if not self.violated(state).any():
                break
            self._sweep(state, rng)
        broken = np.flatnonzero(self.violated(state))
        if self._solver is not None:
            for chain in broken.tolist():
                # The solution that the solver finds first if it keeps the values that it can.
                solution = self._solver.solution(preferred=state[chain])
                if solution is None:
                    break
                state[chain] = solution
            broken = np.flatnonzero(self.violated(state))
        if len(broken):
            raise SpaceError(
                f"the constraints over {len(self.variables)} connected options are too complex to find configurations",
                hint="state constraints over fewer options, or describe a part of the system",
            )
        first = state.copy()
        for _ in range(sweeps):
            self._sweep(state, rng)
        a, b = (states - states.mean(axis=0) for states in (first.astype(float), state.astype(float)))
        norm = float(np.sqrt((a**2).sum() * (b**2).sum()))
        return state, float((a * b).sum()) / norm if norm else 0.0

    def violated(self, state: Array) -> Array:
        """Return which states violate a constraint, shape (n,)."""
        none = np.zeros(len(state), dtype=bool)
        return np.asarray(np.any([none, *(_violated(each, state) for each in self._constraints)], axis=0))

    def _sweep(self, state: Array, rng: np.random.Generator) -> None:
        """Replace the values of all variables of each chain, in new random connected blocks."""
        free = np.ones(len(self.variables), dtype=bool)
        for seed in rng.permutation(len(self.variables)).tolist():
            if not free[seed]:
                continue
            members, rows = self._block(seed, free, rng)
            column = {at: position for position, at in enumerate(members)}
            broken = np.zeros((len(state), len(rows)))
            # The constraints that other variables are in, too: which states and which rows do not satisfy them.
            unmet, violates = [], []
            for number in dict.fromkeys(number for at in members for number in self._about[at]):
                literals = self._constraints[number]
                outside = tuple(literal for literal in literals if literal[0] not in column)
                if outside:
                    unmet.append(_violated(outside, state))
                    violates.append(_violated(tuple((column[at], f) for at, f in literals if at in column), rows))
            if unmet:
                broken = np.stack(unmet, axis=1).astype(float) @ np.array(violates, dtype=float)
            keys = np.where(broken == broken.min(axis=1, keepdims=True), rng.random(broken.shape), -1.0)
            state[:, members] = rows[keys.argmax(axis=1)]

    def _block(self, seed: int, free: Array, rng: np.random.Generator) -> tuple[list[int], Array]:
        """Return variables that are replaced together, and their values that violate no constraint among them only."""
        members: list[int] = []
        rows = np.zeros((1, 0), dtype=np.int64)
        near = [seed]
        while near:
            at = near.pop(int(rng.integers(len(near))))
            if not free[at]:
                continue
            grown = self._grown(members, rows, at)
            if members and not 0 < len(grown) <= _ROWS:
                continue
            members.append(at)
            rows, free[at] = grown, False
            for number in self._about[at]:
                near += [other for other, _ in self._constraints[number] if free[other] and other not in near]
        return members, rows

    def _grown(self, members: list[int], rows: Array, at: int) -> Array:
        """Return the combinations of values with one more variable that violate no constraint among these variables."""
        values = self._values[at]
        grown = np.column_stack([np.repeat(rows, len(values), axis=0), np.tile(values, len(rows))])
        column = {other: position for position, other in enumerate([*members, at])}
        for number in self._about[at]:
            literals = self._constraints[number]
            if all(other in column for other, _ in literals):
                grown = grown[~_violated(tuple((column[other], flags) for other, flags in literals), grown)]
        return grown


def _violated(literals: FlaggedLiterals, state: Array) -> Array:
    """Return which states satisfy none of the literals, shape (n,)."""
    return np.asarray(~np.any([flags[state[:, position]] for position, flags in literals], axis=0))
