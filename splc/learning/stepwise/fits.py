"""Fits, losses, and the candidate that wins a round: all candidates are fitted together, without separate fits.

In: the columns of heads and atoms (`Projection`). Out: the winner (`Scorer`).

The columns of the model are kept as an orthonormal basis Q (`OrthogonalFit`). Adding a candidate c to the model changes
its least-squares fit by t·c⊥, where c⊥ = c - Q Qᵀc and t = rᵀc / |c⊥|², r the residual. A candidate's column is
head ∘ atom, so that all products with a vector v are one matrix product Aᵀ(H ∘ v).

A convex loss L lies above its tangent: L(r - t·c⊥) ≥ L(r) - t·(s·c⊥) with s a subgradient at r. The right-hand side
needs matrix products only and excludes most candidates; the others are evaluated exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from splc.errors import LearningError
from splc.learning.stepwise.candidates import Candidate, CandidateGrid
from splc.learning.stepwise.settings import Settings
from splc.models.basis.regression import OrthogonalFit
from splc.models.terms import Term
from splc.types import Array

# A candidate is collinear with the model if less than this fraction of its length is outside of the model's span.
COLLINEAR = 1e-8
# Below this fraction, a squared length after projection that is a difference of squares is inaccurate.
DOUBTFUL = 1e-6
BLOCK = 4096
# Scores that differ by less than this fraction of the error differ by rounding only and are ties.
TIE = 1e-9
# Elements of the largest intermediate array of an exact evaluation.
CHUNK = 4_000_000


def rows_that_count(target: Array, settings: Settings) -> Array:
    """Return the rows that the loss is a mean over, shape (n,)."""
    relative = settings.lossFunction == "RELATIVE"
    return rows_with_error(target, settings) if relative else np.ones(len(target), dtype=bool)


def rows_with_error(target: Array, settings: Settings) -> Array:
    """Return the rows whose relative error counts, shape (n,)."""
    return target >= settings.leastValue if settings.leastValue else target != 0


@dataclass(frozen=True, eq=False)
class Loss:
    """A mean over rows of a function of the residual."""

    weights: Array  # shape (n,), the weight of each row, 1/n included
    squared: bool  # whether residuals are squared (else their absolute values count)
    # rows with an unweighted loss up to this value count 0; None: no tube, so that the loss is convex, and its tangent
    # bounds the gain of a candidate
    tube: Array | None
    exact: float  # the largest loss that is only a rounding error

    @classmethod
    def of(cls, target: Array, settings: Settings) -> Loss:
        """Return the loss that the settings ask for."""
        n = len(target)
        epsilon = settings.epsilon if settings.considerEpsilonTube else None
        if settings.lossFunction == "RELATIVE":
            is_counted = rows_that_count(target, settings)
            if not is_counted.any():
                least = settings.leastValue
                reason = f"below {least:g}, the setting leastValue" if least else "0, which have no relative error"
                hint = "choose the setting lossFunction=ABSOLUTE (--set) or another property"
                raise LearningError(f"all values are {reason}", hint=hint)
            weights = np.zeros(n)
            weights[is_counted] = 100.0 / (np.abs(target[is_counted]) * is_counted.sum())
            tube = None if epsilon is None else np.abs(target) * epsilon
            return cls(weights, False, tube, 1e-9)
        tube = None if epsilon is None else np.full(n, epsilon)
        scale = float(np.mean(np.abs(target)))
        if settings.lossFunction == "ABSOLUTE":
            return cls(np.full(n, 1.0 / n), False, tube, 1e-11 * scale)
        tube = None if tube is None else np.sqrt(tube)
        return cls(np.full(n, 1.0 / n), True, tube, 1e-22 * float(np.mean(target**2)))

    def of_residuals(self, residuals: Array) -> Array:
        """Return the loss of each row of residuals (shape (m, n) → (m,)); `residuals` is overwritten."""
        np.abs(residuals, out=residuals)
        if self.tube is not None:
            residuals[residuals <= self.tube] = 0.0
        if self.squared:
            np.square(residuals, out=residuals)
        return residuals @ self.weights

    def slope(self, residual: Array) -> Array:
        """Return a subgradient with respect to the residual, shape (n,)."""
        if self.squared:
            return 2.0 * self.weights * residual
        return self.weights * np.sign(residual)


class ColumnTable:
    """The columns of some rows of the data: atoms, heads, and the fit of the model, each variable one contiguous row.

    `atoms`: shape (atoms, n). `target`: shape (n,).
    """

    def __init__(self, atoms: Array, target: Array) -> None:
        self.atoms = np.ascontiguousarray(atoms, dtype=float)
        self.fit = OrthogonalFit(target.astype(float))
        self.heads: Array = np.empty((0, len(target)))

    def columns(self, heads: Array, atoms: Array) -> Array:
        """Return the columns of cells, shape (m, n)."""
        return np.asarray(self.heads[heads] * self.atoms[atoms])

    def products(self, vector: Array, heads: Array | None = None) -> Array:
        """Return the product of every cell's column, of some or all heads, with a vector, shape (heads, atoms)."""
        heads = self.heads if heads is None else heads
        total = np.zeros((len(heads), len(self.atoms)))
        for start in range(0, len(vector), BLOCK):
            block = slice(start, start + BLOCK)
            total += (heads[:, block] * vector[block]) @ self.atoms[:, block].T
        return total


