"""Sequential designs: suggestions, and the variances of pools against conditional normal distributions."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import Space
from sampling.sequential import select
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import LearningError, MeasurementError, RequestError
from splc.learning.active.suggestion import (
    ConfigurationSuggestions,
    Pool,
    Surrogate,
    VarianceStrategy,
    sequential_rows,
    suggest,
    suggested_rows,
)
from splc.learning.contexts.sharing import ContextRows, Sharing
from splc.learning.projection.basis import variables_of
from splc.learning.projection.constants import JITTER
from splc.learning.projection.posterior import kernel_matrix
from splc.system.variability import VariabilityModel
from splc.types import Array, Goal
from tests.support.examples import examples
from tests.support.systems import everything, switches

MADE = VariabilityModel.of(dict.fromkeys(["b0", "b1", "b2"], bool) | {"x": [1, 2, 4, 8], "y": [10, 20, 30]})
# The 96 valid configurations.
ALL = Space(MADE).enumerate()


def values(configurations: Configurations) -> Array:
    """Return values of a known model with interactions."""
    column = configurations.column
    found: Array = 10 + 3 * column("x") * (1 + column("b0")) + column("y") * column("b1") / 5 + 2 * column("b2")
    return found


def test_batches() -> None:
    """The first design has ten rows, later batches at least five; each depends on the values before it.

    Only allowed rows are suggested, also if all of them are.
    """
    chosen, y = variables_of(MADE), values(ALL)
    allowed = np.arange(len(ALL)) % 4 == 0
    assert sorted(suggested_rows(ALL, y, chosen, 3, allowed=allowed)) == np.flatnonzero(allowed).tolist()

    def rows(y: Array) -> list[int]:
        return list(islice(suggested_rows(ALL, y, chosen, 0), 20))

    found = rows(y)
    assert len(set(found)) == 20
    for start, end in ((0, 10), (10, 15)):
        changed = y.copy()
        changed[found[start:end]] *= 10
        assert rows(changed)[:end] == found[:end]
        assert rows(changed)[end:] != found[end:]


def suggested(rows: Array, count: int, goal: Goal = "variance", failed: int = 0) -> ConfigurationSuggestions:
    """Return suggestions for the small system, given rows of it in this order, of which the last ones failed."""
    y = np.where(np.arange(len(rows)) < len(rows) - failed, values(ALL[rows]), np.nan)
    return suggest(Space(MADE), Measurements(ALL[rows], {"time": y}), "time", count, goal=goal)


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
    assert sorted(ALL.find(found.configurations).tolist()) == sorted(order[rows + 9 :].tolist())


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
    y = values(ALL)
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
    y, variables = values(ALL), variables_of(MADE)
    rows = sequential_rows(ALL, y, variables, 21, seed)
    assert len(set(rows.tolist())) == 21
    others = np.where(np.isin(np.arange(len(y)), rows), y, 1e6)
    np.testing.assert_array_equal(sequential_rows(ALL, others, variables, 21, seed), rows)
    order = np.random.default_rng(seed).permutation(len(y))
    permuted = sequential_rows(ALL[order], y[order], variables, 21, seed)
    np.testing.assert_array_equal(order[permuted], rows)
    np.testing.assert_array_equal(sequential_rows(ALL, y, variables, 10, seed), rows[:10])


def test_tables_of_suggestions() -> None:
    """A table has the expected gain, predictions if there are measurements, and costs if they are considered."""
    space = Space(MADE)
    first = suggest(space, count=3)
    assert list(first.to_columns()) == [*MADE.names, "variance_reduction_percent"]
    assert first.summary().endswith("a first design, without predictions")
    known = ALL[np.random.default_rng(4).permutation(len(ALL))[:15]]
    measured = Measurements(known, {"time": values(known), "size": np.arange(1.0, 16.0)})
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


def believed(rows: int, seed: int) -> tuple[Surrogate, Pool]:
    """Return the surrogate given some configurations of a small system, and the pool of all."""
    known = ALL[np.random.default_rng(seed).permutation(len(ALL))[:rows]]
    return Surrogate.of(known, values(known), variables_of(MADE)), Pool.of(ALL, known.find(ALL) < 0)


def covariances(surrogate: Surrogate, pool: Pool) -> tuple[Array, Array]:
    """Return the posterior covariances of a pool by their definition, and the noise of each configuration."""
    designs = surrogate.basis.designs(pool.configurations)
    own, means = [], []
    for part in surrogate.parts:
        design = designs[part.kind]
        matrix = kernel_matrix(part.theta, part.design, part.design) + np.diag(part.theta.noise * part.noise + JITTER)
        cross = kernel_matrix(part.theta, part.design, design)
        own.append(kernel_matrix(part.theta, design, design) - cross.T @ np.linalg.solve(matrix, cross))
        means.append((part.means(design) - part.mean) / part.deviation)
    noise = np.full(len(pool), np.mean([part.theta.noise for part in surrogate.parts]))
    between = np.cov(np.transpose(means), bias=True) if len(own) > 1 else 0.0
    return np.mean(own, axis=0) + between, noise + JITTER


def measured_too(covariance: Array, noise: Array, position: int) -> Array:
    """Return the covariances given one more measurement."""
    column = covariance[:, position]
    found: Array = covariance - np.outer(column, column) / (column[position] + noise[position])
    return found


@pytest.mark.parametrize("rows", [0, 4, 16])
def test_rank_one_updates_are_conditional_covariances(rows: int) -> None:
    """Variances, their sum and its reductions are those of the conditional distribution, for each added row."""
    surrogate, pool = believed(rows, 1)
    assert (surrogate.model is None) == (len(surrogate.parts) == 1) == (rows < 10)
    covariance, noise = covariances(surrogate, pool)
    strategy = VarianceStrategy(surrogate, pool)
    for position in (3, 17, 8, 3):
        np.testing.assert_allclose(strategy.variances, np.diag(covariance), atol=1e-8)
        total = float(np.diag(covariance)[pool.reference].mean())
        assert strategy.total == pytest.approx(total, rel=1e-7)
        each = [total - np.diag(measured_too(covariance, noise, i))[pool.reference].mean() for i in range(len(pool))]
        np.testing.assert_allclose(strategy.reductions(), each, atol=1e-8)
        strategy.add(position)
        covariance = measured_too(covariance, noise, position)


@examples(10)
@given(rows=st.sampled_from([0, 3, 14]), seed=st.integers(0, 50), costs=st.booleans())
def test_greedy_choice_is_best_of_all(rows: int, seed: int, costs: bool) -> None:
    """Each selected configuration has the largest reduction times deviation (per cost) of all candidates."""
    surrogate, pool = believed(rows, seed)
    cost = np.random.default_rng(seed).uniform(0.5, 2, len(pool)) if costs else None
    selected = select(VarianceStrategy(surrogate, pool, cost), 4)
    covariance, noise = covariances(surrogate, pool)
    whole = np.diag(covariance)[pool.reference].mean()
    left = pool.candidates.copy()
    for position, gain in zip(selected.rows.tolist(), selected.gains.tolist(), strict=True):
        before = np.diag(covariance)[pool.reference].mean()
        deviations = np.sqrt(np.diag(covariance) + noise)
        each = np.full(len(pool), -np.inf)
        for i in np.flatnonzero(left):
            each[i] = (before - np.diag(measured_too(covariance, noise, int(i)))[pool.reference].mean()) / whole
        worth = each * deviations / (1.0 if cost is None else cost)
        assert worth[position] == pytest.approx(worth.max(), rel=1e-6, abs=1e-12)
        assert gain == pytest.approx(each[position], rel=1e-6, abs=1e-12)
        left[position] = False
        covariance = measured_too(covariance, noise, position)


EVERY = everything(*switches(8))
VALID = Space(EVERY.system)


def _values(version: int) -> Array:
    column = EVERY.column
    found: Array = 0.8 * column("b0") + 0.5 * column("b1") + 0.4 * column("b2") - 0.4 * column("b0") * column("b3")
    return np.exp(found + version * (0.3 + 0.3 * column("b0") - 0.25 * column("b2")))


def _rows(version: int, rows: Array) -> ContextRows:
    noise = np.random.default_rng(version).normal(0, 0.01, len(rows))
    return ContextRows(EVERY[rows], _values(version)[rows] * np.exp(noise), np.ones(len(rows)))


@pytest.fixture(scope="module")
def old() -> dict[str, ContextRows]:
    """Return 60 rows of the old version."""
    return {"v1": _rows(0, np.random.default_rng(1).permutation(len(EVERY))[:60])}


def _error(old: dict[str, ContextRows], rows: Array) -> float:
    own = _rows(1, rows)
    joint = Sharing({**old, "v2": own}).joint("v2", own)
    return float(np.abs(joint.of("v2").predict(EVERY) / _values(1) - 1).mean())


def test_pairs(old: dict[str, ContextRows]) -> None:
    """Suggestions are configurations of the old version, and not those that were measured in the new one.

    Options that matter are balanced in few of them.
    """
    first = suggest(VALID, None, None, 4, sources=old)
    assert all(first.configurations.column(name).sum() in (1, 2, 3) for name in ("b0", "b1", "b2"))
    assert (old["v1"].configurations.find(first.configurations) >= 0).all()
    measured = Measurements(first.configurations, {"time": np.arange(1.0, 5.0)})
    second = suggest(VALID, measured, "time", 4, sources=old)
    assert (old["v1"].configurations.find(second.configurations) >= 0).all()
    assert (first.configurations.find(second.configurations) < 0).all()
    # Together they are what is suggested at once: values do not matter.
    both = suggest(VALID, None, None, 8, sources=old)
    assert both.configurations[4:] == second.configurations
    assert suggest(VALID, None, None, 61, sources=old).candidates > 60
    with pytest.raises(RequestError, match="not to find an optimum"):
        suggest(VALID, None, None, 4, goal="optimum", sources=old)


def test_better_than_random(old: dict[str, ContextRows]) -> None:
    """As many random rows of the new version have a larger error."""
    suggested = EVERY.find(suggest(VALID, None, None, 6, sources=old).configurations)
    generator = np.random.default_rng(0)
    errors = [_error(old, generator.permutation(len(EVERY))[:6]) for _ in range(3)]
    assert _error(old, suggested) < 0.8 * np.mean(errors)
