"""Orders of variables against their definitions."""

from __future__ import annotations

import random
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sampling.space.compilation import frontier_order, gravity_order
from tests.support.examples import examples


def span(order: list[int], scopes: list[tuple[int, ...]]) -> float:
    """Return the sum of the distances between the first and the last variable of each constraint."""
    return float(sum(max(map(order.index, scope)) - min(map(order.index, scope)) for scope in scopes))


def chain(size: int, seed: int) -> tuple[list[int], list[tuple[int, ...]]]:
    """Return variables in their order and pairs that link them to a chain in another order."""
    links = random.Random(seed).sample(range(size), size)
    return list(range(size)), list(pairwise(links))


@given(st.integers(2, 12), st.integers(0, 2**32), st.integers(0, 12))
@examples(30)
def test_gravity_never_lengthens_constraints(size: int, seed: int, count: int) -> None:
    """FORCE's order has all variables, and a span that is at most that of the given order."""
    rng = random.Random(seed)
    variables = rng.sample(range(100), size)
    scopes = [tuple(rng.sample(variables, rng.randint(1, min(size, 4)))) for _ in range(count)]
    found = gravity_order(variables, scopes)
    assert sorted(found) == sorted(variables)
    assert span(found, scopes) <= span(variables, scopes)


def test_gravity_shortens_a_chain() -> None:
    """FORCE's order of a chain of 30 variables has at most half the span of a random order, on average."""
    before = after = 0.0
    for seed in range(20):
        variables, scopes = chain(30, seed)
        before += span(variables, scopes)
        after += span(gravity_order(variables, scopes), scopes)
    assert after < before / 2


def test_frontier_follows_a_chain() -> None:
    """The greedy order of a chain begins at an end and follows the links: one constraint is open at a time."""
    for seed in range(20):
        variables, scopes = chain(30, seed)
        found = frontier_order(variables, scopes)
        assert sorted(found) == variables
        assert span(found, scopes) == len(scopes)
