"""Answers of the SAT and the MaxSAT solver, against brute force."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling.designs.coverage import covering
from sampling.space import satisfiability
from sampling.space.maxsat import WeightedClauses
from sampling.space.ranking import best
from sampling.space.satisfiability import Satisfiability
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.models.influence import InfluenceModel
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.sampling.space.test_circuit import Clauses, drawn_clauses, problem_of, solutions_of
from tests.sampling.space.test_ranking import first_of_each
from tests.support.examples import examples
from tests.support.influence_strategies import spaces_with_model

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


@given(st.integers(0, 10**6), st.integers(2, 8), st.floats(0.2, 2.0), st.integers(1, 3), st.integers(0, 2))
def test_covering(seed: int, variables: int, share: float, size: int, count: int) -> None:
    """With known ones, a covering has every combination of values that any solution has, and needs each of its own."""
    solver, rows = drawn(seed, variables, share)
    known = rows[:count]
    added = covering(solver, variables, size, known, np.random.default_rng(seed))
    assert {tuple(row) for row in added.tolist()} <= {tuple(row) for row in rows.tolist()}
    found = np.concatenate([known, added])
    places = np.array(np.meshgrid(*[range(variables)] * min(size, variables))).reshape(min(size, variables), -1).T
    for place in places:
        assert {tuple(row) for row in found[:, place].tolist()} == {tuple(row) for row in rows[:, place].tolist()}
    own = [{(*place, *row[place]) for place in places} for row in found]
    times = Counter(chain(*own))
    assert all(min(times[each] for each in combinations) == 1 for combinations in own[len(known) :])


def test_redundant_constraints() -> None:
    """A constraint is redundant if the others imply it, also one that the hierarchy implies."""
    system = VariabilityModel.of({"a": bool, "b": bool, "c": bool}, ["!a | b", "!b | c", "!a | c", "a | !a"])
    solver = Satisfiability.of(Space(system).problem)
    assert solver is not None
    assert solver.redundant(system.constraints) == [False, False, True, True]


def test_what_is_not_clauses() -> None:
    """Many values, and arithmetic constraints over many options, are not encoded; those over few options are."""
    assert Satisfiability.of(Space(VariabilityModel.of({"x": range(300)})).problem) is None
    few = Satisfiability.of(Space(VariabilityModel.of({"a": bool, "b": bool}, ["a + b <= 1"])).problem)
    assert few is not None
    assert few.solution([1, 2]) is None
    assert few.solution([1, -2]) is not None
    names = [f"o{number}" for number in range(20)]
    system = VariabilityModel.of(dict.fromkeys(names, bool), [f"{' + '.join(names)} <= 10"])
    assert Satisfiability.of(Space(system).problem) is None


@examples(30)
@given(spaces_with_model(2), st.integers(1, 6), st.booleans())
def test_the_best_are_those_of_a_sorted_enumeration(
    drawn: tuple[Space, InfluenceModel], count: int, maximize: bool
) -> None:
    """Their predictions are the best ones of all configurations that differ in options of the model."""
    space, model = drawn
    unused = best(model, space, 1).unused
    found = Configurations(space.system, WeightedClauses(model, space, maximize).best(count))
    predictions = model.predict(space.enumerate()[first_of_each(space, unused)])
    wanted = np.sort(-predictions if maximize else predictions)[:count]
    near = 1e-9 * max(1.0, float(np.abs(predictions).max()))
    assert np.abs(model.predict(found) * (-1 if maximize else 1) - wanted).max() <= near
    assert space.check(found).all()
    assert len(found.unique()) == len(found)
