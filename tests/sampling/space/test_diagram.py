"""Diagrams: paths, strata by sums of weights, automata of sums, and orders of rows."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st

from sampling.designs.binary import first_solutions
from sampling.space import automata, compilation, rows
from sampling.space import strata as module
from sampling.space.diagram import Costs, heaviest
from sampling.space.rows import ascending, distinct, packed, without_repeats
from sampling.space.space import Space
from sampling.space.strata import Strata
from splc.errors import SpaceError
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.sampling.conftest import attempt, stated
from tests.support.examples import examples
from tests.support.strategies import models, spaces


@pytest.mark.parametrize("size", [1, 8, 20, 40, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 90])
def test_costs_of_many_variables_are_exact(size: int) -> None:
    """Costs, and twice the cost that no solution has, fit into their type; selections are read from costs."""
    costs = Costs.ordered(dict.fromkeys(range(size), (0, 3)))
    limit = np.iinfo(np.int64).max
    assert costs.dtype == object or 2 * costs.never <= limit
    # Few variables need no Python integers.
    assert costs.dtype == object or size < 60
    assert costs.dtype == np.int64 or size > 40
    selected = np.random.default_rng(size).random((5, size)) < 0.5
    selected[0] = True
    sums = [sum(costs.of[variable][int(value)] for variable, value in enumerate(row)) for row in selected]
    assert all(total < costs.never for total in sums)
    found = np.unpackbits(costs.selections(np.array(sums, dtype=costs.dtype)), axis=1)[:, :size]
    assert found.tolist() == selected.astype(int).tolist()


@given(spaces(binary=6, numeric=0), st.integers(0, 99))
@examples(20)
def test_the_heaviest_solutions(space: Space, seed: int) -> None:
    """They have the greatest sum of the weights of their literals; solutions are integers."""
    rows = space.enumerate().indices.astype(int)
    weights = np.random.default_rng(seed).normal(size=(3, 2 * rows.shape[1]))
    found = heaviest(space.solutions.diagrams, weights)
    assert found.dtype == np.int64
    totals = weights[:, 2 * np.arange(rows.shape[1]) + rows].sum(axis=2)
    assert found.tolist() == rows[totals.argmax(axis=1)].tolist()


def integers(model: VariabilityModel, least: int, most: int, seed: int) -> list[Array]:
    """Return random integers for each value of each option."""
    rng = np.random.default_rng(seed)
    return [rng.integers(least, most + 1, option.size) for option in model.options]


def sums(numbers: list[Array], rows: Array) -> list[int]:
    """Return the sums of the numbers of the values in each row."""
    return [sum(int(numbers[column][value]) for column, value in enumerate(row)) for row in rows.tolist()]


@given(spaces(binary=6, numeric=2), st.integers(0, 99))
@examples(30)
def test_strata_are_those_of_the_enumeration(space: Space, seed: int) -> None:
    """Each sum has as many solutions as are listed, and its ranks give each of them once."""
    weights = integers(space.system, 0, 3, seed)
    rows = space.enumerate().indices
    expected = Counter(sums(weights, rows))
    strata = Strata(space.solutions, weights)
    assert strata.counts == dict(sorted(expected.items()))
    drawn = [(total, rank) for total, count in strata.counts.items() for rank in range(count)]
    found = strata.unrank(*zip(*drawn, strict=True))
    assert sums(weights, found) == [total for total, _ in drawn]
    assert sorted(map(tuple, found.tolist())) == sorted(map(tuple, rows.tolist()))


@pytest.mark.parametrize(("name", "limit"), [("CELLS", 300), ("STEP_CELLS", 14)])
def test_too_many_sums(monkeypatch: pytest.MonkeyPatch, name: str, limit: int) -> None:
    """Tables larger than the limits are refused: of all layers, and of one layer."""
    model = VariabilityModel("free", tuple(BinaryOption(f"b{number}") for number in range(6)))
    space = Space(model)
    monkeypatch.setattr(module, name, limit)
    # Few options have different sums; with six powers of two, all of them differ.
    assert Strata(space.solutions, [np.array([0, 1])] * 6).counts == {k: math.comb(6, k) for k in range(7)}
    with pytest.raises(SpaceError, match="too complex for exact counts"):
        Strata(space.solutions, [np.array([0, 2**number]) for number in range(6)])


def test_numbers_above_64_bits() -> None:
    """Counts of 100 free options are the binomial coefficients, and the last rank is a solution."""
    values = NumericOption("n", tuple(map(float, range(5000))))
    model = VariabilityModel("free", (*(BinaryOption(f"b{number}") for number in range(100)), values))
    weights = [np.array([0, 1])] * 100 + [np.zeros(5000, dtype=np.int64)]
    strata = Strata(Space(model).solutions, weights)
    assert strata.counts == {k: math.comb(100, k) * 5000 for k in range(101)}
    last = [math.comb(100, k) * 5000 - 1 for k in range(101)]
    rows = strata.unrank(range(101), last)
    assert rows[:, :100].sum(axis=1).tolist() == list(range(101))
    assert len(np.unique(rows, axis=0)) == 101


@given(spaces(binary=5, numeric=2), st.integers(0, 999), st.data())
@examples(30)
def test_the_search_finds_the_cheapest_solution(space: Space, seed: int, data: st.DataObject) -> None:
    """It is as cheap as the cheapest one that is listed and not excluded; there is none if all are excluded."""
    weights, costs = integers(space.system, 0, 2, seed), integers(space.system, -4, 4, seed + 1)
    rows = space.enumerate().indices.astype(np.int64)
    strata = Strata(space.solutions, weights)
    total = data.draw(st.sampled_from(sorted(strata.counts)))
    own = rows[np.array(sums(weights, rows)) == total]
    order = np.argsort(sums(costs, own), kind="stable")
    for excluded in (0, 1, data.draw(st.integers(0, len(own) - 1)), len(own)):
        found = strata.cheapest(total, costs, own[order[:excluded]])
        if excluded == len(own):
            assert found is None
            continue
        assert found is not None
        assert sums(costs, found[None]) == sums(costs, own[order[excluded]][None])
        assert tuple(found.tolist()) in set(map(tuple, own[order[excluded:]].tolist()))


@given(spaces(binary=6, numeric=0), st.integers(0, 999), st.integers(1, 9))
@examples(30)
def test_first_solutions_in_an_order_of_preference(space: Space, seed: int, most: int) -> None:
    """They are the first ones if all are sorted by the decisions in their order."""
    solutions = space.solutions
    rng = np.random.default_rng(seed)
    orders = np.stack([rng.permutation(len(space.system.options)) for _ in range(4)])
    preferred = rng.integers(0, 2, orders.shape)
    quotas = np.minimum(rng.integers(1, most + 1, 4), solutions.count)
    rows, which = first_solutions(solutions, orders, preferred, quotas)
    assert which.tolist() == np.repeat(np.arange(4), quotas).tolist()
    listed = solutions.enumerate(10**6).tolist()
    for number, (order, values) in enumerate(zip(orders, preferred, strict=True)):

        def decisions(row: list[int], order: Array = order, values: Array = values) -> list[bool]:
            return [row[option] != values[option] for option in order]

        assert rows[which == number].tolist() == sorted(listed, key=decisions)[: quotas[number]]


def summed(model: VariabilityModel, most: int = 0) -> Space:
    """Return the counted space of a system whose constraints over more combinations of values are sums."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compilation, "LARGEST_TABLE", most)
        space = Space(model)
        assert space.count >= 0
        return space


