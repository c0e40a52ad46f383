"""Large systems: circuits, the SAT and MaxSAT solvers against brute force, and what happens without them."""

from __future__ import annotations

import itertools
from collections import Counter
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import sample
from sampling.designs.coverage import covering
from sampling.space import analysis, circuit, satisfiability
from sampling.space.circuit import Circuit, d4_circuit, d4_is_installed
from sampling.space.maxsat import WeightedClauses
from sampling.space.problem import ConstraintProblem, Disjunction
from sampling.space.ranking import best
from sampling.space.satisfiability import Satisfiability
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.errors import SpaceError, VariabilityError
from splc.models.influence import InfluenceModel
from splc.system.clauses import Clause
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.sampling.space.test_ranking import first_of_each
from tests.support.examples import examples
from tests.support.objects import present
from tests.support.strategies import spaces_with_model

Clauses = list[list[int]]
needs_d4 = pytest.mark.skipif(not d4_is_installed(), reason="d4solver is not installed")
needs_sat = pytest.mark.skipif(not satisfiability.is_installed(), reason="python-sat is not installed")

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
    circuit = present(d4_circuit(tuple(range(variables)), tuple(map(tuple, clauses))))
    check(circuit, solutions_of(clauses, variables))


CASES = given(seed=st.integers(0, 10**6), variables=st.integers(2, 8), share=st.floats(0.2, 2.5))


def drawn(seed: int, variables: int, share: float) -> tuple[Satisfiability, Array]:
    """Return the solver of random clauses, and their solutions."""
    clauses = drawn_clauses(seed, variables, max(1, round(share * variables)))
    return present(Satisfiability.of(problem_of(clauses, variables))), solutions_of(clauses, variables)


@needs_sat
@CASES
def test_fixed_values(seed: int, variables: int, share: float) -> None:
    """The fixed values are those that all solutions share."""
    solver, rows = drawn(seed, variables, share)
    if len(rows):
        expected = np.where((rows == rows[0]).all(axis=0), rows[0].astype(int), -1)
        assert solver.fixed.tolist() == expected.tolist()
    else:
        assert solver.solution() is None


@needs_sat
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


@needs_sat
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


@needs_sat
def test_redundant_constraints() -> None:
    """A constraint is redundant if the others imply it, also one that the hierarchy implies."""
    system = VariabilityModel.of({"a": bool, "b": bool, "c": bool}, ["!a | b", "!b | c", "!a | c", "a | !a"])
    solver = present(Satisfiability.of(Space(system).problem))
    assert solver.redundant(system.constraints) == [False, False, True, True]


@needs_sat
def test_what_is_not_clauses() -> None:
    """Many values, and arithmetic constraints over many options, are not encoded; those over few options are."""
    assert Satisfiability.of(Space(VariabilityModel.of({"x": range(300)})).problem) is None
    few = present(Satisfiability.of(Space(VariabilityModel.of({"a": bool, "b": bool}, ["a + b <= 1"])).problem))
    assert few.solution([1, 2]) is None
    assert few.solution([1, -2]) is not None
    names = [f"o{number}" for number in range(20)]
    system = VariabilityModel.of(dict.fromkeys(names, bool), [f"{' + '.join(names)} <= 10"])
    assert Satisfiability.of(Space(system).problem) is None


@needs_sat
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


PAIRS = 60


def large(more: tuple[str, ...] = (), pairs: int = PAIRS) -> VariabilityModel:
    """Return pairs of which at least one option is selected; `a0` needs all other a's, and `dead` is dead."""
    names = [f"{letter}{number}" for number in range(pairs) for letter in "ab"]
    constraints = [f"a{number} | b{number}" for number in range(pairs)]
    constraints += [f"!a0 | a{number}" for number in range(1, pairs)]
    return VariabilityModel.of(
        dict.fromkeys([*names, "dead"], bool), [*constraints, "!dead | !a0", "!dead | a0", *more]
    )


@needs_d4
def test_counts_and_draws() -> None:
    """The count is exact, and draws are valid and distinct; the same seed draws the same."""
    system = large()
    space = Space(system)
    assert isinstance(next(each for each in space.solutions.compiled if len(each.variables) > 1), Circuit)
    assert space.count == 3 ** (PAIRS - 1) + 2**PAIRS
    drawn = space.draw(200, np.random.default_rng(3))
    assert space.check(drawn).all()
    assert len(np.unique(drawn.indices, axis=0)) == 200
    assert (space.draw(200, np.random.default_rng(3)).indices == drawn.indices).all()


@needs_d4
@needs_sat
@pytest.mark.parametrize("counted", [True, False])
def test_descriptions_and_designs(counted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The description of a large system names dead options, constraints without effect, and what answered.

    Option-wise and t-wise samples are valid and select what they promise, also if D4 reaches its limits.
    """
    d4_circuit.cache_clear()
    if not counted:
        monkeypatch.setattr(circuit, "SECONDS", 0)
    system = large(("a1 | b1 | b2",))
    space = Space(system)
    assert space.is_counted == counted
    found = analysis.describe(space)
    assert (found.dead, found.core) == (("dead",), ())
    assert (found.count is None, found.engine) == ((False, "d-DNNF (D4)") if counted else (True, "SAT (Glucose)"))
    assert [each.options for each in found.findings if each.kind == "constraint never binds"] == [("a1", "b1", "b2")]
    single = sample(system, "optionwise")
    assert space.check(single).all()
    selected = single.indices == 1
    # Each option but the dead one, with as few others as possible: one per pair, and all a's for a0.
    assert selected.any(axis=0).sum() == 2 * PAIRS
    assert selected.sum(axis=1).min() == PAIRS
    for text in ("twise:2", "covering:2"):
        pairs = sample(system, text)
        assert space.check(pairs).all()
        assert len(pairs) < 60
        on = pairs.indices[:, : 2 * PAIRS].astype(int)
        both = (on.T @ on) > 0
        assert both.all()


@needs_d4
def test_what_needs_diagrams() -> None:
    """Designs that walk through decision diagrams have them on demand, or say what larger systems have instead."""
    found = sample(large(), "negoptionwise:first")
    assert Space(found.system).check(found).all()
    with pytest.raises(SpaceError, match=r"too many") as caught:
        sample(large(pairs=260), "negoptionwise")
    assert "random:N" in str(caught.value)


@needs_sat
def test_contradiction() -> None:
    """A large system without a valid configuration names constraints that contradict each other."""
    with pytest.raises(VariabilityError) as caught:
        analysis.describe(Space(large(("a1 | dead", "!a1 | dead"))))
    assert any(problem.text and "a1" in problem.text for problem in caught.value.problems)
