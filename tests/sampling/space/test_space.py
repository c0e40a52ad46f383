"""The space and the solutions of small systems against brute force, conflicts, and the uniformity of draws."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chi2

from sampling import draw_sample, sample
from sampling.space.approximation import CHAINS, Chains
from sampling.space.compilation import build
from sampling.space.problem import ConstraintProblem, Disjunction, components, problem_of
from sampling.space.solutions import Solutions, minimal_conflict
from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.system.constraints import parse_arithmetic, parse_boolean
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.examples import examples
from tests.support.golden_messages import check_calls
from tests.support.sampling_oracle import is_valid
from tests.support.strategies import ENTANGLED, all_assignments, models, random_clauses, system_of


@given(st.one_of(models(), models(binary=6, numeric=3, most_constraints=4)))
@examples(120)
def test_enumerated_counted_ranked_and_accepted_are_the_same(model: VariabilityModel) -> None:
    """The check accepts exactly the configurations that obey the rules by plain Python, and explains violations.

    These are enumerated in lexicographic order, and all ranks give each of them once.
    """
    everything, space = all_assignments(model), Space(model)
    accepted = space.check(everything)
    for row in range(0, len(everything), 1 + len(everything) // 200):
        assert is_valid(model, everything.assignment(row)) == accepted[row]
        assert (space.violations(everything, row) == []) == accepted[row]
    valid = everything[accepted]
    assert space.count == len(valid)
    assert space.enumerate() == valid
    rows = space.solutions.unrank(range(space.count))
    assert rows.dtype == space.enumerate().indices.dtype == np.uint8
    assert np.array_equal(np.sort(Configurations(model, rows).keys), np.sort(valid.keys))
    for option, column in zip(model.options, valid.indices.T, strict=True):
        assert space.option_counts()[option.name] == tuple(np.bincount(column, minlength=option.size))


@given(models(), st.integers(0, 5), st.integers(0, 30), st.integers(0, 30))
@examples(40)
def test_draws_are_valid_distinct_reproducible_and_extend_each_other(
    model: VariabilityModel, seed: int, n: int, more: int
) -> None:
    """A draw is valid, distinct, the same for the same seed, and the beginning of every larger draw."""
    space = Space(model)
    n = min(n, space.count)
    more = min(n + more, space.count)
    drawn = space.draw(n, np.random.default_rng(seed))
    assert len(drawn) == n == len(drawn.unique())
    assert space.check(drawn).all()
    assert Space(model).draw(more, np.random.default_rng(seed))[:n] == drawn


# A clause of a system is only needed for messages.
NO_ORIGIN: Any = None


@st.composite
def problems(draw: st.DrawFn) -> ConstraintProblem:
    """Draw a problem of a few variables, one of which may have many values, with disjunctions."""
    sizes = draw(st.lists(st.sampled_from([1, 2, 2, 3, 4]), min_size=1, max_size=6))
    if draw(st.booleans()):
        sizes[draw(st.integers(0, len(sizes) - 1))] = draw(st.sampled_from([64, 65, 70]))
        sizes = [size if size > 4 or at < 3 else 1 for at, size in enumerate(sizes)]
    constraints = []
    for _ in range(draw(st.integers(0, 5))):
        scope = sorted(draw(st.sets(st.integers(0, len(sizes) - 1), min_size=1, max_size=3)))
        literals = [(variable, draw(st.integers(0, (1 << sizes[variable]) - 1))) for variable in scope]
        constraints.append(Disjunction(tuple(literals), NO_ORIGIN))
    return ConstraintProblem(tuple(sizes), (None,) * len(sizes), tuple(constraints))


def brute(problem: ConstraintProblem, kept: tuple[int, ...], domains: list[int]) -> list[tuple[int, ...]]:
    """Return the solutions in lexicographic order, reduced to the kept variables."""
    found = set()
    clauses = [each for each in problem.constraints if isinstance(each, Disjunction)]
    for values in itertools.product(*map(range, problem.sizes)):
        allowed = all(domain >> value & 1 for domain, value in zip(domains, values, strict=True))
        if allowed and all(any(bits >> values[at] & 1 for at, bits in each.literals) for each in clauses):
            found.add(tuple(values[at] for at in kept))
    return sorted(found)


@examples(50)
@given(problems(), st.data())
def test_solutions_are_those_of_brute_force(problem: ConstraintProblem, data: st.DataObject) -> None:
    """Counts, lists, ranks and the use of values are those of all combinations, also for a part of the variables."""
    everything = [(1 << size) - 1 for size in problem.sizes]
    kept = tuple(range(len(problem.sizes)))
    part = None
    if data.draw(st.booleans()):
        part = kept = tuple(sorted(data.draw(st.sets(st.sampled_from(kept), min_size=1))))
    domains = None
    if data.draw(st.booleans()):
        domains = [data.draw(st.integers(1, each)) for each in everything]
    expected = brute(problem, kept, domains or everything)
    found = Solutions(problem, part, domains)
    assert found.count == len(expected)
    assert found.enumerate(10**6).tolist() == [list(each) for each in expected]
    assert sorted(map(tuple, found.unrank(range(found.count)).tolist())) == expected
    assert found.value_counts() == [
        [sum(each[at] == value for each in expected) for value in range(problem.sizes[variable])]
        for at, variable in enumerate(kept)
    ]


@examples(20)
@given(models(binary=4, numeric=2, most_constraints=6))
def test_conflicts_are_minimal(system: VariabilityModel) -> None:
    """The constraints have no solution together, and have one if any of them is left out."""
    problem = problem_of(system)
    assume(Solutions(problem).empty)
    found = minimal_conflict(problem)
    assert Solutions(ConstraintProblem(problem.sizes, problem.parents, tuple(found))).empty
    for left_out in found:
        rest = tuple(each for each in found if each is not left_out)
        assert not Solutions(ConstraintProblem(problem.sizes, problem.parents, rest)).empty


def contradictory(*texts: str) -> VariabilityModel:
    """Return a system with a mandatory option and its child, other options, and constraints from line 7 on."""
    options: tuple[Option, ...] = (
        BinaryOption("p", optional=False),
        BinaryOption("q", parent="p", optional=False),
        *map(BinaryOption, ("r", "s", *(f"b{i}" for i in range(10)))),
        *(NumericOption(name, (1.0, 2.0, 3.0)) for name in "xy"),
    )
    names = VariabilityModel("m", options).name_table
    constraints = (
        parse_arithmetic(text, names, line=line) if "x" in text else parse_boolean(text, names, line)
        for line, text in enumerate(texts, 7)
    )
    return VariabilityModel("m", options, tuple(constraints), source="m.xml")


def chain(length: int) -> list[str]:
    """Return constraints that contradict each other only together."""
    return ["b0", *(f"!b{i} | b{i + 1}" for i in range(length - 2)), f"!b{length - 2}"]


def conflict(*texts: str) -> None:
    """Refuse constraints that contradict each other."""
    Space(contradictory(*texts)).require_valid()


def count(options: dict[str, Any], *constraints: str) -> tuple[int, bool]:
    """Return the number of valid configurations, and whether the check accepts some assignment."""
    space = Space(VariabilityModel.of(options, constraints))
    return space.count, bool(space.check(all_assignments(space.system)).any())


def test_known_spaces() -> None:
    """Each constraint of a conflict is named once, with its line; counts are those of the golden file."""
    flagged = {size: NumericOption("n", tuple(map(float, range(size))), deselected_flag=-1.0) for size in (64, 65, 130)}
    values = {"b": bool, "x": [1, 2, 3], "y": [1, 2, 4]}
    check_calls("conflicts", conflict, chain, count, values=values, flagged=flagged, bool=bool)


Read = Callable[[str], VariabilityModel]


def drawn(space: Space, size: int, samples: int) -> Configurations:
    """Return samples of distinct configurations, one after the other."""
    found = [sample(space.system, f"random:{size}", seed, space=space).indices for seed in range(samples)]
    return Configurations(space.system, np.concatenate(found))


def significance(counts: Array, expected: Array, size: int, total: int) -> float:
    """Return the probability of a larger chi-squared value; samples are drawn without replacement."""
    statistic = ((counts - expected) ** 2 / expected).sum() / (1 - (size - 1) / (total - 1))
    return float(chi2.sf(statistic, len(counts) - 1))


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("LLVM", 200),
        pytest.param("x264", 200, marks=pytest.mark.slow),
        pytest.param("splc_examples", 8, marks=pytest.mark.slow),
    ],
)
def test_draws_are_uniform(real_model: Read, name: str, size: int) -> None:
    """40,000 draws hit every valid configuration about equally often, and nothing else."""
    space = Space(real_model(name))
    everything = space.enumerate()
    samples = 40_000 // size
    places = everything.find(drawn(space, size, samples))
    assert places.min() >= 0
    counts = np.bincount(places, minlength=space.count)
    expected = np.full(space.count, size * samples / space.count)
    # The seeds are fixed: a value between these bounds is reproduced.
    assert 0.001 < significance(counts, expected, size, space.count) < 0.999


@pytest.mark.parametrize(("options", "number"), [(8, 8), (8, 24), (10, 30)])
def test_chains_are_uniform(options: int, number: int) -> None:
    """Each solution of a component is drawn equally often, also where few are left."""
    for seed in range(3):
        system = system_of(options, random_clauses(options, number, seed))
        problem = problem_of(system)
        parts = components(problem)
        assert parts
        part = max(parts, key=lambda each: len(each.variables))
        known = [tuple(row) for row in build(part, problem.parents).expand().tolist()]
        order = build(part, problem.parents).variables
        place = {row: at for at, row in enumerate(known)}
        chains = Chains(part, problem.sizes)
        columns = [part.variables.index(variable) for variable in order]
        counts = np.zeros(len(known))
        for draw in range(4):
            state, _ = chains.draw(np.random.default_rng(draw))
            for row in state[:, columns].tolist():
                counts[place[tuple(row)]] += 1
        expected = 4 * CHAINS / len(known)
        statistic = float(((counts - expected) ** 2 / expected).sum())
        assert chi2.sf(statistic, len(known) - 1) > 1e-4


def test_alternatives_are_reached() -> None:
    """Values that only change together, as in an alternative group, are drawn equally often."""
    group = ["o0 | o1 | o2 | o3", *(f"!o{a} | !o{b}" for a, b in product(range(4), repeat=2) if a < b)]
    problem = problem_of(system_of(4, group))
    (part,) = components(problem) or []
    state, _ = Chains(part, problem.sizes).draw(np.random.default_rng(0))
    assert (state.sum(axis=1) == 1).all()
    assert state.mean(axis=0) == pytest.approx(0.25, abs=0.1)


def test_samples_of_uncountable_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample is valid and distinct, says that it is approximate, and begins a larger one."""
    for name, value in (("CHAINS", 16), ("SWEEPS", 4)):
        monkeypatch.setattr(f"sampling.space.approximation.{name}", value)
    space = Space(ENTANGLED)
    assert not space.is_counted
    drawn = draw_sample(ENTANGLED, "random:20", seed=3, space=space)
    assert len(drawn.configurations.unique()) == 20
    assert space.check(drawn.configurations).all()
    assert "approximately uniform" in drawn.notes[0]
    assert space.draw_approximately(5, np.random.default_rng(3))[0] == drawn.configurations[:5]
