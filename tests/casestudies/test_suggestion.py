"""The evaluation of suggestions: ratios of rows, strategies and rows of a cell."""

from __future__ import annotations

import math
from itertools import islice

import numpy as np
import pytest

from casestudies.suggestion.error import ErrorEvaluation
from casestudies.suggestion.optimum import OptimumEvaluation
from casestudies.suggestion.strategies import DISTANCE, RANDOM, STRATEGIES, SUGGEST, distance_rows, measured
from casestudies.suggestion.strategies import rows_of as chosen_rows
from casestudies.suggestion.tables import error_tables, optimum_table, ratios

CASE = "BoomerAMG"


def test_ratios() -> None:
    """Rows for the same error over rows, with the logarithm of the error interpolated."""
    reference = {10: 8.0, 20: 4.0, 40: 2.0, 80: 0.5}
    found = ratios({10: 8.0, 20: 2.0, 30: 1.0}, reference)
    assert found == pytest.approx({20: 0.75, 40: 0.5, 80: math.inf})
    assert ratios({10: 1.0}, reference) == pytest.approx({20: 0.5, 40: 0.25, 80: math.inf})


def test_distance_based_rows() -> None:
    """Rows are distinct and allowed ones; rare distances are as frequent as others."""
    configurations, y, _ = measured(CASE)
    allowed = np.arange(len(y)) % 3 > 0
    rows = list(distance_rows(configurations, allowed, np.random.default_rng(0)))
    assert sorted(rows) == np.flatnonzero(allowed).tolist()
    places = configurations.indices / (np.array([option.size for option in configurations.system.options]) - 1)
    distances = places.sum(axis=1).round(9)
    random = np.random.default_rng(0).permutation(np.flatnonzero(allowed))[:60]
    assert distances[rows[:60]].std() > 1.3 * distances[random].std()


def test_all_strategies_choose_among_the_same_rows() -> None:
    """No strategy takes a row that judges models; the rows of a smaller number are the first of a larger one."""
    _, y, _ = measured(CASE)
    allowed = np.arange(len(y)) % 4 > 0
    for strategy in STRATEGIES:
        rows = list(islice(chosen_rows(strategy, CASE, 1, allowed), 14))
        assert len(set(rows)) == 14
        assert allowed[rows].all()
        assert list(islice(chosen_rows(strategy, CASE, 1, allowed), 10)) == rows[:10]
    assert len(list(islice(chosen_rows(SUGGEST, CASE, 1, allowed, "optimum"), 11))) == 11


def test_rows_of_cells() -> None:
    """A cell has an error for each number of rows; a search ends with the first good configuration."""
    found = ErrorEvaluation(systems=(CASE,)).rows({"system": CASE, "strategy": RANDOM, "seed": 3, "sizes": [8, 12]})
    assert [row["rows"] for row in found] == [8, 12]
    assert all(1 < row["error"] < 1000 for row in found)
    _, y, _ = measured(CASE)
    cell = {"system": CASE, "strategy": RANDOM, "seed": 3, "near": 1.01, "most": 50}
    (one,) = OptimumEvaluation(systems=(CASE,)).rows(cell)
    order = list(chosen_rows(RANDOM, CASE, 3, np.ones(len(y), dtype=bool), "optimum"))
    good = y[order] <= 1.01 * y.min()
    assert one["rows"] == int(np.argmax(good)) + 1
    assert one["good"] == good.sum()


def test_tables() -> None:
    """The first table has the median ratios; a search without success is a dash."""
    errors = [
        {"system": "s", "strategy": strategy, "seed": seed, "rows": size, "error": factor / size}
        for strategy, factor in ((RANDOM, 100.0), (DISTANCE, 100.0), (SUGGEST, 50.0))
        for seed in range(3)
        for size in (10, 20, 40)
    ]
    summary, _ = error_tables(errors, RANDOM)
    assert summary.rows[0][0] == "s"
    assert summary.rows[0][1:] == pytest.approx((1.0, 0.5))
    searches = [
        {"system": "s", "strategy": strategy, "seed": seed, "rows": rows, "good": 1, "measured": 9}
        for strategy, found in ((RANDOM, (4, 8, 12)), (SUGGEST, (2, 4, None)))
        for seed, rows in enumerate(found)
    ]
    (line,) = optimum_table(searches, RANDOM, 9).rows
    assert line[:-2] == ("s", 9, 1, 8, 4, 0.5)
    assert line[-2:] == pytest.approx((200 / 3, 200 / 3))
