"""Distributions of distances, asked, possible and drawn ones, and diversified selection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given
from scipy import stats

from sampling import Space, draw_sample, parse_spec, sample
from sampling.designs.distance import DISTRIBUTIONS, UNIT, Distances, Scope, probabilities
from sampling.draws import Lottery
from sampling.space.parts import Parts
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.sampling.conftest import joined
from tests.support.examples import examples
from tests.support.strategies import models


def scope_of(model: VariabilityModel) -> Scope:
    """Return the scope of a system."""
    return Scope.of(Parts(Space(model)), "whole")


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
        monkeypatch.setattr("sampling.designs.distance.MOST_DISTANCES", most)
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
    distribution: str, preserving: bool, real_model: Callable[[str], VariabilityModel]
) -> None:
    """On a space of 10^12, distances follow the asked distribution, renormalised over those that are not empty."""
    model = joined([real_model("x264")] * 4)
    name = "distpreserving" if preserving else "distaware"
    distances = Distances.of(scope_of(model))
    asked = probabilities(distribution, len(distances.sums))  # type: ignore[arg-type]
    assert 0 in distances.counts
    factors = distances.counts if preserving else [count > 0 for count in distances.counts]
    expected = np.array([float(weight * factor) for weight, factor in zip(asked, factors, strict=True)])
    spec = f"{name}:3000,distribution={distribution}"
    drawn = Counter((distances_of(model, sample(model, spec, seed=2).indices) / distances.unit).astype(int).tolist())
    assert all(expected[distances.sums.index(total)] > 0 for total in drawn)
    expected *= 3000 / expected.sum()
    frequent = expected >= 8
    observed = np.array([drawn[total] for total in distances.sums])
    shares = expected[frequent] * observed[frequent].sum() / expected[frequent].sum()
    assert frequent.sum() > 5
    assert stats.chisquare(observed[frequent], shares).pvalue > 1e-4


def spread(rows: Array, distance_of: Array) -> float:
    """Return the mean over distances of the sum of squared counts of options."""
    return float(np.mean([(rows[distance_of == d].sum(axis=0).astype(float) ** 2).sum() for d in set(distance_of)]))


@pytest.mark.real_data
@pytest.mark.parametrize("weights", ["1", "2", "1-2"])
@pytest.mark.parametrize("name", ["LLVM", "x264"])
def test_diversified_samples_use_options_more_evenly(
    name: str, weights: str, real_model: Callable[[str], VariabilityModel]
) -> None:
    """With the same distances, options are selected more equally often than without the optimisation."""
    model = real_model(name)
    for seed in range(3):
        plain = sample(model, f"distaware:60,seed={seed}").indices
        diverse = sample(model, f"distaware:60,seed={seed},optimization=local,weights={weights}").indices
        sizes = plain.sum(axis=1)
        assert sorted(sizes) == sorted(diverse.sum(axis=1))
        assert spread(diverse, diverse.sum(axis=1)) < 0.99 * spread(plain, sizes)


@pytest.mark.real_data
@pytest.mark.parametrize("optimization", ["local", "global"])
@pytest.mark.parametrize("weights", [(1, 1), (2, 2), (1, 2)])
def test_diversified_configurations_have_the_least_used_options(
    optimization: str, weights: tuple[int, int], real_model: Callable[[str], VariabilityModel]
) -> None:
    """Each configuration has the least number of earlier uses of its options among those with its distance."""
    model = real_model("x264")
    everything = Space(model).enumerate().indices.astype(int)
    spec = f"distaware:40,optimization={optimization},weights={weights[0]}-{weights[1]}"
    found = sample(model, spec, seed=1).indices.astype(int)

    def uses(rows: Array, earlier: Array) -> Array:
        common = rows @ earlier.T
        single, pairs = common.sum(axis=1), (common * (common - 1) // 2).sum(axis=1)
        return np.asarray({(1, 1): single, (2, 2): pairs, (1, 2): single + pairs}[weights])

    for number, row in enumerate(found):
        earlier = found[:number]
        counted = earlier if optimization == "global" else earlier[earlier.sum(axis=1) == row.sum()]
        candidates = everything[everything.sum(axis=1) == row.sum()]
        unused = np.array([row.tolist() not in earlier.tolist() for row in candidates])
        assert uses(row[None], counted)[0] == uses(candidates[unused], counted).min()


@pytest.mark.real_data
def test_divdistance_is_distaware_with_local_optimisation(real_model: Callable[[str], VariabilityModel]) -> None:
    """The name of the published strategy, and its options."""
    model = real_model("x264")
    one = sample(model, "divdistance:30", seed=4)
    two = draw_sample(model, parse_spec("distaware:30,optimization=local+ff"), 4).configurations
    assert one.indices.tolist() == two.indices.tolist()
