"""Cross-validation: folds, errors at held-out configurations, and learners that fail."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import LearningError
from splc.learning.features import FeatureTable
from splc.learning.judging import cross_validate, random_folds
from splc.learning.result import Predictor
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.learning.conftest import problems

MODEL = VariabilityModel("line", (NumericOption("x", tuple(map(float, range(1, 21)))),))
LINE = Measurements(Configurations(MODEL, np.arange(20)[:, np.newaxis]), {"time": np.arange(1.0, 21.0)})


class Mean:
    """Predicts the mean of the rows that it learned from."""

    def __init__(self, rows: Array) -> None:
        self.value = float(LINE["time"][rows].mean())

    def predict(self, configurations: Configurations) -> Array:
        """Return the mean for every configuration."""
        return np.full(len(configurations), self.value)


@given(table=problems(), number=st.integers(2, 12), seed=st.integers(0, 3))
def test_folds_are_equal_in_size_and_have_no_order(table: FeatureTable, number: int, seed: int) -> None:
    """The sizes of folds differ by at most one; the folds of rows do not depend on their order."""
    folds = random_folds(table, number, seed)
    counts = np.bincount(folds)
    assert len(counts) == min(number, len(table))
    assert counts.max() - counts.min() <= 1
    order = np.random.default_rng(0).permutation(len(table))
    assert np.array_equal(random_folds(table.rows(order), number, seed), folds[order])


def test_each_row_is_predicted_without_its_fold() -> None:
    """The errors are those of the means of the other folds, over the rows of the learning set only."""
    rows, learned = np.arange(3, 15), []

    def learn(part: Array) -> Predictor:
        learned.append(part)
        return Mean(part)

    found = cross_validate(LINE, "time", rows, 4, 0, learn)
    values, errors = LINE["time"], []
    assert len(learned) == 4
    for part in learned:
        held = np.setdiff1d(rows, part)
        assert len(held) == 3
        assert set(part) < set(rows)
        errors += list(100 * np.abs(values[part].mean() - values[held]) / values[held])
    assert sorted(np.concatenate([np.setdiff1d(rows, part) for part in learned])) == list(rows)
    assert found is not None
    assert found.mean == pytest.approx(np.mean(errors))
    assert found.median == pytest.approx(np.median(errors))
    assert found.p95 == pytest.approx(np.quantile(errors, 0.95))


def test_a_fold_that_cannot_be_learned_is_named() -> None:
    """An error in a fold says in which one it happened, and keeps its hint or suggests other folds."""
    for hint, shown in ((None, "choose other folds or none"), ("do that", "do that")):
        calls = iter([None, LearningError("no luck", hint=hint)])

        def learn(part: Array, calls: object = calls) -> Predictor:
            error = next(calls)  # type: ignore[call-overload]
            if error is not None:
                raise error
            return Mean(part)

        with pytest.raises(LearningError, match=f"fold 2 of 5: no luck\n *{shown}"):
            cross_validate(LINE, "time", np.arange(20), 5, 0, learn)


def test_a_stop_ends_without_a_result() -> None:
    """A request to stop is asked for after every fold."""
    learned: list[Array] = []

    def learn(part: Array) -> Predictor:
        learned.append(part)
        return Mean(part)

    assert cross_validate(LINE, "time", np.arange(20), 5, 0, learn, lambda: len(learned) == 2) is None
    assert len(learned) == 2


def test_undefined_errors() -> None:
    """A single row, or values that are all 0, have no cross-validated error."""
    assert cross_validate(LINE, "time", np.arange(1), 5, 0, Mean) is None
    zeros = Measurements(LINE.configurations, {"time": np.zeros(20)})
    assert cross_validate(zeros, "time", np.arange(20), 5, 0, Mean) is None