@given(models(binary=5, numeric=3, most_constraints=3))
@examples(60)
def test_sums_and_tables_give_equal_counts(model: VariabilityModel) -> None:
    """Without tables, constraints over at least two options become sums with the same count."""
    try:
        found = summed(model)
    except SpaceError:
        reject()
    assert found.count == Space(model).count
    assert found.option_counts() == Space(model).option_counts()


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=12), st.integers(-10, 10), st.sampled_from(["<=", "=", "!="]))
@examples(30)
def test_weights_may_be_negative(weights: list[int], bound: int, comparison: str) -> None:
    """Sums of options with weights of either sign are counted as brute force counts them."""
    options = tuple(BinaryOption(f"b{i}") for i in range(len(weights)))
    text = "0" + "".join(f" + {w} * b{i}" if w >= 0 else f" - {-w} * b{i}" for i, w in enumerate(weights))
    totals = (np.arange(2 ** len(weights))[:, None] >> np.arange(len(weights)) & 1) @ np.array(weights)
    held = {"<=": totals <= bound, "=": totals == bound, "!=": totals != bound}[comparison]
    assert summed(stated(options, f"{text} {comparison} {bound}")).count == held.sum()


@pytest.mark.parametrize(("values", "fits"), [(8, True), (9, False)])
def test_sums_of_too_many_steps_are_refused(monkeypatch: pytest.MonkeyPatch, values: int, fits: bool) -> None:
    """A step may have eight times as many successors as an automaton may have states."""
    monkeypatch.setattr(automata, "MAX_STATES", 2)
    options = (NumericOption("m", (0.0, 3.0)), NumericOption("n", tuple(map(float, range(values)))))
    model = stated(options, f"m + n <= {values + 1}")
    if fits:
        assert summed(model).count == 2 * values - 1
    else:
        with pytest.raises(SpaceError, match="too many combinations of values for exact counts"):
            summed(model)


SIZES = st.lists(st.sampled_from([1, 2, 3, 70, 1000, 2**20, 2**40]), max_size=9)


@examples(50)
@given(SIZES, st.integers(0, 2**32), st.integers(1, 12))
@example([], 0, 0)
@example([], 0, 3)
def test_packed_rows_have_the_order_of_tuples(sizes: list[int], seed: int, n: int) -> None:
    """Words order and distinguish rows as tuples do, also where the columns need several words."""
    rng = np.random.default_rng(seed)
    # Few different values, so that rows are equal in some columns.
    columns = [np.minimum(rng.integers(0, 3, n) * max(size // 3, 1), size - 1) for size in sizes]
    rows = list(zip(*(column.tolist() for column in columns), strict=True)) or [()] * n
    words = packed(columns, sizes)
    codes = list(zip(*(word.tolist() for word in words), strict=True)) if words else [()] * n
    assert all(
        (one < other) == (a < b)
        for one, a in zip(rows, codes, strict=True)
        for other, b in zip(rows, codes, strict=True)
    )
    first, rank = distinct(words, n)
    known = sorted(set(rows))
    assert [rows[at] for at in first.tolist()] == known
    assert rank.tolist() == [known.index(row) for row in rows]
    assert first.tolist() == [rows.index(row) for row in known]
    table = np.array(rows, dtype=np.int64).reshape(n, len(sizes))
    assert ascending(table, sizes).tolist() == sorted(range(n), key=rows.__getitem__)
    assert [tuple(row) for row in without_repeats(table).tolist()] == list(dict.fromkeys(rows))


SPECS = st.sampled_from(["all+ff", "pairwise", "twise:3+pb:9,3", "all+cci"])


@examples(15)
@given(models(binary=5, numeric=2), st.sampled_from([1, 3, 8]), SPECS)
def test_samples_do_not_depend_on_words(system: VariabilityModel, word: int, spec: str) -> None:
    """Enumerated and designed configurations are the same, however many words their values take."""
    expected = attempt(system, spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "WORD", word)
        assert attempt(system, spec) == expected
