"""The search of terms for one target: forward and backward (docs/decisions/0010-printed-model.md).

In: candidates, and targets, which are the predictions of the full model and of the models of its folds. Out: the terms
that are selected one after another (`forward`; all targets share the columns of the candidates, so that one matrix
product per step serves all of them), and the best terms of each size (`models_of_sizes`). Signs are bounded by
`nonnegative` (Lawson and Hanson 1974, chapter 23).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from splc.learning.projection.columns import CONSTANT_PLACE, Candidates
from splc.models.basis.regression import OrthogonalFit
from splc.types import Array

TOLERANCE = 1e-11  # a gradient below this, for columns and a target of unit norm, is roundoff
SAME_SCORE = 1e-7  # scores that agree to this are equal; the canonical order of terms then decides
NOTHING_LEFT = 1e-20  # the square of the residual's share of the target below which nothing but roundoff is left
_DEPENDENT = 1e-4  # a norm that Gram-Schmidt leaves of a column of norm 1, below which it depends on the others
ROUNDOFF = 1e-13  # a larger model must lower the sum of squares by this share of that of the target: less is roundoff
SAME_LOSS = 1e-8  # losses that agree to this are equal; the canonical order of terms then decides
FURTHER_STEPS = 8  # backward elimination from a longer path repairs early mistakes


def nonnegative(gram: Array, moments: Array, free: Array) -> Array:
    """Return b, shape (k,), that minimises b'Gb/2 - h'b, with b >= 0 where it is not free."""
    coefficients, passive = np.zeros(len(moments)), free.copy()
    entered = -1
    limit = TOLERANCE * max(float(np.abs(moments).max(initial=0.0)), 1e-300)
    for _ in range(3 * len(moments) + 3):
        while passive.any():
            trial, some = np.zeros(len(moments)), gram[np.ix_(passive, passive)]
            try:
                trial[passive] = np.linalg.solve(some, moments[passive])
            except np.linalg.LinAlgError:
                trial[passive] = np.linalg.lstsq(some, moments[passive])[0]
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


@dataclass(eq=False)
class TermSelection:
    """The terms that were selected for one target."""

    candidates: Candidates  # the candidates
    target: Array  # the target, shape (m,)
    chosen: list[int] = field(default_factory=list)  # the positions of the selected candidates, in order of selection
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

    def end_step(self, along: Array) -> None:
        """Update the moments by the products of the last direction with all candidates, and drop wrong signs."""
        self._moments -= self._fit.parts[-1] * along
        self._left -= along**2
        if self.candidates.signed:
            right = with_right_signs(self.candidates, self.chosen, self.target)
            if len(right) < len(self.chosen):
                self.chosen = right
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


def with_right_signs(candidates: Candidates, chosen: Sequence[int], target: Array) -> list[int]:
    """Return candidates without the most negative bounded influence in the fit of a target, until none is negative."""
    kept = np.array(chosen, dtype=int)
    columns = candidates.columns[kept]
    gram, moments, indices = columns @ columns.T, columns @ target, np.arange(len(kept))
    while True:
        coefficients = np.linalg.solve(gram[indices][:, indices], moments[indices])
        violations = np.where(candidates.free[kept[indices]], 0.0, coefficients)
        if violations.min(initial=0.0) >= 0:
            return [chosen[index] for index in indices.tolist()]
        indices = np.delete(indices, int(np.argmin(violations)))


def forward(candidates: Candidates, targets: Array, steps: int) -> list[TermSelection]:
    """Return what is selected for each target; they have the shape (targets, m)."""
    selections = [TermSelection(candidates, target) for target in targets]
    for step in range(steps):
        added: list[tuple[TermSelection, int, Array]] = []
        for selection in selections:
            first = step == 0 and not candidates.signed
            position = CONSTANT_PLACE if first else selection.next()
            direction = None if position is None else selection.select(position)
            if position is not None and direction is not None:
                added.append((selection, position, direction))
        if not added:
            break
        products = np.array([direction for _, _, direction in added]) @ candidates.columns.T
        for (selection, _, _), along in zip(added, products, strict=True):
            selection.end_step(along)
        candidates.add_heirs(sorted({position for _, position, _ in added}))
        for selection in selections:
            selection.extend()
    return selections


def models_of_sizes(selection: TermSelection, most: int) -> list[tuple[int, ...]]:
    """Return the terms of the best model of each size from 1 to `most`, by forward selection or backward elimination.

    A size that is not better than the one below has its model; the smallest one is the constant, or empty if influences
    are bounded.
    """
    total_square = float(selection.target @ selection.target)
    best: dict[int, tuple[float, tuple[int, ...]]] = {}
    forward = zip(selection.sets, selection.squares, strict=True)
    backward = descent(selection.candidates, selection.sets[-1], selection.target) if selection.sets else ()
    for terms, square in (*forward, *backward):
        size = len(terms)
        if size <= most and (size not in best or square < best[size][0] - ROUNDOFF * total_square):
            best[size] = square, terms
    models: list[tuple[int, ...]] = []
    least_square = total_square
    last: tuple[int, ...] = () if selection.candidates.signed else (CONSTANT_PLACE,)
    for size in range(1, most + 1):
        square, terms = best.get(size, (np.inf, ()))
        if square < least_square - ROUNDOFF * total_square:
            least_square, last = square, terms
        models.append(last)
    return models


def descent(candidates: Candidates, chosen: tuple[int, ...], target: Array) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield what backward elimination leaves of terms, with the sums of squares, one after the other."""
    terms = np.array(chosen, dtype=int)
    columns = candidates.columns[terms]
    inverse, moments = np.linalg.inv(columns @ columns.T), columns @ target
    coefficients = inverse @ moments
    square = float(target @ target - moments @ coefficients)
    while len(terms) > 1:
        losses, names = coefficients**2 / np.diag(inverse), [candidates.name(term) for term in terms.tolist()]
        if not candidates.signed:
            losses = np.where(terms == CONSTANT_PLACE, np.inf, losses)
        least = np.flatnonzero(losses <= losses.min() * (1 + SAME_LOSS) + 1e-30)
        dropped: int | None = max(least.tolist(), key=names.__getitem__)
        while dropped is not None:
            square += float(coefficients[dropped] ** 2 / inverse[dropped, dropped])
            is_kept = np.arange(len(terms)) != dropped
            reduced_inverse = inverse - np.outer(inverse[dropped], inverse[dropped]) / inverse[dropped, dropped]
            terms, moments, inverse = terms[is_kept], moments[is_kept], reduced_inverse[is_kept][:, is_kept]
            coefficients = inverse @ moments
            # The most negative of the bounded influences is dropped, too.
            violations = np.where(candidates.free[terms], 0.0, coefficients)
            dropped = int(np.argmin(violations)) if violations.min(initial=0.0) < 0 else None
        yield tuple(terms.tolist()), square
