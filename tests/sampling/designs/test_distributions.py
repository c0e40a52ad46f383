"""Distributions of distances: asked, possible and drawn ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given
from scipy import stats

from sampling import Space, parse_spec, sample
from sampling.designs.distance_aware import DistanceAware
from sampling.designs.distances import Distances
from sampling.designs.distributions import DISTRIBUTIONS, Distribution, Lottery, probabilities
from sampling.designs.scope import UNIT, Kind, Scope
from sampling.space.parts import Parts
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.sampling.conftest import joined
from tests.support.examples import examples
from tests.support.strategies import models


def scope_of(model: VariabilityModel, kind: Kind = "whole") -> Scope:
    """Return the scope of a system."""
    return Scope.of(Parts(Space(model)), kind)


def distances_of(model: VariabilityModel, rows: Array) -> Array:
    """Return the distances of whole configurations to the origin."""
    weights = scope_of(model).weights()
    parts = np.stack([weights[column][rows[:, column]] for column in range(rows.shape[1])])
    return np.asarray(parts.sum(axis=0) / UNIT)


def test_distances_of_values() -> None:
    """A selected option adds 1, a numeric one its position in its range, and 1 more if it can be deselected."""
    values = (1.0, 2.0, 4.0)
    options = (BinaryOption("b"), NumericOption("n", values), NumericOption("m", values, deselected_flag=-1.0))
    weights = scope_of(VariabilityModel("three", options)).weights()
    assert [each.tolist() for each in weights] == [[0, 10000], [0, 3333, 10000], [10000, 13333, 20000, 0]]
    coarse = scope_of(VariabilityModel("three", options)).weights(1)
    assert [each.tolist() for each in coarse] == [[0, 10], [0, 3, 10], [10, 13, 20, 0]]


@given(models(binary=5, numeric=2))
@examples(20)
def test_distances_are_those_of_the_enumeration(model: VariabilityModel) -> None:
    """Counts per distance are those of the listed configurations; other sums of the options' own values are empty."""
    space = Space(model)
    assume(not space.solutions.empty)
    rows = space.enumerate().indices
    found = Distances.of(scope_of(model))
    counts = Counter(np.rint(distances_of(model, rows) * UNIT).astype(int).tolist())
    stated = {round(total * found.unit * UNIT): count for total, count in zip(found.sums, found.counts, strict=True)}
    assert {total: count for total, count in stated.items() if count} == counts
    own = {0}
    for column, weights in enumerate(scope_of(model).weights()):
        own = {before + int(weights[value]) for before in own for value in set(rows[:, column].tolist())}
    assert set(stated) == own


def test_rounded_distances(monkeypatch: pytest.MonkeyPatch) -> None:
    """Distances are rounded to as few decimals as needed, none at all if there are too many with one."""
    n, m = NumericOption("n", (1.0, 2.0, 4.0, 5.0)), NumericOption("m", (10.0, 22.0, 41.0, 50.0))
    model = VariabilityModel("three", (BinaryOption("b"), n, m))
    rows = Space(model).enumerate().indices
    # Parts of 0.25, 0.75, 0.3 and 0.775 are 0.3, 0.8, 0.3 and 0.8 with one decimal, and 0, 1, 0 and 1 with none.
    exact = Distances.of(scope_of(model))
    for most, parts in ((15, [0, 3, 8, 10]), (14, [0, 0, 10, 10])):
        monkeypatch.setattr("sampling.designs.distances.MOST", most)
        found = Distances.of(scope_of(model))
        counts = Counter(10 * b + parts[n] + parts[m] for b, n, m in rows.tolist())
        stated = zip(found.sums, found.counts, strict=True)
        assert {round(10 * total * found.unit): count for total, count in stated if count} == counts
        assert len(found.sums) < len(exact.sums)


@pytest.mark.parametrize("n", [1, 2, 9, 40])
def test_probabilities_are_those_of_scipy(n: int) -> None:
    """Weights are proportional to the named distributions."""
    places = np.arange(n)
    expected = {
        "uniform": np.ones(n),
        "binomial": stats.binom(n - 1, 0.5).pmf(places),
        "geometric": stats.geom(0.5).pmf(places + 1),
        "normal": stats.norm((n - 1) / 2, max(1, n - 1) / 6).pdf(places),
    }
    assert set(expected) == set(DISTRIBUTIONS)
    for name, shares in expected.items():
        weights = np.array([float(weight) for weight in probabilities(name, n)])  # type: ignore[arg-type]
        np.testing.assert_allclose(weights / weights.sum(), shares / shares.sum(), rtol=1e-12)


def test_removed_places_are_not_drawn() -> None:
    """Shares of the remaining places rise in proportion, also of those with tiny weights."""
    lottery = Lottery([5, 1 << 300, 0, 1 << 299, 7], np.random.default_rng(1))
    assert lottery.draw() in (1, 3)
    lottery.remove(1)
    assert {lottery.draw() for _ in range(50)} == {3}
    lottery.remove(3)
    drawn = Counter(lottery.draw() for _ in range(4000))
    assert set(drawn) == {0, 4}
    assert stats.binomtest(drawn[0], 4000, 5 / 12).pvalue > 1e-4
    # A small share is only marked as removed.
    lottery = Lottery([2, 9, 9], np.random.default_rng(1))
    lottery.remove(0)
    assert {lottery.draw() for _ in range(200)} == {1, 2}


@pytest.mark.real_data
@pytest.mark.parametrize("preserving", [False, True])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_distribution_of_distances(
    distribution: Distribution, preserving: bool, real_model: Callable[[str], VariabilityModel]
) -> None:
    """On a space of 10^12, distances follow the asked distribution, renormalised over those that are not empty."""
    model = joined([real_model("x264")] * 4)
    name = "distpreserving" if preserving else "distaware"
    design = parse_spec(f"{name}:3000,distribution={distribution}").whole
    assert isinstance(design, DistanceAware)
    distances = Distances.of(scope_of(model))
    asked = probabilities(distribution, len(distances.sums))
    assert 0 in distances.counts
    factors = distances.counts if preserving else [count > 0 for count in distances.counts]
    expected = np.array([float(weight * factor) for weight, factor in zip(asked, factors, strict=True)])
    assert design.weights(distances) == [weight * factor for weight, factor in zip(asked, factors, strict=True)]
    spec = f"{name}:3000,distribution={distribution}"
    drawn = Counter((distances_of(model, sample(model, spec, seed=2).indices) / distances.unit).astype(int).tolist())
    assert all(expected[distances.sums.index(total)] > 0 for total in drawn)
    expected *= 3000 / expected.sum()
    frequent = expected >= 8
    observed = np.array([drawn[total] for total in distances.sums])
    shares = expected[frequent] * observed[frequent].sum() / expected[frequent].sum()
    assert frequent.sum() > 5
    assert stats.chisquare(observed[frequent], shares).pvalue > 1e-4
