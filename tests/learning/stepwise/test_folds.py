"""Cross-validation folds: of every size of learning set, also with values of 0."""

from __future__ import annotations

import numpy as np
import pytest

from splc.learning.features import Feature, FeatureTable
from splc.learning.stepwise.algorithm import ForwardSelection
from splc.learning.stepwise.settings import Settings
from splc.learning.stepwise.stepwise import folds_of

CROSSED = Settings().changed({"crossValidation": True, "abortError": 0, "minImprovementPerRound": 0})


def problem(target: list[float]) -> FeatureTable:
    """Two binary options in all combinations, again and again."""
    rows = np.arange(len(target))
    columns = {"a": (rows % 2).astype(float), "b": (rows // 2 % 2).astype(float)}
    return FeatureTable((Feature("a", False), Feature("b", False)), columns, np.array(target))


@pytest.mark.parametrize("rows", range(2, 13))
def test_every_learning_set_of_two_rows_has_folds(rows: int) -> None:
    """There are as many folds as asked for, at most one per row, of equal size but for one; a model is learned."""
    learning = problem([1.0 + row for row in range(rows)])
    folds = folds_of(learning, CROSSED, 3)
    assert folds is not None
    sizes = np.bincount(folds)
    assert len(sizes) == min(5, rows)
    assert sizes.max() - sizes.min() <= 1
    outcome = ForwardSelection(learning, CROSSED, folds=folds).run()
    assert all(np.isfinite(influence) for influence in (term.influence for term in outcome.terms))


def test_no_folds_without_need() -> None:
    """Without the setting, and for a single row, there are none."""
    assert folds_of(problem([1.0, 2.0, 3.0, 4.0]), Settings(), 0) is None
    assert folds_of(problem([1.0]), CROSSED, 0) is None


def test_selection_error_is_the_mean_over_all_held_out_rows_with_a_value() -> None:
    """Folds whose values are all 0 judge nothing; every other held-out row counts the same."""
    learning = problem([0.0, 0, 0, 0, 4, 5, 6, 7, 8, 9])
    folds = np.array([0, 0, 1, 1, 1, 2, 2, 2, 2, 2])
    learner = ForwardSelection(learning, CROSSED, folds=folds)
    y = learning.target
    errors = [abs(y[folds != folds[row]].mean() - y[row]) / y[row] * 100 for row in range(4, 10)]
    assert learner.scorer.error == pytest.approx(np.mean(errors))
