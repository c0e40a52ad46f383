"""The guard: whether influences can be distinguished from noise.

The evidence of the full model is compared with its evidence for permuted values, which no option influences. A fixed
threshold is too low for many options and too high for few configurations.
"""

from __future__ import annotations

import numpy as np

from splc.learning.projection import constants
from splc.learning.projection.fit import Data, Refits
from splc.learning.projection.search import search, start_of
from splc.types import Array


def permutation_test(data: Data, variables: int, found: Refits) -> bool:
    """Return whether the influences of a full model can be distinguished from noise.

    Args:
        data: the learning set.
        variables: the number of variables.
        found: the refits of the full model.
    """
    first = found.first
    if first.gain >= constants.GUARD_CERTAIN:
        return True
    few = len(data.y) < constants.GUARD_ROWS
    if few and found.explained >= constants.GUARD_EXPLAINED:
        return True
    permutations, allowed = constants.GUARD_FEW_ROWS if few else constants.GUARD_PERMUTATIONS
    some = slice(constants.ROWS_OF_SEARCH)
    design, noise = data.designs[0].rows(some), first.noise[some]
    posterior = first.posterior
    z = (posterior.t[some] - posterior.mean) / posterior.deviation
    columns, single, margin = constants.GUARD_SINGLE
    if design.distinct > columns and _has_large_correlation(design.columns, z, single, margin):
        return True
    start = start_of(design.distinct, variables)
    draws = np.random.default_rng(0)
    larger = 0
    for _ in range(permutations):
        order = draws.permutation(len(z))
        # The noise of a scale that it grows on belongs to the value.
        optimum = search(design, z[order], noise[order], start, constants.ITERATIONS)
        larger += float(z @ z) / 2 - optimum.evidence >= first.gain
        if larger > allowed:
            return False
    return True


def _has_large_correlation(columns: Array, z: Array, permutations: int, margin: float) -> bool:
    """Return whether a column correlates more with the values, by a margin, than any does with permuted values."""
    centered = columns - columns.mean(axis=0)
    norms = np.linalg.norm(centered, axis=0)
    centered = centered[:, norms > 0] / norms[norms > 0]
    permuted = np.random.default_rng(0).permuted(np.tile(z, (permutations, 1)), axis=1)
    return bool(abs(z @ centered).max(initial=0.0) > margin * abs(permuted @ centered).max(initial=0.0))
