"""The k-exchange algorithm for D-optimal designs."""

from __future__ import annotations

import numpy as np

from sampling.space.ranks import distinct_ranks
from splc.types import Array

_GAIN = 1e-9
# Numbers that differ by less are equal: symmetric candidates are, except for rounding, which depends on the machine.
_TIE = 1e-9
_RIDGE = 1e-6
_SWEEPS = 10_000


def exchanged(X: Array, n: int, k: int, rng: np.random.Generator) -> Array:
    """Return n distinct rows of `X` of which no single exchange for another row increases det(X'X).

    Johnson, Nachtsheim: "Some guidelines for constructing exact D-optimal designs on convex design spaces",
    Technometrics 25 (1983): of a random design, the k rows with the least prediction variance are exchanged, each for
    the row that increases the determinant most (Fedorov's delta). If none of the k can be exchanged, all are tried.

    `X`: the candidates, shape (candidates, terms), of full column rank. Returns: Ascending positions, shape (n,).
    """
    design = np.array(distinct_ranks(len(X), n, rng))
    # A random design may be singular. A small share of the candidates' information makes its determinant positive.
    ridge = _RIDGE * (X.T @ X) / len(X)
    design = _improved(X, design, k, ridge)
    if np.linalg.matrix_rank(X[design]) == X.shape[1]:
        design = _improved(X, design, k, np.zeros_like(ridge))
    return np.sort(design)


def log_determinant(X: Array) -> float:
    """Return log det(X'X), minus infinity if it is singular."""
    sign, value = np.linalg.slogdet(X.T @ X)
    return float(value) if sign > 0 else float("-inf")


def _improved(X: Array, design: Array, k: int, ridge: Array) -> Array:
    """Return a design of which no exchange increases det(X'X + ridge)."""
    design = design.copy()
    everything = False
    for _ in range(_SWEEPS):
        # Computed anew in each sweep, so that rounding errors of updates do not add up.
        inverse = np.linalg.inv(X[design].T @ X[design] + ridge)
        variances = np.einsum("ij,ij->i", X @ inverse, X)
        used = np.zeros(len(X), dtype=bool)
        used[design] = True
        order = np.argsort(np.round(variances[design] / variances.max() / _TIE), kind="stable")
        swapped = False
        for position in order if everything else order[:k]:
            row = design[position]
            covariances = X @ (inverse @ X[row])
            variance = variances[row]
            gains = variances - variance * variances + covariances**2 - variance
            gains[used] = -np.inf
            best = gains.max()
            if best <= _GAIN:
                continue
            other = int(np.argmax(gains >= best * (1 - _TIE)))
            swapped = True
            design[position] = other
            used[row], used[other] = False, True
            for added, sign in ((other, 1.0), (row, -1.0)):
                direction = inverse @ X[added]
                scale = sign / (1 + sign * (X[added] @ direction))
                inverse -= scale * np.outer(direction, direction)
                variances -= scale * (X @ direction) ** 2
        if not swapped and (everything or k >= len(design)):
            break
        everything = not swapped
    return design
