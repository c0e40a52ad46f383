"""Tests of pairs of literals that never occur together."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from splc.system.mining import OptionRows, failing_combinations
from splc.system.mining.mined_constraint import ClauseSet
from splc.system.mining.pairs import LiteralCounts, log_chance
from splc.system.mining.search import LiteralTable
from splc.types import Array
from tests.support.golden_messages import check_calls


def test_distinct_rows() -> None:
    """The rows of a table are kept once, in the order of their first appearance, with their numbers."""
    selected = np.array([[1, 0], [0, 1], [1, 0], [1, 0]], dtype=bool)
    rows = OptionRows(("a", "b"), selected, {"x": np.array([1.0, np.nan, 1.0, 2.0])}).distinct()
    np.testing.assert_array_equal(rows.selected, selected[[0, 1, 3]])
    np.testing.assert_array_equal(rows.numbers["x"], [1.0, np.nan, 2.0])
    np.testing.assert_array_equal(rows.binary, [[0, 1], [2, 1]])


COLUMNS = 4
literals = st.integers(-COLUMNS, COLUMNS - 1)


def clauses(most: int) -> st.SearchStrategy[list[tuple[int, ...]]]:
    """Clauses of up to so many literals."""
    return st.lists(st.lists(literals, min_size=1, max_size=most, unique=True).map(tuple), max_size=6)


def solutions(stated: list[tuple[int, ...]]) -> list[tuple[bool, ...]]:
    """Return the assignments that satisfy clauses."""
    return [
        row
        for row in itertools.product((False, True), repeat=COLUMNS)
        if all(any(row[each] if each >= 0 else not row[~each] for each in clause) for clause in stated)
    ]


@given(clauses(3), clauses(2))
def test_implied_clauses_follow(stated: list[tuple[int, ...]], asked: list[tuple[int, ...]]) -> None:
    """Redundant constraints hold in every solution of the others."""
    known = ClauseSet()
    known.add(stated)
    assume(known.implies(asked))
    assert solutions(stated) == solutions([*stated, *asked])


@given(clauses(3), st.integers(2**COLUMNS // 8, 20))
def test_numbers_of_solutions(stated: list[tuple[int, ...]], limit: int) -> None:
    """The number of solutions is compared with a limit."""
    known = ClauseSet()
    known.add(stated)
    assert known.has_more_solutions(COLUMNS, limit) == (len(solutions(stated)) > limit)


def test_chains_and_exclusions() -> None:
    """Chains of implications and sets of exclusive columns are followed; what was removed is forgotten."""
    known = ClauseSet()
    known.add([(~1, 2), (~2, 3)])
    known.add_exclusive([3, 4])
    assert known.implies([(~1, 3), (~1, ~4)])
    assert not known.implies([(~3, 1)])
    known.remove([(~2, 3)])
    assert not known.implies([(~1, 3)])


@given(st.integers(1, 60), st.data())
def test_chance_is_fishers(rows: int, data: st.DataObject) -> None:
    """The probability that no row has both is the share of the placements that keep them apart."""
    first, second = (data.draw(st.integers(0, rows)) for _ in range(2))
    [found] = np.exp(log_chance(rows, np.array([first]), np.array([second])))
    assert found == pytest.approx(math.comb(rows - second, first) / math.comb(rows, first), rel=1e-9, abs=1e-300)


@given(st.integers(1, 30), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_counts(rows: int, columns: int, seed: int) -> None:
    """All pairs of literals are counted as a loop over the rows counts them, and those that no row has are found."""
    values = np.random.default_rng(seed).random((rows, columns)) < 0.5
    counts, every = LiteralCounts(values), [*range(columns), *(~column for column in range(columns))]
    table = np.concatenate([values, ~values[:, ::-1]], axis=1)
    assert counts.single.tolist() == table.sum(axis=0).tolist()
    both = {(one, other): int((table[:, one] & table[:, other]).sum()) for one in every for other in every}
    assert counts.both(np.array(every), np.array(every)).ravel().tolist() == [*both.values()]
    never = [(one, other) for one, other in itertools.combinations(every, 2) if other != ~one and not both[one, other]]
    found = counts.never_together(columns, lambda first, second: np.ones(len(first), dtype=bool))
    assert [*zip(*map(np.ndarray.tolist, found), strict=True)] == never


def test_counts_of_many_columns() -> None:
    """Of more columns than are counted at once, pairs are counted and found as those of few."""
    rng = np.random.default_rng(0)
    values = rng.random((40, 2_100)) < rng.choice([0.02, 0.5, 0.98], 2_100)
    counts, table = LiteralCounts(values), np.concatenate([values, ~values[:, ::-1]], axis=1).astype(np.float32)
    first, second = (rng.choice(4_200, size, replace=False) - 2_100 for size in (50, 60))
    np.testing.assert_array_equal(counts.both(first, second), table[:, first].T @ table[:, second])
    every = np.concatenate([np.arange(2_100), ~np.arange(2_100)])
    never = np.triu(table[:, every].T @ table[:, every] == 0, 1)
    never[np.arange(2_100), np.arange(2_100) + 2_100] = False
    found = counts.never_together(2_100, lambda first, _: first % 2 == 0)
    np.testing.assert_array_equal(found, every[np.stack(np.nonzero(never & (every % 2 == 0)[:, None]))])


@given(st.integers(2, 30), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_dispersion(rows: int, columns: int, seed: int) -> None:
    """The variance of the distances of all pairs of rows is compared with that of independent columns."""
    values = np.random.default_rng(seed).random((rows, columns)) < 0.5
    values[:, -1] |= values[:, 0]
    share = values.mean(axis=0)
    differing = 2 * share * (1 - share)
    distances = (values[:, None] != values[None]).sum(axis=2)
    independent = (differing * (1 - differing)).sum()
    expected = max(distances.var() / independent, 1.0) if independent else 1.0
    assert LiteralCounts(values).dispersion(range(columns)) == pytest.approx(expected)


def test_dispersed_rows_need_more() -> None:
    """Rows of two clusters are less evidence than independent ones, and the number of pairs that are tested counts."""
    rng = np.random.default_rng(0)
    independent = rng.random((200, 12)) < 0.5
    clusters = (np.arange(200) % 2 == 1)[:, None] ^ (rng.random((200, 12)) < 0.2)
    factors = []
    for values in (independent, clusters):
        table = OptionRows(tuple(f"o{at}" for at in range(12)), values).distinct()
        literals = LiteralTable(table, np.arange(len(table.selected)))
        factors.append(literals.factor(literals.pairs))
    assert factors[0] == 1
    assert factors[1] > 3
    values = np.zeros((60, 2), dtype=bool)
    values[:20, 0] = values[20:40, 1] = True
    counts, one, other = LiteralCounts(values), np.array([0]), np.array([1])
    needed = [(10, 1), (10, 4), (10_000, 1)]
    assert [counts.contradictions(one, other, *each).item() for each in needed] == [True, False, False]


def rows(count: int, seed: int = 0) -> OptionRows:
    """Return drawn rows of four binary options, a group of three, and a numeric option."""
    rng = np.random.default_rng(seed)
    group = rng.integers(3, size=count)
    selected = np.column_stack([rng.random((count, 4)) < 0.5, *(group == member for member in range(3))])
    numbers = {"n": rng.choice([1.0, 2.0, 4.0, 8.0, 12.0, 16.0], count)}
    return OptionRows((*"abcd", "x", "y", "z"), selected, numbers, ((("x", "y", "z"), None),)).distinct()


def test_random_failures_have_no_rule() -> None:
    """Of runs that fail at random, at most one table in ten has a combination."""
    rng = np.random.default_rng(1)
    found = 0
    for seed in range(40):
        table = rows(int(rng.integers(25, 90)), seed)
        failed = rng.random(len(table.selected)) < rng.choice([0.05, 0.1, 0.2, 0.4])
        found += any(True for _ in failing_combinations(table, failed))
    assert found <= 4


def test_many_literals() -> None:
    """Of more options than are combined, those that failed runs have more often than others are."""
    rng = np.random.default_rng(0)
    selected = rng.random((400, 120)) < 0.5
    numbers = {"n": rng.choice(np.arange(1.0, 101), 400)}
    table = OptionRows(tuple(f"o{number}" for number in range(120)), selected, numbers)
    failed = (selected[:, 3] & selected[:, 7]) | (rng.random(400) < 0.02)
    found = [set(ranges) for ranges, _ in failing_combinations(table, failed)]
    assert found == [{"o3", "o7"}]


def excludes(kept: str = "True", factor: float = 1.0, **changed: str) -> bool:
    """Return whether columns `a` and `b` exclude each other, all others being third options.

    `kept`: which of 400 random rows of six options there are. `factor`: how many times as much evidence is needed.
    `changed`: what options are instead.
    """
    drawn = np.random.default_rng(0).random((400, 6)) < 0.5
    columns: dict[str, Array] = dict(zip("abcdef", drawn.T, strict=True))
    for name, rule in changed.items():
        columns[name] = evaluated(rule, columns)
    values = np.stack([*columns.values()], axis=1)
    values = values[np.broadcast_to(evaluated(kept, columns), 400)]
    pair, every = (np.array([0]), np.array([1])), np.arange(6)
    [found] = LiteralCounts(values).combined(*pair, every, range(6), factor)
    return bool(found)


def evaluated(rule: str, columns: dict[str, Array]) -> Array:
    """Return the value of a rule about columns."""
    return np.asarray(eval(rule, {"np": np}, columns))  # noqa: S307


def failing(rule: str, count: int = 250) -> list[dict[str, tuple[float, float, int]]]:
    """Return the combinations that are to blame if the rows fail for which a rule holds, and no other ones."""
    table = rows(count)
    columns = {name: table.selected[:, at] for at, name in enumerate(table.names)} | dict(table.numbers)
    failed = np.broadcast_to(evaluated(rule, columns | {"at": np.arange(len(table.selected))}), len(table.selected))
    found = list(failing_combinations(table, failed))
    assert all(having.any() and failed[having].all() for _, having in found)
    return [dict(ranges) for ranges, _ in found]


def test_calls() -> None:
    """Pairs that no row has may be explained by the design or by others; values that always fail are found."""
    check_calls("failing-values", excludes, failing)
