"""Uniformity of random samples: 40,000 draws against the counts of distances."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from sampling import Space
from sampling.designs.distances import Distances
from sampling.designs.scope import Scope
from sampling.space.parts import Parts
from splc.system.variability import VariabilityModel


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
