"""The evaluation of sampling strategies: cells and rows."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from casestudies.sampling_strategies.error import StrategyEvaluation
from casestudies.sampling_strategies.strategies import MOST, RANDOM, learning_set, load
from splc.learning import learn

CASE = "SMG2000 2-D"


def test_cells() -> None:
    """Strategies that draw have a cell per seed, others one; those of one size have about the same number of rows."""
    cells = [cell for _, cell in StrategyEvaluation(systems=(CASE,), seeds=2).cells()]
    counts = Counter((cell["size"], cell["strategy"]) for cell in cells)
    assert {counts["25", strategy] for strategy in (RANDOM, "lhs", "sobol")} == {2}
    assert (counts["25", "pb"], counts["cci", "cci"], counts["cci", RANDOM]) == (1, 1, 2)
    numbers = {cell["size"]: set[int]() for cell in cells}
    for cell in cells:
        numbers[cell["size"]].add(len(learning_set(CASE, cell["spec"], cell["seed"])))
    assert numbers["9"] == {9}
    assert numbers["25"] == {24, 25}
    assert all(len(found) == 1 and max(found) <= MOST for size, found in numbers.items() if not size.isdecimal())


def test_rows() -> None:
    """The error of a cell is that of the default learner on all configurations outside of the sample."""
    evaluation = StrategyEvaluation(systems=(CASE,), seeds=2)
    cell = next(cell for _, cell in evaluation.cells() if (cell["spec"], cell["seed"]) == ("random:25", 1))
    [row] = evaluation.rows(cell)
    system = load(CASE)
    chosen = np.array(learning_set(CASE, "random:25", 1))
    rest = np.setdiff1d(np.arange(len(system.measurements)), chosen)
    model = learn(system.measurements, system.nfp, learning_set=chosen, seed=1)
    measured = system.measurements.column(system.nfp)[rest]
    predicted = model.predict(system.measurements.configurations[rest])
    assert row["error"] == pytest.approx(100 * np.mean(np.abs(predicted - measured) / measured), rel=1e-3)
    assert (row["system"], row["size"], row["rows"]) == (CASE, "25", 25)
