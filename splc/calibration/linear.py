"""Bounded linear least squares with columns of very different length, and which of its unknowns are determined."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splc.errors import LearningError
from splc.types import Array

# A column (of length 1) that is nearer than this to the span of the others counts as their combination.
COLLINEAR = 1e-9
# The weight of the preference among equally good solutions, where bounds make it conflict with the fit.
_GENTLE = 1e-6


@dataclass(frozen=True)
class Dependence:
    """The columns of a matrix that are combinations of others."""

    lengths: Array  # the length of each column, shape (k,)
    basis: tuple[int, ...]  # the columns that are not, in order
    dependent: tuple[int, ...]  # columns that are combinations of the basis
    coefficients: Array  # of these combinations, between columns scaled to length 1, shape (basis, dependent)
    zero: tuple[int, ...]  # columns of zeros

    @property
    def directions(self) -> Array:
        """Changes of the unknowns without an effect, shape (k, dependent + zero)."""
        directions = np.zeros((len(self.lengths), len(self.dependent) + len(self.zero)))
        for position, column in enumerate(self.dependent):
            directions[column, position] = 1 / self.lengths[column]
            directions[list(self.basis), position] = -self.coefficients[:, position] / self.lengths[list(self.basis)]
        for position, column in enumerate(self.zero):
            directions[column, len(self.dependent) + position] = 1.0
        return directions


def column_lengths(matrix: Array) -> Array:
    """Return the lengths of columns, without overflow, shape (k,)."""
    largest = np.abs(matrix).max(axis=0, initial=0.0)
    safe = np.where(largest > 0, largest, 1.0)
    lengths: Array = np.linalg.norm(matrix / safe, axis=0) * largest
    return lengths


def dependence(matrix: Array) -> Dependence:
    """Return which columns are combinations of the ones before them. Shape (n, k), finite."""
    lengths = column_lengths(matrix)
    basis: list[int] = []
    dependent: list[int] = []
    combinations: list[Array] = []
    even = matrix / np.where(lengths > 0, lengths, 1.0)
    for column in np.flatnonzero(lengths > 0).tolist():
        known = even[:, basis]
        coefficients = np.linalg.lstsq(known, even[:, column], rcond=None)[0] if basis else np.zeros(0)
        if np.linalg.norm(even[:, column] - known @ coefficients) > COLLINEAR:
            basis.append(column)
            continue
        dependent.append(column)
        combinations.append(np.where(np.abs(coefficients) > 10 * COLLINEAR, coefficients, 0.0))
    padded = np.zeros((len(basis), len(dependent)))
    for position, coefficients in enumerate(combinations):
        padded[: len(coefficients), position] = coefficients
    zero = np.flatnonzero(lengths == 0).tolist()
    return Dependence(lengths, tuple(basis), tuple(dependent), padded, tuple(zero))


def solve(matrix: Array, target: Array, low: Array, high: Array, preferred: Array) -> Array:
    """Return x within bounds that makes |matrix x - target| least; of several the one nearest to the preferred x.

    `matrix`: shape (n, k), finite; its columns may differ in length by any number of magnitudes. `target`: shape (n,),
    finite. `low`: lower bounds, shape (k,), perhaps -inf. `high`: upper bounds, each above its lower one. `preferred`:
    shape (k,), finite.
    """
    from scipy.optimize import lsq_linear

    known = dependence(matrix)
    size = float(column_lengths(target[:, np.newaxis])[0]) or 1.0
    # The change of each unknown that changes the target by its size.
    with np.errstate(over="ignore", invalid="ignore"):
        units = size / np.where(known.lengths > 0, known.lengths, size)
        even, aim = matrix / size * units, target / size
    if not (np.isfinite(units).all() and np.isfinite(even).all() and (units > 0).all()):
        raise LearningError(
            "the measured values are too large or too small beside what the model predicts",
            hint="give benchmarked values (or measurements) in another unit",
        )
    if known.dependent or known.zero:
        # The preference decides along directions without an effect, and has no influence across them.
        directions = np.linalg.qr(known.directions)[0].T
        rows = directions * units
        sizes = np.linalg.norm(rows, axis=1)
        rows, preference = rows / sizes[:, np.newaxis], directions @ preferred / sizes
        free = np.linalg.lstsq(np.vstack([even, rows]), np.concatenate([aim, preference]), rcond=None)[0] * units
        if ((low <= free) & (free <= high)).all():
            return np.asarray(free)
        # With bounds, preference and fit may conflict.
        even, aim = np.vstack([even, _GENTLE * rows]), np.concatenate([aim, _GENTLE * preference])
    with np.errstate(all="ignore"):
        # Bounds that force all columns far beyond the target have an infinite misfit.
        fit = lsq_linear(even, aim, (low / units, high / units), method="bvls", max_iter=100 * len(low), tol=1e-15)
    # A bound is met exactly, so that it can be recognised.
    x = np.where(fit.active_mask < 0, low, np.where(fit.active_mask > 0, high, fit.x * units))
    return np.clip(x, low, high)