class Projection:
    """The least-squares fit of a growing model on some rows, and its loss on some (the same or other) rows.

    `atoms`: the columns of atoms, shape (atoms, n). `target`: shape (n,). `fitted`, `judged`: rows that are fitted, and
    that are judged by the loss of the settings.
    """

    def __init__(
        self, atoms: Array, target: Array, settings: Settings, fitted: slice | Array, judged: slice | Array
    ) -> None:
        self._rows = fitted, judged
        self.same = fitted is judged
        self.fitted = ColumnTable(atoms[:, fitted], target[fitted])
        self.judged = self.fitted if self.same else ColumnTable(atoms[:, judged], target[judged])
        self.loss = Loss.of(self.judged.fit.target, settings)
        self._squares: Array = self.fitted.atoms**2
        # For every cell (head, atom) with column c: |c|², Qᵀc, |Qᵀc|² and rᵀc.
        self.lengths: Array = np.zeros((0, len(atoms)))
        self.shadows: Array = np.zeros((0, 0, len(atoms)))
        self.covered: Array = np.zeros((0, len(atoms)))
        self.toward: Array = np.zeros((0, len(atoms)))

    def add_heads(self, columns: Array) -> None:
        """Add heads (columns of shape (heads, n)): their products with all atoms are candidates from now on."""
        fitted, (fitted_rows, judged_rows) = self.fitted, self._rows
        if not self.same:
            self.judged.heads = np.concatenate([self.judged.heads, columns[:, judged_rows]])
        columns = columns[:, fitted_rows]
        lengths = np.concatenate([columns[i : i + 64] ** 2 @ self._squares.T for i in range(0, len(columns), 64)])
        # One matrix product for a single head, as in every round; one per vector for thousands of heads.
        basis = fitted.fit.basis
        if len(columns) == 1:
            shadows = ((basis * columns[0]) @ fitted.atoms.T)[:, np.newaxis]
        else:
            shadows = np.array([fitted.products(vector, columns) for vector in basis])
            shadows = shadows.reshape(len(basis), *lengths.shape)
        self.lengths = np.concatenate([self.lengths, lengths])
        self.shadows = np.concatenate([self.shadows, shadows], axis=1)
        self.covered = np.concatenate([self.covered, (shadows**2).sum(axis=0)])
        self.toward = np.concatenate([self.toward, fitted.products(fitted.fit.residual, columns)])
        fitted.heads = np.concatenate([fitted.heads, columns])

    def add_term(self, column: Array) -> None:
        """Add a term to the model (its column, shape (n,), must not be collinear with the model)."""
        fitted, judged, (fitted_rows, judged_rows) = self.fitted.fit, self.judged.fit, self._rows
        fitted.add(column[fitted_rows])
        direction, amount = fitted.basis[-1], float(fitted.parts[-1])
        if not self.same:
            *shadow, length = fitted.triangle[:, -1]
            judged.append((column[judged_rows] - shadow @ judged.basis) / length, amount)
        projections = self.fitted.products(direction)
        self.shadows = np.concatenate([self.shadows, projections[np.newaxis]])
        self.covered += projections**2
        self.toward -= amount * projections

    @property
    def error(self) -> float:
        """The loss of the model on the judged rows."""
        return float(self.loss.of_residuals(self.judged.fit.residual[np.newaxis].copy())[0])

    def bounds(self) -> tuple[Array, Array]:
        """Return bounds on the drop of the loss, infinite where they would be inaccurate, and new fractions.

        The new fraction is the part of the column's squared length that is outside of the model's span.
        """
        slope = self.loss.slope(self.judged.fit.residual)
        downhill = self.judged.products(slope)
        downhill -= np.tensordot(self.judged.fit.basis @ slope, self.shadows, axes=1)
        residual_norms = self.lengths - self.covered
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            fractions = np.where(self.lengths > 0, residual_norms / self.lengths, 0.0)
            drop = np.where(fractions > DOUBTFUL, self.toward / residual_norms * downhill, np.inf)
        return drop, fractions

    def losses(self, heads: Array, atoms: Array) -> Array:
        """Return the loss that the model has with each candidate added, shape (m,); NaN for a collinear one."""
        fitted, judged = self.fitted, self.judged
        basis = fitted.fit.basis
        columns = fitted.columns(heads, atoms)
        shadow = self.shadows[:, heads, atoms].T
        total = self.lengths[heads, atoms]
        columns -= shadow @ basis
        residual_norms = total - self.covered[heads, atoms]
        if (residual_norms <= DOUBTFUL * total).any():
            correction = columns @ basis.T
            columns -= correction @ basis
            residual_norms = (columns**2).sum(axis=1)
            shadow = shadow + correction
        collinear = residual_norms <= COLLINEAR**2 * total
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            amount = np.where(collinear, 0.0, (columns @ fitted.fit.residual) / residual_norms)
        if not self.same:
            columns = judged.columns(heads, atoms)
            columns -= shadow @ judged.fit.basis
        columns *= -amount[:, np.newaxis]
        columns += judged.fit.residual
        result = self.loss.of_residuals(columns)
        result[collinear] = np.nan
        return result


