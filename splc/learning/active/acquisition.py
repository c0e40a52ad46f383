"""The acquisition function of a search for the optimum: the logarithm of the expected improvement."""

from __future__ import annotations

import numpy as np

from splc.types import Array

# Where the density of a normal distribution is too small, the asymptotic formula is used; without it the worth of all
# candidates underflows, and ties decide.
_FAR = -6.0


def log_improvements(means: Array, deviations: Array, best: float) -> Array:
    """Return the logarithm of how far below `best` normally distributed values are expected to be, shape (m,).

    `means`: their means, shape (m,). `deviations`: their standard deviations, shape (m,).
    """
    from scipy.special import ndtr

    deviations = np.maximum(deviations, 1e-9)
    u = (best - means) / deviations
    near = np.maximum(u, _FAR)
    density = np.exp(-(near**2) / 2) / np.sqrt(2 * np.pi)
    far = np.minimum(u, _FAR)
    tail = -(far**2) / 2 - np.log(2 * np.pi) / 2 - 2 * np.log(-far)
    result: Array = np.log(deviations) + np.where(u < _FAR, tail, np.log(near * ndtr(near) + density))
    return result
