"""Linear regression on columns that may depend on each other: rank, covariance, and Student's t distribution.

Columns that are added one at a time are kept orthogonal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np

from splc.types import Array

RANK = 1e-10  # a direction in which columns of length 1 are shorter, relative to the longest one, is rounding only
OUTSIDE = 1e-7  # a coefficient is not determined if more than this of its direction changes nothing at the rows
MAX_FREEDOM = 100  # quantiles of more degrees of freedom are scipy's, whose import takes longer than this sum
NORMAL_QUANTILE = 1.645  # the 95 % quantile of the normal distribution, for 90 % intervals


def least_squares(columns: Array, target: Array) -> Array:
    """Return the coefficients of the least-squares fit of minimum norm, (terms,), for columns of length 1."""
    scales = lengths_of(columns)
    solution = np.linalg.lstsq(columns / scales, target, rcond=None)[0]
    return np.asarray(solution / scales)


def lengths_of(columns: Array) -> Array:
    """Return the length of each column, 1 for columns of zeros."""
    scales = np.linalg.norm(columns, axis=0)
    return np.where(scales == 0, 1.0, scales)


@dataclass(frozen=True, eq=False)
class Regression:
    """A least-squares fit with its uncertainty; arrays are read-only."""

    coefficients: Array  # the coefficients, of minimum norm for columns of length 1, shape (terms,)
    scales: Array  # the length of each column, shape (terms,); 1 where it is 0
    root: Array  # shape (terms, rank): root · rootᵀ is the covariance of the coefficients times `scales`
    undetermined: Array  # orthonormal directions of coefficients · `scales` that change nothing, (terms, terms - rank)
    deviation: float  # the standard deviation of the values around the fit; NaN without degrees of freedom
    freedom: int  # the degrees of freedom, n - rank

    def __post_init__(self) -> None:
        for name in ("coefficients", "scales", "root", "undetermined"):
            getattr(self, name).setflags(write=False)

    @classmethod
    def of(cls, columns: Array, target: Array) -> Regression:
        """Fit columns, shape (n, terms), to a target, shape (n,)."""
        # Columns of powers and of logarithms differ greatly in length; the rank must not depend on it.
        scales = lengths_of(columns)
        Q, R = np.linalg.qr(columns / scales)
        U, singular, Vt = np.linalg.svd(R)
        rank = int((singular > RANK * singular.max(initial=0.0)).sum())
        basis, directions = Q @ U[:, :rank], Vt[:rank].T / singular[:rank]
        parts = basis.T @ target
        freedom = len(target) - rank
        length = float(np.linalg.norm(target - basis @ parts))
        deviation = length / math.sqrt(freedom) if freedom else math.nan
        return cls(directions @ parts / scales, scales, deviation * directions, Vt[rank:].T, deviation, freedom)

    @cached_property
    def determined(self) -> Array:
        """Whether the rows determine a coefficient, shape (terms,)."""
        return self.determines(np.diag(self.scales))

    def determines(self, weights: Array) -> Array:
        """Return whether the rows determine sums of the coefficients with weights, shape (k, terms); shape (k,)."""
        weights = weights / self.scales
        outside = np.linalg.norm(weights @ self.undetermined, axis=-1)
        return np.asarray(outside <= OUTSIDE * np.linalg.norm(weights, axis=-1))

    @property
    def errors(self) -> Array:
        """The standard errors of the coefficients, shape (terms,); of those that are determined."""
        return self.errors_of(np.eye(len(self.scales)))

    def errors_of(self, weights: Array) -> Array:
        """Return the standard errors of sums of the coefficients with weights, shape (k, terms); shape (k,)."""
        return np.asarray(np.linalg.norm(weights / self.scales @ self.root, axis=-1))


def t_quantile(freedom: int, probability: float) -> float:
    """Return the quantile of a probability above 0.5 of Student's t distribution."""
    if freedom > MAX_FREEDOM:
        from scipy.special import stdtrit

        return float(stdtrit(freedom, probability))
    # Bisection of the angle whose tangent is t / sqrt(freedom).
    low, high = 0.0, math.pi / 2
    while (middle := (low + high) / 2) not in (low, high):
        if _inside(freedom, middle) < 2 * probability - 1:
            low = middle
        else:
            high = middle
    return math.sqrt(freedom) * math.tan(high)


