"""Surrogates and pools: posteriors over a pool against conditional normal distributions, and what is selected."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import Space
from sampling.sequential import select
from splc.data.measurements import Measurements
from splc.errors import RequestError
from splc.learning import suggest
from splc.learning.active.design import VarianceStrategy
from splc.learning.active.surrogate import Pool, PoolSurrogate, Surrogate
from splc.learning.contexts.joint_model import ContextRows
from splc.learning.contexts.sharing import Sharing
from splc.learning.projection.constants import JITTER
from splc.learning.projection.kernel import kernel_matrix
from splc.learning.projection.order import hash_order
from splc.learning.projection.variables import variables_of
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.learning.active.made import enumerated, system, values
from tests.support.examples import examples


def believed(rows: int, seed: int, scale: float = 1.0) -> PoolSurrogate:
    """Return the surrogate about all configurations of a small system, given some of them."""
    space = enumerated(system())
    measured = np.random.default_rng(seed).permutation(len(space))[:rows]
    known = space[measured]
    surrogate = Surrogate.of(known, scale * values(known), variables_of(space.system))
    allowed = known.find(space) < 0
    return PoolSurrogate(surrogate, Pool.of(space, allowed))


def covariances(found: PoolSurrogate) -> tuple[Array, Array]:
    """Return the posterior covariances of a pool by their definition, and the noise of each configuration."""
    parts, pool = found.surrogate.parts, found.pool
    designs = found.surrogate.basis.designs(pool.configurations)
    own = []
    for part in parts:
        design = designs[part.kind]
        matrix = kernel_matrix(part.theta, part.design, part.design) + np.diag(part.theta.noise * part.noise + JITTER)
        cross = kernel_matrix(part.theta, part.design, design)
        own.append(kernel_matrix(part.theta, design, design) - cross.T @ np.linalg.solve(matrix, cross))
    noise = np.full(len(pool), np.mean([part.theta.noise for part in parts]))
    between = np.cov(found.means.T, bias=True) if len(parts) > 1 else 0.0
    return np.mean(own, axis=0) + between, noise + JITTER


def measured_too(covariance: Array, noise: Array, position: int) -> Array:
    """Return the covariances given one more measurement."""
    column = covariance[:, position]
    found: Array = covariance - np.outer(column, column) / (column[position] + noise[position])
    return found


@pytest.mark.parametrize("rows", [0, 4, 16])
def test_rank_one_updates_are_conditional_covariances(rows: int) -> None:
    """Variances, their sum and its reductions are those of the conditional distribution, for each added row."""
    found = believed(rows, 1)
    assert (found.surrogate.model is None) == (rows < 10)
    covariance, noise = covariances(found)
    posterior, reference = found.posterior(), found.pool.reference
    for position in (3, 17, 8, 3):
        np.testing.assert_allclose(posterior.variances, np.diag(covariance), atol=1e-8)
        total = float(np.diag(covariance)[reference].mean())
        assert posterior.total == pytest.approx(total, rel=1e-7)
        each = [total - np.diag(measured_too(covariance, noise, i))[reference].mean() for i in range(len(found.pool))]
        np.testing.assert_allclose(posterior.reductions(), each, atol=1e-8)
        posterior.add(position)
        covariance = measured_too(covariance, noise, position)


def test_added_row_is_refitted_posterior() -> None:
    """Adding a row gives the variances of a posterior that is computed with the row among the measured ones."""
    found = believed(16, 2)
    part, pool = found.surrogate.parts[0], found.pool
    one = PoolSurrogate(replace(found.surrogate, parts=(part,)), pool)
    posterior = one.posterior()
    posterior.add(5)
    design = found.surrogate.basis.designs(pool.configurations)[part.kind]
    columns = np.vstack([part.design.columns, design.columns[5]])
    more = replace(
        part,
        design=replace(part.design, columns=columns),
        t=np.append(part.t, part.mean),
        noise=np.append(part.noise, 1.0),
    )
    variances = more.moments(design)[1] / part.deviation**2
    np.testing.assert_allclose(posterior.variances, variances, atol=1e-8)


@examples(10)
@given(rows=st.sampled_from([0, 3, 14]), seed=st.integers(0, 50), costs=st.booleans())
def test_greedy_choice_is_best_of_all(rows: int, seed: int, costs: bool) -> None:
    """Each selected configuration has the largest reduction times deviation (per cost) of all candidates."""
    found = believed(rows, seed)
    pool = found.pool
    cost = np.random.default_rng(seed).uniform(0.5, 2, len(pool)) if costs else None
    selected = select(VarianceStrategy(found, cost), 4)
    covariance, noise = covariances(found)
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


def test_weights_follow_the_scale() -> None:
    """On the scale of y of a positive property, relative errors count: small predictions weigh more."""
    space = enumerated(system())
    y = 1 + 100 * space.column("b0") + 20 * space.column("b1")
    model = Surrogate.of(space[::2], y[::2], variables_of(space.system)).model
    assert model is not None
    weighted = PoolSurrogate(Surrogate.of(space[::2], y[::2], variables_of(space.system)), Pool.of(space))
    expected = model.scale.slope(model.predict(weighted.pool.configurations) / model.scale.unit) ** 2
    posterior = weighted.posterior()
    mean = float((expected * posterior.variances)[weighted.pool.reference].mean())
    assert posterior.total == pytest.approx(mean, rel=1e-9)


def test_prior_has_one_part() -> None:
    """Before enough is measured there is one part, whose means are 0, and predictions in units of the scale are 1."""
    found = believed(4, 0)
    assert len(found.surrogate.parts) == 1
    np.testing.assert_array_equal(found.means, np.zeros((1, len(found.pool))))
    assert believed(10, 0).surrogate.model is not None


def test_noise_and_weights_of_a_scale_whose_noise_grows() -> None:
    """On the scale of y, noise grows with predictions, and the reference counts by squared relative errors."""
    space = enumerated(system())
    rows = np.random.default_rng(2).permutation(len(space))[:30]
    y = 10 + 300 * space.column("b0") + 20 * space.column("b1") + 3 * space.column("x")
    surrogate = Surrogate.of(
        space[rows], y[rows] * np.random.default_rng(4).normal(1, 0.03, 30), variables_of(space.system)
    )
    model = surrogate.model
    assert model is not None
    assert model.scale.name == "raw"
    found = PoolSurrogate(surrogate, Pool.of(space))
    posterior = found.posterior()
    predicted = model.predict(found.pool.configurations) / model.scale.unit
    theta = np.mean([part.theta.noise for part in found.surrogate.parts])
    expected = theta * predicted**2 / model.ensemble.noise_unit + JITTER
    np.testing.assert_allclose(posterior.noise, expected, rtol=1e-9)
    reference = found.pool.reference
    assert posterior.total == pytest.approx(np.mean(posterior.variances[reference] / predicted[reference] ** 2))


def test_pools() -> None:
    """A pool has the first configurations of the reference in hash order, and the first that are allowed."""
    space = enumerated(system())
    everything = Pool.of(space)
    assert everything.candidates.all()
    assert everything.reference.tolist() == list(range(len(space)))
    assert everything.configurations.keys.tolist() == space.keys[hash_order(space)].tolist()
    allowed = space.column("b0") == 1
    few = Pool.of(space, allowed, most=5)
    assert few.configurations.column("b0")[few.candidates].tolist() == [1.0] * int(few.candidates.sum())


SPACE = Space(VariabilityModel("twelve", tuple(BinaryOption(f"b{at}") for at in range(12)))).enumerate()


@pytest.mark.parametrize(("number", "most"), [(300, 50), (500, 100), (501, 501), (4096, 700), (4096, 2000)])
@pytest.mark.parametrize("share", [None, 0.3])
def test_pool(number: int, most: int, share: float | None) -> None:
    """500 configurations are the reference, and the first of those that may be suggested are candidates."""
    space = SPACE[np.random.default_rng(0).permutation(4096)[:number]]
    allowed = None if share is None else np.random.default_rng(1).random(number) < share
    pool = Pool.of(space, allowed, most)
    order = hash_order(space)
    first = [space.indices[at].tobytes() for at in order[:500]]
    assert [pool.configurations.indices[at].tobytes() for at in pool.reference] == first
    usable = [at for at in order if allowed is None or allowed[at]]
    wanted = {space.indices[at].tobytes() for at in usable[:most]}
    wanted |= {space.indices[at].tobytes() for at in set(order[:500].tolist()) & set(map(int, usable))}
    assert {row.tobytes() for row in pool.configurations.indices[pool.candidates]} == wanted
    assert len(pool) == len(wanted | set(first))


SYSTEM = VariabilityModel("s", tuple(BinaryOption(f"b{at}") for at in range(8)))
VALID = Space(SYSTEM)
EVERY = VALID.enumerate()


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
    """Suggestions are configurations of the old version, and not those that were measured in the new one."""
    first = suggest(VALID, None, None, 4, sources=old)
    assert (old["v1"].configurations.find(first.configurations) >= 0).all()
    measured = Measurements(first.configurations, {"time": np.arange(1.0, 5.0)})
    second = suggest(VALID, measured, "time", 4, sources=old)
    assert (old["v1"].configurations.find(second.configurations) >= 0).all()
    assert (first.configurations.find(second.configurations) < 0).all()
    # Together they are what is suggested at once: values do not matter.
    both = suggest(VALID, None, None, 8, sources=old)
    assert both.configurations[4:] == second.configurations
    assert suggest(VALID, None, None, 61, sources=old).candidates > 60


def test_better_than_random(old: dict[str, ContextRows]) -> None:
    """As many random rows of the new version have a larger error."""
    suggested = EVERY.find(suggest(VALID, None, None, 6, sources=old).configurations)
    generator = np.random.default_rng(0)
    errors = [_error(old, generator.permutation(len(EVERY))[:6]) for _ in range(3)]
    assert _error(old, suggested) < 0.8 * np.mean(errors)


def test_influential_options(old: dict[str, ContextRows]) -> None:
    """Options that matter are balanced in few suggestions; those without influence need not be."""
    chosen = suggest(VALID, None, None, 4, sources=old).configurations
    for name in ("b0", "b1", "b2"):
        assert chosen.column(name).sum() in (1, 2, 3)


def test_optimum(old: dict[str, ContextRows]) -> None:
    """A search for the optimum does not use other versions."""
    with pytest.raises(RequestError):
        suggest(VALID, None, None, 4, goal="optimum", sources=old)
