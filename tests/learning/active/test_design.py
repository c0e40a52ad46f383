"""Sequential designs on measured rows, and their batches."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import Space
from splc.data.measurements import Measurements
from splc.errors import LearningError, MeasurementError, RequestError
from splc.learning.active.design import sequential_rows, suggested_rows
from splc.learning.active.suggestion import ConfigurationSuggestions, suggest
from splc.learning.projection.variables import variables_of
from splc.system.variability import VariabilityModel
from splc.types import Array, Goal
from tests.learning.active.made import enumerated, system, values
from tests.support.examples import examples


def test_batches() -> None:
    """The first design has ten rows, later batches at least five; each depends on the values before it."""
    space = enumerated(system())
    chosen, y = variables_of(space.system), values(space)

    def rows(y: Array) -> list[int]:
        return list(islice(suggested_rows(space, y, chosen, 0), 20))

    found = rows(y)
    assert len(set(found)) == 20
    for start, end in ((0, 10), (10, 15)):
        changed = y.copy()
        changed[found[start:end]] *= 10
        assert rows(changed)[:end] == found[:end]
        assert rows(changed)[end:] != found[end:]


def suggested(rows: Array, count: int, goal: Goal = "variance", failed: int = 0) -> ConfigurationSuggestions:
    """Return suggestions for the small system, given rows of it in this order, of which the last ones failed."""
    space = enumerated(system())
    y = np.where(np.arange(len(rows)) < len(rows) - failed, values(space[rows]), np.nan)
    return suggest(Space(space.system), Measurements(space[rows], {"time": y}), "time", count, goal=goal)


@pytest.mark.parametrize("measured", [0, 14])
@examples(4)
@given(seed=st.integers(0, 99), goal=st.sampled_from(["variance", "optimum"]))
def test_order_of_rows_does_not_matter(measured: int, seed: int, goal: Goal) -> None:
    """Permuted measurements give the same suggestions, also where gains are equal."""
    rng = np.random.default_rng(seed)
    rows = rng.permutation(96)[:measured]
    first, second = suggested(rows, 6, goal), suggested(rng.permutation(rows), 6, goal)
    np.testing.assert_array_equal(first.configurations.indices, second.configurations.indices)
    np.testing.assert_allclose(first.gains, second.gains, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize(("rows", "goal"), [(0, "variance"), (15, "variance"), (15, "optimum")])
def test_nothing_is_suggested_twice(rows: int, goal: Goal) -> None:
    """Suggestions are distinct, and none was measured, nor failed."""
    order = np.random.default_rng(rows).permutation(96)
    found = suggested(order[: rows + 9], 96 - rows - 9, goal, failed=9)
    assert sorted(enumerated(system()).find(found.configurations).tolist()) == sorted(order[rows + 9 :].tolist())


def test_gains_fall_and_predictions_are_the_models() -> None:
    """Gains are shares of the variance; predicted values and intervals are those of the full model."""
    found = suggested(np.arange(0, 96, 6), 10)
    assert found.model is not None
    assert (found.gains > 0).all()
    assert 0 < found.gains.sum() < 100
    np.testing.assert_array_equal(found.predicted, found.model.predict(found.configurations))
    assert ((found.low < found.predicted) & (found.predicted < found.high)).all()


def test_optimum_is_found() -> None:
    """The configuration with the best value is among the first suggestions."""
    space = enumerated(system())
    y = values(space)
    rows = np.flatnonzero(y > np.quantile(y, 0.4))[::4]
    found = suggested(rows, 3, "optimum")
    assert values(found.configurations).min() == y.min()
    assert found.goal == "optimum"
    assert (found.gains >= 0).all()


@pytest.mark.parametrize(("rows", "count", "message"), [(90, 7, "only 6 valid"), (96, 1, "all valid configurations")])
def test_budget_above_the_space_is_refused(rows: int, count: int, message: str) -> None:
    """A budget above the number of configurations that are left is an error that says how many there are."""
    with pytest.raises(LearningError, match=message):
        suggested(np.arange(rows), count)


@pytest.mark.parametrize("seed", [7, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (0, 31))])
def test_sequential_rows_look_only_at_measured_values(seed: int) -> None:
    """Rows depend neither on the order of rows nor on values of rows that are not suggested; smaller designs agree."""
    space = enumerated(system())
    y, variables = values(space), variables_of(space.system)
    rows = sequential_rows(space, y, variables, 21, seed)
    assert len(set(rows.tolist())) == 21
    others = np.where(np.isin(np.arange(len(y)), rows), y, 1e6)
    np.testing.assert_array_equal(sequential_rows(space, others, variables, 21, seed), rows)
    order = np.random.default_rng(seed).permutation(len(y))
    permuted = sequential_rows(space[order], y[order], variables, 21, seed)
    np.testing.assert_array_equal(order[permuted], rows)
    np.testing.assert_array_equal(sequential_rows(space, y, variables, 10, seed), rows[:10])


def test_sequential_rows_are_allowed_ones() -> None:
    """Only allowed rows are suggested, also if all of them are."""
    space = enumerated(system())
    allowed = np.arange(len(space)) % 4 == 0
    rows = suggested_rows(space, values(space), variables_of(space.system), 3, allowed=allowed)
    assert sorted(rows) == np.flatnonzero(allowed).tolist()


def test_tables_of_suggestions() -> None:
    """A table has the expected gain, predictions if there are measurements, and costs if they are considered."""
    space = Space(system())
    first = suggest(space, count=3)
    assert list(first.to_columns()) == [*system().names, "variance_reduction_percent"]
    assert first.summary().endswith("a first design, without predictions")
    every = space.enumerate()
    rows = np.random.default_rng(4).permutation(len(every))[:15]
    measured = Measurements(every[rows], {"time": values(every[rows]), "size": np.arange(1.0, 16.0)})
    found = suggest(space, measured, "time", 4, goal="optimum")
    assert list(found.to_columns())[-4:] == ["expected_improvement", "predicted", "low", "high"]
    assert "4 configurations that may be the optimum" in repr(found)
    assert "cost" in suggest(space, measured, "time", 2, cost="size").to_columns()
    with pytest.raises(MeasurementError, match="other options"):
        suggest(Space(VariabilityModel.of({"x": [1, 2]})), measured, "time")
    with pytest.raises(MeasurementError, match="several properties"):
        suggest(space, measured)
    with pytest.raises(RequestError, match="no measurements"):
        suggest(space, cost="time")
