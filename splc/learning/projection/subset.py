"""A sum of selected candidates, fitted to the target by least squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from splc.learning.projection.candidates import Candidates
from splc.learning.projection.decomposition import Decomposition, perpendicular
from splc.learning.projection.nonnegative import nonnegative
from splc.types import Array

# The position of the constant among the candidates.
CONSTANT_PLACE = 0
# A column can be told from others if more than this is left of its squared norm, around the constant and in all.
LEFT_AROUND, LEFT_IN_ALL = 1e-3, 1e-7
# Up to so many columns are left out of a decomposition or added to it; more would take longer than a new one.
MOST_CHANGES = 3
# Moments are differences of inner products only if the residual is at least this share of what they are summed from:
# smaller ones have lost digits.
ACCURATE_SHARE = 1e-4
# Scores whose logarithms agree to this are equal; the canonical order of terms then decides.
SAME_SCORE = 1e-8


@dataclass(frozen=True, eq=False)
class Goal:
    """The values that a sum of candidates is fitted to.

    Attributes:
        candidates: the candidates, which may grow.
        target: the target, shape (m,).
        weight: the sum of the weights of the rows.
        affine: whether every sum contains the constant.
    """

    candidates: Candidates
    target: Array
    weight: float
    affine: bool = False
    _moments: Array = field(default_factory=lambda: np.zeros(0), init=False, repr=False)

    @property
    def moments(self) -> Array:
        """The products of the target with all candidates, which are kept."""
        return _with_further_moments(self, self.candidates, self.target)

    def rms(self, square: float) -> float:
        """Return the root mean square of a sum of squares."""
        return float(np.sqrt(max(square, 0.0) / self.weight))


@dataclass(frozen=True, eq=False)
class Subset:
    """Selected candidates with their coefficients.

    Attributes:
        goal: what they are fitted to.
        chosen: the positions of the candidates.
        coefficients: their coefficients, shape (k,).
        decomposition: that of the columns.
        residual: the target minus the sum, shape (m,).
    """

    goal: Goal
    chosen: tuple[int, ...]
    coefficients: Array
    decomposition: Decomposition
    residual: Array
    _moments: Array = field(default_factory=lambda: np.zeros(0), init=False, repr=False)

    @property
    def basis(self) -> Array:
        """An orthonormal basis of the columns, shape (m, k)."""
        return self.decomposition.basis

    @property
    def inverse(self) -> Array:
        """The inverse of the columns in this basis, shape (k, k)."""
        return self.decomposition.inverse

    @cached_property
    def square(self) -> float:
        """The sum of squared residuals."""
        return float(self.residual @ self.residual)

    @cached_property
    def rms(self) -> float:
        """The root mean square of the residuals."""
        return self.goal.rms(self.square)

    @property
    def moments(self) -> Array:
        """The products of the residual with all candidates; kept, since selection and exchange use them in turn."""
        return _with_further_moments(self, self.goal.candidates, self.residual)

    def moments_from(self, inner: Array) -> Array:
        """Return the moments by the inner products of the chosen candidates with all, (k, candidates): in less time."""
        known = len(self._moments)
        size = float(np.abs(self.coefficients).sum())
        if known < inner.shape[1] and np.sqrt(self.square) >= ACCURATE_SHARE * size:
            further = self.goal.moments[known:] - self.coefficients @ inner[:, known:]
            object.__setattr__(self, "_moments", np.append(self._moments, further))
        return self.moments

    @property
    def terms(self) -> tuple[int, ...]:
        """The positions of the candidates other than the constant."""
        return tuple(position for position in self.chosen if position != CONSTANT_PLACE)

    @cached_property
    def losses(self) -> Array:
        """The increase of the sum of squares without each candidate, shape (k,), if the others may have any sign."""
        found: Array = self.coefficients**2 / (self.inverse**2).sum(axis=1)
        return found

    @cached_property
    def closed_basis(self) -> Array:
        """An orthonormal basis of the columns and the constant, shape (m, k or k + 1)."""
        if CONSTANT_PLACE in self.chosen:
            return self.basis
        constant = self.goal.candidates.columns[CONSTANT_PLACE]
        rest = perpendicular(constant[:, None], self.basis)
        norm = float(np.linalg.norm(rest))
        return np.hstack([self.basis, rest / norm]) if norm**2 > LEFT_IN_ALL else self.basis

    @cached_property
    def own(self) -> Array:
        """The direction of each column that the others do not explain, of norm 1, shape (m, k)."""
        return np.asarray(self.basis @ (self.inverse / np.linalg.norm(self.inverse, axis=1, keepdims=True)).T)

    @cached_property
    def closed_own(self) -> Array:
        """As `own`, where the constant is a further column, shape (m, k + 1)."""
        columns = self.goal.candidates.columns[[*self.chosen, CONSTANT_PLACE]].T
        inverse = np.linalg.inv(self.closed_basis.T @ columns)
        return np.asarray(self.closed_basis @ (inverse / np.linalg.norm(inverse, axis=1, keepdims=True)).T)

    def pseudo_inverse(self) -> Array:
        """Return the matrix, shape (k, m), that maps a target to coefficients of any sign."""
        return np.asarray(self.inverse @ self.basis.T)

    def without(self, position: int) -> Subset:
        """Return the subset without a candidate, fitted again."""
        return fitted(self.goal, [each for each in self.chosen if each != position], self)


def _with_further_moments(owner: Goal | Subset, candidates: Candidates, vector: Array) -> Array:
    """Return the products of a vector with all candidates; those of candidates that were added are kept, too."""
    known, columns = owner._moments, candidates.columns
    if len(known) < len(columns):
        known = np.append(known, columns[len(known) :] @ vector)
        object.__setattr__(owner, "_moments", known)
    return known


def fitted(goal: Goal, chosen: Sequence[int], near: Subset | None = None) -> Subset:
    """Return candidates fitted to a target; those whose influence would have a wrong sign are left out.

    Args:
        goal: the target and the candidates.
        chosen: the positions of linearly independent candidates.
        near: a subset that shares candidates with it.
    """
    candidates = goal.candidates
    known = {} if near is None else dict(zip(near.chosen, near.coefficients.tolist(), strict=True))
    chosen = tuple(chosen)
    while True:
        places = list(chosen)
        free = candidates.free[places]
        own = _decomposition(candidates, places, near)
        moments = own.basis.T @ goal.target
        coefficients = own.inverse @ moments
        wrong = ~free & (coefficients <= 0)
        if not wrong.any():
            return Subset(goal, chosen, coefficients, own, goal.target - own.basis @ moments)
        start = np.array([max(known.get(each, 0.0), 0.0) if not candidates.free[each] else 0.0 for each in places])
        start = np.where(free, [known.get(each, 0.0) for each in places], start)
        kept = nonnegative(own.coordinates.T @ own.coordinates, own.coordinates.T @ moments, free, start)
        stays = free | (kept > 0)
        # Roundoff may leave a wrong sign that the active set does not see.
        stays = stays if not stays.all() else ~wrong
        chosen = tuple(each for each, stay in zip(chosen, stays.tolist(), strict=True) if stay)


def _decomposition(candidates: Candidates, places: Sequence[int], near: Subset | None) -> Decomposition:
    """Return the decomposition of candidates; that of a subset with nearly the same ones is changed."""
    new = [place for place in places if near is None or place not in near.chosen]
    if near is None or len(near.chosen) - len(places) + 2 * len(new) > MOST_CHANGES:
        return Decomposition.of(candidates.columns[list(places)].T)
    own, chosen = near.decomposition, list(near.chosen)
    for gone in [place for place in chosen if place not in places]:
        own = own.without(chosen.index(gone))
        chosen.remove(gone)
    for place in new:
        own = own.extended(candidates.columns[place])
    chosen += new
    return own if chosen == list(places) else own.reordered([chosen.index(place) for place in places])


def ranked(scores: Array, candidates: Candidates, most: int) -> Array:
    """Return the positions of the largest positive scores, descending; equal scores are in canonical order."""
    positive = np.flatnonzero(scores > 0)
    wanted = min(most, len(positive))
    if wanted == 0:
        return positive
    values = scores[positive]
    top = positive[values >= np.partition(values, len(values) - wanted)[len(values) - wanted] * (1 - SAME_SCORE)]
    rounded = np.round(np.log(scores[top]) / SAME_SCORE)
    order = np.argsort(-rounded)
    if (np.diff(rounded[order]) == 0).any():
        order = np.array(sorted(range(len(top)), key=lambda at: (-rounded[at], candidates.name(int(top[at])))))
    return np.asarray(top[order])


def distinguishable(goal: Goal, places: Array, left: Array) -> Array:
    """Return whether candidates can be told from the columns that were projected out.

    Args:
        goal: the candidates.
        places: positions of candidates.
        left: the rest of their squared norms.
    """
    around = goal.candidates.around[places]
    # The constant itself has nothing around the constant.
    return np.asarray((left > np.where(places == CONSTANT_PLACE, 0.0, LEFT_AROUND * around)) & (left > LEFT_IN_ALL))
