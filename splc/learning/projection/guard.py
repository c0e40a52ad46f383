"""The guard: whether influences can be distinguished from noise.

The evidence of the full model is compared with its evidence for permuted values, which no option influences. A fixed
threshold is too low for many options and too high for few configurations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from splc.learning.projection import constants
from splc.learning.projection.fit import Data, FirstFit, Refits
from splc.learning.projection.search import search_hyperparameters, start_of
from splc.types import Array


def permutation_test(data: Data, variables: int, found: Refits) -> bool:
    """Return whether the influences of a full model can be distinguished from noise."""
    first, rows = found.first, len(data.y)
    if is_certain(rows, first.gain, found.explained):
        return True
    search_rows = slice(constants.ROWS_OF_SEARCH)
    design = data.designs[0].rows(search_rows)
    columns, min_correlation, margin = constants.GUARD_SINGLE
    if design.distinct > columns and has_large_correlation(
        design.columns, first.posterior.t[search_rows], min_correlation, margin
    ):
        return True
    return is_rare(rows, first.gain, permuted_gains(data, variables, first))


def is_certain(rows: int, gain: float, explained: float) -> bool:
    """Return whether a gain of evidence, or the share of explained variance with few rows, needs no permutations."""
    has_few_rows = rows < constants.GUARD_ROWS
    return gain >= constants.GUARD_CERTAIN or (has_few_rows and explained >= constants.GUARD_EXPLAINED)


def is_rare(rows: int, gain: float, gains: Iterable[float]) -> bool:
    """Return whether few of the gains for permuted values are as large; no more of them are read than necessary."""
    permutations, allowed = constants.GUARD_FEW_ROWS if rows < constants.GUARD_ROWS else constants.GUARD_PERMUTATIONS
    larger = 0
    for permuted_gain in islice(gains, permutations):
        larger += permuted_gain >= gain
        if larger > allowed:
            return False
    return True


def permuted_gains(data: Data, variables: int, first: FirstFit) -> Iterator[float]:
    """Yield gains of evidence for permuted values, without end."""
    search_rows = slice(constants.ROWS_OF_SEARCH)
    design, noise, posterior = data.designs[0].rows(search_rows), first.noise[search_rows], first.posterior
    z = (posterior.t[search_rows] - posterior.mean) / posterior.deviation
    start = start_of(design.distinct, variables)
    draws = np.random.default_rng(0)
    while True:
        order = draws.permutation(len(z))
        # The noise is permuted with the values, since it may depend on the value.
        optimum = search_hyperparameters(design, z[order], noise[order], start, constants.ITERATIONS)
        yield float(z @ z) / 2 - optimum.evidence


def has_large_correlation(columns: Array, values: Array, permutations: int, margin: float) -> bool:
    """Return whether a column correlates more with the values, by a margin, than any does with permuted values."""
    z = (values - values.mean()) / values.std()
    centered = columns - columns.mean(axis=0)
    norms = np.linalg.norm(centered, axis=0)
    centered = centered[:, norms > 0] / norms[norms > 0]
    permuted = np.random.default_rng(0).permuted(np.tile(z, (permutations, 1)), axis=1)
    return bool(abs(z @ centered).max(initial=0.0) > margin * abs(permuted @ centered).max(initial=0.0))
