"""Solutions of constraint problems, against all combinations of values."""

from __future__ import annotations

import itertools
import math
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling.space.problem import ConstraintProblem, Disjunction, bits_of, flags_of
from sampling.space.ranks import distinct_ranks
from sampling.space.solutions import Solutions
from tests.support.examples import examples

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
    stated = [each for each in problem.constraints if isinstance(each, Disjunction)]
    for values in itertools.product(*map(range, problem.sizes)):
        allowed = all(domain >> value & 1 for domain, value in zip(domains, values, strict=True))
        if allowed and all(any(bits >> values[at] & 1 for at, bits in each.literals) for each in stated):
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


@pytest.mark.parametrize("sizes", [(2, 3, 5), (2,) * 200, (3, 70, 1) * 40, (70,) * 11])
def test_ranks_are_numbers_with_a_digit_for_each_variable(sizes: tuple[int, ...]) -> None:
    """The values of free variables are the digits of the rank, those of the first variable the lowest ones."""
    found = Solutions(ConstraintProblem(sizes, (None,) * len(sizes), ()))
    assert found.count == math.prod(sizes)
    rng = np.random.default_rng(0)
    digits = [tuple(int(rng.integers(size)) for size in sizes) for _ in range(20)]
    ranks = []
    for row in digits:
        rank = 0
        for size, digit in zip(reversed(sizes), reversed(row), strict=True):
            rank = rank * size + digit
        ranks.append(rank)
    assert list(map(tuple, found.unrank(ranks).tolist())) == digits


def test_draws_of_many_options_cost_little() -> None:
    """Four times as many options cost less than nine times as much: ranks are not divided once for each option."""
    seconds = []
    for size in (1500, 6000):
        found = Solutions(ConstraintProblem((2,) * size, (None,) * size, ()))
        ranks = distinct_ranks(found.count, 300, np.random.default_rng(0))
        found.unrank(ranks[:1])
        started = time.process_time()
        found.unrank(ranks)
        seconds.append(time.process_time() - started)
    assert seconds[1] < 9 * seconds[0]


@given(st.integers(1, 140).flatmap(lambda size: st.lists(st.booleans(), min_size=size, max_size=size)))
def test_sets_of_values_are_bits(flags: list[bool]) -> None:
    """A set of values is the sum of powers of two, however many values there are."""
    bits = bits_of(flags)
    assert bits == sum(2**at for at, flag in enumerate(flags) if flag)
    assert flags_of(bits, len(flags)).tolist() == flags
    assert bits_of(np.array(flags)) == bits


@pytest.mark.parametrize("domain", [0b1, 0b11, 0b1101, 1 << 8, 1 << 69, (1 << 70) - 1])
@pytest.mark.parametrize("literal", [1, 2, 1 << 69, (1 << 69) + 5, (1 << 70) - 2])
def test_domains_that_lack_the_values_of_literals(domain: int, literal: int) -> None:
    """Values that a disjunction allows, but a domain does not have, are no solutions."""
    constraints = (
        Disjunction(((0, 2), (1, literal)), NO_ORIGIN),
        Disjunction(((1, literal ^ 4), (2, 1)), NO_ORIGIN),
    )
    problem = ConstraintProblem((2, 70, 2), (None,) * 3, constraints)
    domains = [3, domain, 3]
    expected = brute(problem, (0, 1, 2), domains)
    found = Solutions(problem, None, domains)
    assert found.count == len(expected)
    assert found.enumerate(1000).tolist() == [list(each) for each in expected]
