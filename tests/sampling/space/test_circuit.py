"""Circuits against brute force, from texts and from D4."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling.space.circuit import Circuit, d4_circuit, d4_is_installed
from sampling.space.problem import ConstraintProblem, Disjunction
from splc.system.clauses import Clause
from splc.types import Array
from tests.support.examples import examples

Clauses = list[list[int]]
needs_d4 = pytest.mark.skipif(not d4_is_installed(), reason="d4solver is not installed")

CLAUSES: Clauses = [[1, 2], [-1, -2, 3]]


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


def of_clauses(clauses: Clauses, variables: int) -> Circuit:
    """Return the circuit of clauses by D4."""
    found = d4_circuit(tuple(range(variables)), tuple(map(tuple, clauses)))
    assert found is not None
    return found


def check(circuit: Circuit, expected: Array) -> None:
    """Compare counts, all solutions, and the cheapest ones of a circuit with the list of its solutions."""
    variables = len(circuit.variables)
    assert circuit.count == len(expected)
    assert circuit.empty == (len(expected) == 0)
    rows = circuit.expand()
    assert sorted(map(tuple, rows.tolist())) == sorted(map(tuple, expected.tolist()))
    counts = circuit.marginals([2] * variables)
    own = [[int((column == value).sum()) for value in (0, 1)] for column in expected.T]
    assert [counts[variable] for variable in range(variables)] == own
    rng = np.random.default_rng(variables)
    costs = rng.integers(-3, 4, size=(variables, 2))
    demands = np.array([[v + 1, -((v + 1) % variables + 1)] for v in range(variables)]).reshape(variables, 2)
    if variables == 1:
        demands = np.array([[1]])
    found, met = circuit.cheapest(costs, demands)
    for row, demand, possible in zip(found, demands, met, strict=True):
        held = np.all([expected[:, abs(each) - 1] == (each > 0) for each in demand], axis=0)
        assert possible == held.any()
        if possible:
            best = costs[np.arange(variables), expected[held]].sum(axis=1).min()
            assert any((row == each).all() for each in expected[held])
            assert costs[np.arange(variables), row].sum() == best


@needs_d4
@examples(16)
@given(seed=st.integers(0, 10**6), variables=st.integers(1, 9), share=st.floats(0.2, 2.5))
def test_brute_force(seed: int, variables: int, share: float) -> None:
    """The circuit of random clauses has exactly their solutions."""
    clauses = drawn_clauses(seed, variables, max(1, round(share * variables)))
    check(of_clauses(clauses, variables), solutions_of(clauses, variables))
