"""The guard: whether influences can be distinguished from noise.

The evidence of the full model is compared with its evidence for permuted values, which no option influences. A fixed
threshold is too low for many options and too high for few configurations.
"""

from __future__ import annotations

import numpy as np

from splc.learning.projection import constants
from splc.learning.projection.fit import Data, Refits
from splc.learning.projection.search import search, start_of


def distinguishable(data: Data, variables: int, found: Refits) -> bool:
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
