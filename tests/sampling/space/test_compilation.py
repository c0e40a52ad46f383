"""Parts of the compilation of constraints, by brute force."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from sampling.space.compilation import clashing_columns
from tests.support.examples import examples

TAILS = st.lists(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 15)), min_size=1, max_size=2), max_size=6)


@examples(30)
@given(TAILS)
def test_clashes(drawn: list[list[tuple[int, int]]]) -> None:
    """Two columns clash if each needs one variable, the same one, and they need no common value of it."""
    tails = [tuple(sorted(each)) for each in drawn]
    expected = set()
    for one, other in itertools.combinations(range(len(tails)), 2):
        if len(tails[one]) == len(tails[other]) == 1:
            (variable, bits), (second, others) = tails[one][0], tails[other][0]
            values = [place for place in range(4) if bits >> place & 1 and others >> place & 1]
            expected |= {(one, other)} if variable == second and not values else set()
    assert sorted(clashing_columns(tails)) == sorted(expected)
