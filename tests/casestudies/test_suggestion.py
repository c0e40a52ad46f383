"""The evaluation of suggestions: strategies and rows of a cell."""

from __future__ import annotations

from itertools import islice

import numpy as np

from casestudies.suggestion.error import ErrorEvaluation
from casestudies.suggestion.optimum import OptimumEvaluation
from casestudies.suggestion.strategies import RANDOM, STRATEGIES, SUGGEST, distance_rows, measured
from casestudies.suggestion.strategies import rows_of as chosen_rows

CASE = "BoomerAMG"


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
