"""Uniformity of random samples, by chi-squared tests against the enumerated space and the counts of distances."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats
from scipy.stats import chi2

from sampling import Space, sample
from sampling.designs.distance import Distances, Scope
from sampling.space.parts import Parts
from splc.data.configurations import Configurations
from splc.system.variability import VariabilityModel
from splc.types import Array

Read = Callable[[str], VariabilityModel]


def drawn(space: Space, size: int, samples: int) -> Configurations:
    """Return samples of distinct configurations, one after the other."""
    found = [sample(space.system, f"random:{size}", seed, space=space).indices for seed in range(samples)]
    return Configurations(space.system, np.concatenate(found))


def significance(counts: Array, expected: Array, size: int, total: int) -> float:
    """Return the probability of a larger chi-squared value; samples are drawn without replacement."""
    statistic = ((counts - expected) ** 2 / expected).sum() / (1 - (size - 1) / (total - 1))
    return float(chi2.sf(statistic, len(counts) - 1))


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("LLVM", 200),
        pytest.param("x264", 200, marks=pytest.mark.slow),
        pytest.param("splc_examples", 8, marks=pytest.mark.slow),
    ],
)
def test_draws_are_uniform(real_model: Read, name: str, size: int) -> None:
    """40,000 draws hit every valid configuration about equally often, and nothing else."""
    space = Space(real_model(name))
    everything = space.enumerate()
    samples = 40_000 // size
    places = everything.find(drawn(space, size, samples))
    assert places.min() >= 0
    counts = np.bincount(places, minlength=space.count)
    expected = np.full(space.count, size * samples / space.count)
    # The seeds are fixed: a value between these bounds is reproduced.
    assert 0.001 < significance(counts, expected, size, space.count) < 0.999


@pytest.mark.slow
def test_draws_of_a_large_space_are_uniform_by_strata(real_model: Read) -> None:
    """40,000 draws of exastencils hit the strata, combinations of binary options, in proportion to their sizes."""
    space = Space(real_model("exastencils"))
    binary = [space.system.positions[option.name] for option in space.system.binary_options]

    def strata(found: Configurations) -> Array:
        return np.asarray(found.indices[:, binary].astype(int) @ (1 << np.arange(len(binary))))

    sizes = np.bincount(strata(space.enumerate()), minlength=1 << len(binary))
    counts = np.bincount(strata(drawn(space, 1000, 40)), minlength=1 << len(binary))
    assert counts[sizes == 0].sum() == 0
    there = sizes > 0
    expected = sizes[there] * (40_000 / space.count)
    assert 0.001 < significance(counts[there], expected, 1000, space.count) < 0.999


@pytest.mark.real_data
def test_draws_of_exastencils_by_distance(real_model: Callable[[str], VariabilityModel]) -> None:
    """In 40,000 of 86,058 configurations, each distance has its share."""
    model = real_model("exastencils")
    space = Space(model)
    scope = Scope.of(Parts(space), "whole")
    distances = Distances.of(scope)
    rows = space.draw(40_000, np.random.default_rng(12)).indices
    weights = [each / (distances.unit * 10_000) for each in scope.weights()]
    sums = np.rint(sum(weights[column][rows[:, column]] for column in range(rows.shape[1]))).astype(int)
    edges = np.quantile(np.repeat(distances.sums, distances.counts), np.linspace(0, 1, 41)[1:-1])
    expected = np.bincount(np.searchsorted(edges, distances.sums), weights=distances.counts)
    observed = np.bincount(np.searchsorted(edges, sums), minlength=len(expected))
    share = len(rows) / space.count
    statistic = stats.chisquare(observed, expected * share).statistic / (1 - share)
    assert 1e-4 < stats.chi2(len(expected) - 1).cdf(statistic) < 1 - 1e-4
