"""The share of the resamples of held-out rows in which one model has smaller errors than another one.

Resamples are those of the Bayesian bootstrap (Rubin, The Annals of Statistics 9, 1981), so that few rows decide little.
"""

from __future__ import annotations

import numpy as np

from splc.types import Array

DRAWS = 200
# Greater differences of ln y are clipped.
LARGEST = 600.0


def shares_of_smaller_errors(first: Array, second: Array, *, positive: bool) -> tuple[float, ...]:
    """Return the shares of the resamples in which the first model has smaller errors, for each measure of errors.

    These are the errors of ln y, where all rows count alike, and relative ones, where values that are predicted too
    high count most; of values that are not positive there are differences only.

    `first`: the errors of held-out rows, shape (n,); of ln y for positive values.
    """
    differences = np.array([first, second])
    draws = np.random.default_rng(0).dirichlet(np.ones(len(first)), DRAWS)
    measures = [np.abs(differences)]
    if positive:
        measures.append(np.abs(np.expm1(np.minimum(differences, LARGEST))))
    return tuple(float(np.mean(draws @ (errors[0] - errors[1]) < 0)) for errors in measures)
