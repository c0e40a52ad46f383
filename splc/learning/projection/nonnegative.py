"""Least squares in which some coefficients must not be negative (Lawson and Hanson 1974, chapter 23)."""

from __future__ import annotations

import numpy as np

from splc.types import Array

# A gradient below this, for columns and a target of unit norm, is roundoff.
TOLERANCE = 1e-11


def nonnegative(gram: Array, moments: Array, free: Array, start: Array | None = None) -> Array:
    """Return the coefficients b, shape (k,), that minimise b'Gb/2 - h'b, with b >= 0 where they are not free.

    `gram`: the Gram matrix G of columns of about unit norm, shape (k, k). `moments`: the products h of the columns with
    the target, shape (k,). `free`: whether each coefficient may be negative, shape (k,). `start`: coefficients to start
    from, which satisfy the signs; by default 0.
    """
    coefficients = np.zeros(len(moments)) if start is None else start.astype(float)
    passive = free | (coefficients > 0)
    entered = -1
    limit = TOLERANCE * max(float(np.abs(moments).max(initial=0.0)), 1e-300)
    for _ in range(3 * len(moments) + 3):
        while passive.any():
            passive_indices = np.flatnonzero(passive)
            trial = np.zeros(len(moments))
            trial[passive_indices] = _solve(gram[np.ix_(passive_indices, passive_indices)], moments[passive_indices])
            violated = passive & ~free & (trial <= 0)
            if not violated.any():
                coefficients = trial
                break
            if entered >= 0 and violated[entered] and coefficients[entered] == 0:
                # By roundoff, the column that was added would be removed at once.
                return coefficients
            steps = coefficients[violated] / (coefficients[violated] - trial[violated])
            coefficients = coefficients + steps.min() * (trial - coefficients)
            coefficients[np.flatnonzero(violated)[steps <= steps.min()]] = 0.0
            coefficients[~free & (coefficients < 0)] = 0.0
            passive &= free | (coefficients > 0)
            entered = -1
        gradient = np.where(passive, -np.inf, moments - gram @ coefficients)
        entered = int(np.argmax(gradient)) if len(gradient) else -1
        if entered < 0 or gradient[entered] <= limit:
            break
        passive[entered] = True
    return coefficients


def _solve(gram: Array, moments: Array) -> Array:
    try:
        return np.asarray(np.linalg.solve(gram, moments))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(gram, moments)[0])