def sign_probability(value: float, error: float, freedom: int | None = None) -> float:
    """Return the probability that a value with a standard error has its sign; `freedom`: None is normal."""
    if not error > 0:
        return 0.5 if value == 0 or math.isnan(error) else 1.0
    # Further away the distribution functions are 1.
    ratio = abs(value) / error
    if freedom is None:
        return NormalDist().cdf(min(ratio, 40.0)) if math.isfinite(ratio) else 0.5
    return (1 + _inside(freedom, math.atan(ratio / math.sqrt(freedom)))) / 2


def _inside(freedom: int, angle: float) -> float:
    """Return the probability of |t| below sqrt(freedom) tan(angle) (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    square = math.cos(angle) ** 2
    odd = freedom % 2
    term, total = 1.0, 0.0
    for step in range(1 + odd, freedom, 2):
        total += term
        term *= step / (step + 1) * square
    if not odd:
        return math.sin(angle) * total
    return 2 / math.pi * (angle + math.sin(angle) * math.cos(angle) * total)


class OrthogonalFit:
    """A least-squares fit that grows by a column at a time (Gram-Schmidt with reorthogonalisation)."""

    def __init__(self, target: Array, fitted: Array | None = None) -> None:
        self.target = target.astype(float)  # the values to fit, shape (n,)
        # 1 for the rows that are fitted, 0 for others, to which the basis is extended, shape (n,); None: all are fitted
        self.fitted = fitted
        # a basis of the columns, orthonormal at the fitted rows, shape (columns, n), and with 0 at the others
        self.basis = self.inner = np.empty((0, len(target)))
        self.triangle: Array = np.zeros((0, 0))  # the columns in this basis, upper triangular
        self.parts: Array = np.zeros(0)  # the components of the values along the basis, shape (columns,)
        self.residual: Array = self.target.copy()  # the values less the fit, shape (n,)

    def counted(self, vectors: Array) -> Array:
        """Return vectors, shape (…, n), with 0 at the rows that are not fitted."""
        return vectors if self.fitted is None else vectors * self.fitted

    def outside(self, columns: Array) -> Array:
        """Return the parts of columns, shape (…, n), that are outside of the span of those that were added."""
        return columns - columns @ self.inner.T @ self.basis

    def add(self, column: Array, least: float = 0.0) -> bool:
        """Add a column, (n,), if more than `least` of its length is outside of the span; return whether it was."""
        direction = self.outside(self.outside(column))
        length = float(np.linalg.norm(self.counted(direction)))
        if length <= least:
            return False
        last = np.append(self.inner @ column, length)[:, None]
        self.triangle = np.hstack([np.vstack([self.triangle, np.zeros((1, len(last) - 1))]), last])
        direction = direction / length
        self.basis = np.vstack([self.basis, direction])
        self.inner = self.basis if self.fitted is None else np.vstack([self.inner, self.counted(direction)])
        self.parts = np.append(self.parts, self.inner[-1] @ self.residual)
        self.residual = self.residual - self.parts[-1] * direction
        return True

    @property
    def coefficients(self) -> Array:
        """The coefficients of the columns, shape (columns,)."""
        return np.linalg.solve(self.triangle, self.inner @ self.target)


def independent(columns: Array, least: float) -> list[int]:
    """Return the columns, (n, columns), with more than `least` of their length outside of the span of earlier ones."""
    lengths = np.linalg.norm(columns, axis=0)
    fit = OrthogonalFit(np.zeros(len(columns)))
    return [at for at in np.flatnonzero(lengths).tolist() if fit.add(columns[:, at] / lengths[at], least)]