@dataclass(frozen=True)
class Winner:
    """The candidate that wins a round."""

    head: int  # its row in the grid
    atom: int  # its column in the grid
    candidate: Candidate  # the candidate
    score: float  # the drop of the error, divided by the candidate's size if that is penalised
    error: float  # the selection error with it


class Scorer:
    """Scores the candidates of a grid against one or several projections (one per fold), which have all its heads.

    `shares`: the weight of each projection's loss; they sum to 1. `penalise`: whether scores are divided by the
    candidates' sizes.
    """

    def __init__(self, grid: CandidateGrid, projections: list[Projection], shares: list[float], penalise: bool) -> None:
        self.grid, self.projections, self.shares, self.penalise = grid, projections, shares, penalise
        self.collinear: Array = np.zeros_like(grid.offered)

    @property
    def error(self) -> float:
        """The selection error of the model."""
        return sum(share * projection.error for share, projection in zip(self.shares, self.projections, strict=True))

    def losses(self, heads: Array, atoms: Array) -> Array:
        """Return the selection error with each candidate added, NaN where it is collinear with the model."""
        chunk = max(1, CHUNK // max(len(p.fitted.fit.target) + len(p.judged.fit.target) for p in self.projections))
        errors = np.zeros(len(heads))
        for start in range(0, len(heads), chunk):
            cells = slice(start, start + chunk)
            for share, projection in zip(self.shares, self.projections, strict=True):
                errors[cells] += share * projection.losses(heads[cells], atoms[cells])
        collinear = np.isnan(errors)
        self.collinear[heads[collinear], atoms[collinear]] = True
        return errors

    def all_losses(self, allowed: Array) -> tuple[Array, Array, Array]:
        """Return heads, atoms and selection errors of all allowed candidates that are not collinear."""
        heads, atoms = np.nonzero(allowed)
        errors = self.losses(heads, atoms)
        fine = ~np.isnan(errors)
        return heads[fine], atoms[fine], errors[fine]

    def _divisors(self, heads: Array, atoms: Array) -> Array:
        """Return the number that each candidate's drop is divided by."""
        return self.grid.sizes[heads, atoms] if self.penalise else np.ones(len(heads), dtype=np.int64)

    def usable(self, allowed: Array) -> Array:
        """Return the allowed candidates without those that are collinear with the model."""
        new = np.zeros_like(allowed[len(self.collinear) :])
        self.collinear = np.concatenate([self.collinear, new])
        return np.asarray(allowed & ~self.collinear)

    def best(self, allowed: Array, error: float, wanted: Mapping[Term, float] | None = None) -> Winner | None:
        """Return the allowed candidate with the greatest score, or None where none is positive; see `best_of`."""
        allowed = self.usable(allowed)
        drop: Array = np.zeros(allowed.shape)
        for share, projection in zip(self.shares, self.projections, strict=True):
            bound, fractions = projection.bounds()
            drop = drop + share * bound
            if len(self.projections) == 1:
                self.collinear |= fractions <= COLLINEAR**2 / 4
                allowed &= ~self.collinear
        heads, atoms = np.nonzero(allowed)
        divisors = self._divisors(heads, atoms)
        bounds = drop[heads, atoms] / divisors
        order = np.argsort(-bounds, kind="stable")
        errors: Array = np.full(len(order), np.nan)
        best, at, step = -np.inf, 0, 12
        while at < len(order) and bounds[order[at]] >= best - TIE * error:
            block = order[at : at + step]
            errors[block] = self.losses(heads[block], atoms[block])
            best = max(best, float(np.fmax.reduce((error - errors[block]) / divisors[block], initial=-np.inf)))
            at, step = at + len(block), min(2 * step, 256)
        is_known = ~np.isnan(errors)
        return self.best_of(heads[is_known], atoms[is_known], errors[is_known], error, wanted)

    def best_of(
        self, heads: Array, atoms: Array, errors: Array, reference: float, wanted: Mapping[Term, float] | None = None
    ) -> Winner | None:
        """Return the winner among candidates whose selection errors are known, arrays of shape (m,).

        Ties go to a candidate whose expansion is `wanted`, then by canonical order.
        """
        scores = (reference - errors) / self._divisors(heads, atoms)
        best, tie = float(scores.max(initial=0.0)), TIE * reference
        if not tie < best < np.inf:
            return None
        winners = []
        for i in np.flatnonzero(scores >= best - tie):
            head, atom = int(heads[i]), int(atoms[i])
            winners.append(Winner(head, atom, self.grid.candidate(head, atom), float(scores[i]), float(errors[i])))
        matching = [winner for winner in winners if winner.candidate.expansion == wanted]
        if matching:
            return matching[0]
        # Among equally good candidates the smallest wins, among these the last in canonical order. In SPL Conqueror the
        # choice depends on the runtime's string hashes: published models show this one and others.
        smallest = min(winner.candidate.size_key for winner in winners)
        of_least_size = (winner for winner in winners if winner.candidate.size_key == smallest)
        return max(of_least_size, key=lambda winner: winner.candidate.order_key)
