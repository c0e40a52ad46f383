"""Random clauses, and their solutions by brute force."""

from __future__ import annotations

import itertools

import numpy as np

from sampling.space.problem import ConstraintProblem, Disjunction
from splc.system.clauses import Clause
from splc.types import Array

Clauses = list[list[int]]


def drawn_clauses(seed: int, variables: int, count: int) -> Clauses:
    """Return clauses of one to three literals, which count variables from 1."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        chosen = rng.choice(variables, size=min(int(rng.integers(1, 4)), variables), replace=False)
        found.append([int(v + 1) if rng.random() < 0.5 else -int(v + 1) for v in chosen])
    return found


def solutions_of(clauses: Clauses, variables: int) -> Array:
    """Return all solutions in lexicographic order, shape (n, variables)."""
    rows = np.array(list(itertools.product((0, 1), repeat=variables)), dtype=np.uint8).reshape(-1, variables)
    holds = [np.any([rows[:, abs(each) - 1] == (each > 0) for each in clause], axis=0) for clause in clauses]
    return rows[np.all(holds, axis=0)] if holds else rows


def problem_of(clauses: Clauses, variables: int) -> ConstraintProblem:
    """Return clauses as a problem whose constraints belong to the hierarchy."""
    constraints = tuple(
        Disjunction(tuple((abs(each) - 1, 2 if each > 0 else 1) for each in clause), Clause((), None, "a clause"))
        for clause in clauses
    )
    return ConstraintProblem((2,) * variables, (None,) * variables, constraints)
