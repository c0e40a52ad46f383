"""Tests of clauses that follow from others."""

from __future__ import annotations

import itertools

from hypothesis import assume, given
from hypothesis import strategies as st

from splc.system.mining.mined_constraint import ClauseSet, Literals

COLUMNS = 4
literals = st.integers(1, COLUMNS).flatmap(lambda column: st.sampled_from([column, -column]))


def clauses(most: int) -> st.SearchStrategy[list[Literals]]:
    """Clauses of up to so many literals."""
    return st.lists(st.lists(literals, min_size=1, max_size=most, unique=True).map(tuple), max_size=6)


def solutions(stated: list[Literals]) -> list[tuple[bool, ...]]:
    """Return the assignments that satisfy clauses."""
    return [
        row
        for row in itertools.product((False, True), repeat=COLUMNS)
        if all(any(row[abs(each) - 1] == (each > 0) for each in clause) for clause in stated)
    ]


@given(clauses(3), clauses(2))
def test_implied_clauses_follow(stated: list[Literals], asked: list[Literals]) -> None:
    """Redundant constraints hold in every solution of the others."""
    known = ClauseSet()
    known.add(stated)
    assume(known.implies(asked))
    assert solutions(stated) == solutions([*stated, *asked])


@given(clauses(3), st.integers(2**COLUMNS // 8, 20))
def test_numbers_of_solutions(stated: list[Literals], limit: int) -> None:
    """The number of solutions is compared with a limit."""
    known = ClauseSet()
    known.add(stated)
    assert known.has_more_solutions(COLUMNS, limit) == (len(solutions(stated)) > limit)


def test_chains_and_exclusions() -> None:
    """Chains of implications and sets of exclusive columns are followed; what was removed is forgotten."""
    known = ClauseSet()
    known.add([(-1, 2), (-2, 3)])
    known.add_exclusive([3, 4])
    assert known.implies([(-1, 3), (-1, -4)])
    assert not known.implies([(-3, 1)])
    known.remove([(-2, 3)])
    assert not known.implies([(-1, 3)])
