"""Forward selection for several targets in lock step (docs/decisions/0010-printed-model.md).

The targets are the predictions of the full model and of the models of its folds. Every target selects terms of its own.
All share the columns of the candidates, so that one matrix product per step serves all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from splc.learning.projection.candidates import CONSTANT_PLACE, Candidates
from splc.models.basis.orthogonal_fit import OrthogonalFit
from splc.types import Array

# Scores that agree to this are equal; the canonical order of terms then decides.
SAME_SCORE = 1e-7
# The square of the residual's share of the target below which nothing but roundoff is left.
NOTHING_LEFT = 1e-20
# A norm that Gram-Schmidt leaves of a column of norm 1, below which it depends on the others.
_DEPENDENT = 1e-4


@dataclass(eq=False)
class TermSelection:
    """The terms that were selected for one target."""

    candidates: Candidates  # the candidates
    target: Array  # the target, shape (m,)
    # the positions of the selected candidates, in the order of selection
    chosen: list[int] = field(default_factory=list)
    sets: list[tuple[int, ...]] = field(default_factory=list)  # what was selected after each step
    squares: list[float] = field(default_factory=list)  # the sums of squared residuals after each step

    def __post_init__(self) -> None:
        self._moments = self._left = np.zeros(0)
        self._restart()

    def next(self) -> int | None:
        """Return the position of the best further candidate, None if there is none."""
        residual = self._fit.residual
        if residual @ residual <= NOTHING_LEFT * (self.target @ self.target):
            return None
        candidates, moments = self.candidates, self._moments
        fine = self._left > candidates.limits
        if candidates.signed:
            fine &= candidates.free | (moments > 0)
        scores = np.divide(moments**2 * candidates.penalties, self._left, out=np.zeros(len(fine)), where=fine)
        best = float(scores.max())
        if best <= NOTHING_LEFT * float(self.target @ self.target):
            return None
        return min(np.flatnonzero(scores >= best * (1 - SAME_SCORE)).tolist(), key=self.candidates.name)

    def select(self, position: int) -> Array | None:
        """Add a candidate and return its direction besides the others, shape (m,); None if it depends on them."""
        if not self._fit.add(self.candidates.columns[position], _DEPENDENT):
            return None
        self.chosen.append(position)
        return np.asarray(self._fit.basis[-1])

    def update(self, along: Array) -> None:
        """Update the moments of the candidates with the products of the last direction with all of them."""
        self._moments -= self._fit.parts[-1] * along
        self._left -= along**2

    def end_step(self) -> None:
        """Drop terms whose influence has a wrong sign, and keep what is selected."""
        if self.candidates.signed:
            valid_terms, _ = with_right_signs(self.candidates, self.chosen, self.target)
            if len(valid_terms) < len(self.chosen):
                self.chosen = valid_terms
                self._restart()
        self.sets.append(tuple(self.chosen))
        self.squares.append(float(self._fit.residual @ self._fit.residual))

    def extend(self) -> None:
        """Compute the moments of candidates that were added."""
        known_count = len(self._moments)
        if known_count < len(self.candidates):
            moments, residual_norms = self._products(self.candidates.columns[known_count:])
            self._moments, self._left = np.append(self._moments, moments), np.append(self._left, residual_norms)

    def _restart(self) -> None:
        """Compute everything again for the selected terms."""
        self._fit = OrthogonalFit(self.target)
        selected, self.chosen = self.chosen, []
        for position in selected:
            self.select(position)
        self._moments, self._left = self._products(self.candidates.columns)

    def _products(self, columns: Array) -> tuple[Array, Array]:
        """Return the products of columns, shape (q, m), with the residual, and the rest of their squared norms."""
        projected = self._fit.basis @ columns.T
        return columns @ self._fit.residual, 1 - np.einsum("ij,ij->j", projected, projected)


def with_right_signs(candidates: Candidates, chosen: Sequence[int], target: Array) -> tuple[list[int], Array]:
    """Return candidates, without those whose influence is wrong, and the coefficients that fit a target best.

    The most negative bounded influence is dropped until none is negative.

    `target`: the target, shape (m,).
    """
    candidate_list = list(chosen)
    columns = candidates.columns[candidate_list]
    gram, moments, is_free = columns @ columns.T, columns @ target, candidates.free[candidate_list]
    indices = np.arange(len(candidate_list))
    while True:
        coefficients = np.linalg.solve(gram[indices][:, indices], moments[indices])
        violations = np.where(is_free[indices], 0.0, coefficients)
        if violations.min(initial=0.0) >= 0:
            return [candidate_list[index] for index in indices.tolist()], coefficients
        indices = np.delete(indices, int(np.argmin(violations)))


def forward(candidates: Candidates, targets: Array, steps: int) -> list[TermSelection]:
    """Return what is selected for each target.

    `targets`: the targets, shape (targets, m).
    """
    selections = [TermSelection(candidates, target) for target in targets]
    for step in range(steps):
        new_positions: list[int] = []
        moving: list[TermSelection] = []
        directions: list[Array] = []
        for selection in selections:
            first = step == 0 and not candidates.signed
            position = CONSTANT_PLACE if first else selection.next()
            direction = None if position is None else selection.select(position)
            if position is not None and direction is not None:
                new_positions.append(position)
                moving.append(selection)
                directions.append(direction)
        if not moving:
            break
        for selection, products in zip(moving, np.array(directions) @ candidates.columns.T, strict=True):
            selection.update(products)
            selection.end_step()
        candidates.add_heirs(sorted(set(new_positions)))
        for selection in selections:
            selection.extend()
    return selections
