"""The SAT solver's answers against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling.designs.coverage import covering
from sampling.space import satisfiability
from sampling.space.satisfiability import Satisfiability
from sampling.space.space import Space
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.sampling.space.clauses import Clauses, drawn_clauses, problem_of, solutions_of

pytestmark = pytest.mark.skipif(not satisfiability.is_installed(), reason="python-sat is not installed")

CASES = given(seed=st.integers(0, 10**6), variables=st.integers(2, 8), share=st.floats(0.2, 2.5))


def solver_of(clauses: Clauses, variables: int) -> Satisfiability:
    """Return the solver of clauses."""
    found = Satisfiability.of(problem_of(clauses, variables))
    assert found is not None
    return found


def drawn(seed: int, variables: int, share: float) -> tuple[Satisfiability, Array]:
    """Return the solver of random clauses, and their solutions."""
    clauses = drawn_clauses(seed, variables, max(1, round(share * variables)))
    return solver_of(clauses, variables), solutions_of(clauses, variables)


@CASES
def test_fixed_values(seed: int, variables: int, share: float) -> None:
    """The fixed values are those that all solutions share."""
    solver, rows = drawn(seed, variables, share)
    if len(rows):
        expected = np.where((rows == rows[0]).all(axis=0), rows[0].astype(int), -1)
        assert solver.fixed.tolist() == expected.tolist()
    else:
        assert solver.solution() is None


@CASES
def test_minimal_solutions(seed: int, variables: int, share: float) -> None:
    """A minimal solution contains no other solution with the same demand."""
    solver, rows = drawn(seed, variables, share)
    for variable in range(variables):
        allowed = rows[rows[:, variable] == 1]
        found = solver.minimal([variable + 1])
        if found is None:
            assert not len(allowed)
            continue
        assert any((found == row).all() for row in allowed)
        smaller = ((allowed <= found).all(axis=1)) & ((allowed < found).any(axis=1))
        assert not smaller.any()
    # Questions about minimal solutions exclude none.
    assert (solver.solution() is None) == (not len(rows))


@given(seed=st.integers(0, 10**6), variables=st.integers(2, 8), share=st.floats(0.2, 2.0), size=st.integers(1, 3))
def test_covering(seed: int, variables: int, share: float, size: int) -> None:
    """A covering has solutions only, and every combination of values that any solution has."""
    solver, rows = drawn(seed, variables, share)
    found = covering(solver, variables, size, np.zeros((0, variables)), np.random.default_rng(seed))
    assert {tuple(row) for row in found.tolist()} <= {tuple(row) for row in rows.tolist()}
    assert len(found) <= len(rows)
    places = np.array(np.meshgrid(*[range(variables)] * min(size, variables))).reshape(min(size, variables), -1).T
    for place in places:
        assert {tuple(row) for row in found[:, place].tolist()} == {tuple(row) for row in rows[:, place].tolist()}


def test_redundant_constraints() -> None:
    """A constraint is redundant if the others imply it, also one that the hierarchy implies."""
    system = VariabilityModel.of({"a": bool, "b": bool, "c": bool}, ["!a | b", "!b | c", "!a | c", "a | !a"])
    solver = Satisfiability.of(Space(system).problem)
    assert solver is not None
    assert solver.redundant(system.constraints) == [False, False, True, True]


def test_what_is_not_clauses() -> None:
    """Numeric options, and arithmetic constraints over many options, are not encoded; those over few options are."""
    assert Satisfiability.of(Space(VariabilityModel.of({"x": [1, 2, 3]})).problem) is None
    few = Satisfiability.of(Space(VariabilityModel.of({"a": bool, "b": bool}, ["a + b <= 1"])).problem)
    assert few is not None
    assert few.solution([1, 2]) is None
    assert few.solution([1, -2]) is not None
    names = [f"o{number}" for number in range(20)]
    system = VariabilityModel.of(dict.fromkeys(names, bool), [f"{' + '.join(names)} <= 10"])
    assert Satisfiability.of(Space(system).problem) is None
