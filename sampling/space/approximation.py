"""Approximately uniform draws of solutions where the constraints are too complex for exact counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sampling.space.chains import CHAINS, SWEEPS, Chains
from sampling.space.compilation import BUDGETS
from sampling.space.problem import ConstraintProblem
from sampling.space.propagation import Component, components
from sampling.space.ranks import uniform_below
from sampling.space.rows import without_repeats
from sampling.space.solutions import Cache, Solutions
from splc.errors import SpaceError
from splc.types import Array

# Components whose diagrams are not found within these budgets are drawn by chains.
COUNTING_BUDGETS = BUDGETS[:2]


@dataclass(frozen=True, eq=False)
class Draws:
    """Approximately uniform solutions."""

    rows: Array  # distinct solutions, shape (n, variables)
    connected: int  # the number of variables of the largest component that is drawn by chains
    dependence: float  # the greatest correlation of chains with their starts (see `Chains.draw`)
    chance: float  # the standard deviation of this correlation for chains that have forgotten their starts

    @property
    def note(self) -> str:
        """A sentence on their distribution, for users."""
        return (
            f"drawn approximately uniformly, for the constraints over {self.connected:,} connected options are too "
            f"complex for exact counts: {SWEEPS} sweeps of block Gibbs sampling, whose correlation with the start is "
            f"{abs(self.dependence):.2g} (by chance {self.chance:.2g})"
        )


def approximate_draws(problem: ConstraintProblem, n: int, rng: np.random.Generator, cache: Cache) -> Draws:
    """Return n distinct solutions: exactly uniform values of small components, approximately uniform ones of others.

    The first of them are those of a smaller draw with the same generator.

    `cache`: the diagrams of components built so far; new ones are added.
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
    return Draws(rows[:n], connected, dependence, 1 / float(np.sqrt(CHAINS * connected)))
