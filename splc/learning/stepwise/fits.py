"""Fits, losses, and the candidate that wins a round: all candidates are fitted together, without separate fits.

In: the columns of heads and atoms (`CellColumns`). Out: the winner (`Scorer`).

The columns of the model are kept as an orthonormal basis Q (`ModelFit`). Adding a candidate c to the model changes its
least-squares fit by t·c⊥, where c⊥ = c - Q Qᵀc and t = rᵀc / |c⊥|², r the residual. A candidate's column is
head ∘ atom, so that all products with a vector v are one matrix product Aᵀ(H ∘ v). Folds differ in the rows that they
fit and judge; the columns are those of all rows.

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

COLLINEAR = 1e-8  # a candidate is collinear with a model if less of its length is outside of the model's span
# Below this fraction, a squared length after projection that is a difference of squares is inaccurate.
DOUBTFUL = 1e-6
BLOCK = 4096
TIE = 1e-9  # scores that differ by less than this fraction of the error differ by rounding only and are ties
CHUNK = 4_000_000  # elements of the largest intermediate array of an exact evaluation


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
    tube: Array | None  # rows with an unweighted loss up to this value count 0; None: the loss is convex
    exact: float  # the largest loss that is only a rounding error

    @classmethod
    def of(cls, target: Array, settings: Settings) -> Loss:
        """Return the loss that the settings ask for."""
        relative, squared = settings.lossFunction == "RELATIVE", settings.lossFunction == "LEASTSQUARES"
        counted, sizes = rows_that_count(target, settings), np.abs(target)
        if not counted.any():
            least = settings.leastValue
            reason = f"below {least:g}, the setting leastValue" if least else "0, which have no relative error"
            hint = "choose the setting lossFunction=ABSOLUTE (--set) or another property"
            raise LearningError(f"all values are {reason}", hint=hint)
        units = sizes if relative else np.ones(len(target))
        weights = np.zeros(len(target))
        weights[counted] = (100.0 if relative else 1.0) / (units[counted] * counted.sum())
        tube = units * settings.epsilon if settings.considerEpsilonTube else None
        tube = np.sqrt(tube) if tube is not None and squared else tube
        exact = 1e-9 if relative else 1e-22 * float(np.mean(target**2)) if squared else 1e-11 * float(np.mean(sizes))
        return cls(weights, squared, tube, exact)

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


class CellColumns:
    """The columns of a grid's cells, products of those of heads and of atoms, each a contiguous row."""

    def __init__(self, atoms: Array) -> None:
        self.atoms = np.ascontiguousarray(atoms, dtype=float)
        self.heads: Array = np.empty((0, atoms.shape[1]))

    @property
    def none(self) -> CellColumns:
        """No columns, of the same rows."""
        return CellColumns(self.atoms[:0])

    def add_heads(self, columns: Array) -> None:
        """Add the columns of heads, shape (heads, n)."""
        self.heads = np.concatenate([self.heads, columns])

    def of(self, heads: Array, atoms: Array) -> Array:
        """Return the columns of cells, shape (m, n)."""
        return np.asarray(self.heads[heads] * self.atoms[atoms])

    def products(self, vector: Array, first: int = 0, *, squared: bool = False) -> Array:
        """Return the products of cells' columns, or their squares, with a vector, (heads, atoms), from a head on."""
        total = np.zeros((len(self.heads) - first, len(self.atoms)))
        for start in range(0, len(vector), BLOCK):
            block = slice(start, start + BLOCK)
            heads, atoms = self.heads[first:, block], self.atoms[:, block]
            if squared:
                heads, atoms = heads**2, atoms**2
            total += (heads * vector[block]) @ atoms.T
        return total


class ModelFit:
    """The least-squares fit of a growing model at the `fitted` rows, and its loss at the `judged` ones."""

    def __init__(
        self, columns: CellColumns, target: Array, settings: Settings, fitted: Array | None, judged: slice | Array
    ) -> None:
        self.columns, self.judged = columns, judged
        self.fit = OrthogonalFit(target, fitted)
        self.loss = Loss.of(self.fit.target[judged], settings)
        # For every cell with column c: |c|², |Qᵀc|² and rᵀc.
        self.lengths, self.covered, self.toward = np.zeros((3, 0, len(columns.atoms)))

    def add_heads(self) -> None:
        """Make the products of new heads with all atoms candidates."""
        fit, columns, known = self.fit, self.columns, len(self.lengths)
        lengths = columns.products(fit.counted(np.ones_like(fit.target)), known, squared=True)
        shadows = ((fit.inner * head) @ columns.atoms.T for head in columns.heads[known:])
        self.lengths = np.concatenate([self.lengths, lengths])
        self.covered = np.concatenate([self.covered, *((shadow**2).sum(axis=0, keepdims=True) for shadow in shadows)])
        self.toward = np.concatenate([self.toward, columns.products(fit.counted(fit.residual), known)])

    def add_term(self, column: Array) -> None:
        """Add a term to the model (its column, shape (n,), must not be collinear with the model)."""
        self.fit.add(column)
        projections = self.columns.products(self.fit.inner[-1])
        self.covered += projections**2
        self.toward -= self.fit.parts[-1] * projections

    @property
    def error(self) -> float:
        """The loss of the model on the judged rows."""
        return float(self.loss.of_residuals(self.fit.residual[np.newaxis, self.judged].copy())[0])

    def bounds(self) -> tuple[Array, Array]:
        """Return bounds on the drop of the loss, infinite if inaccurate, and the shares of columns that are new."""
        # s·c⊥ = s·c - (Q s)·(Qᵀc), where s is 0 at the rows that are not judged.
        slope = np.zeros_like(self.fit.target)
        slope[self.judged] = self.loss.slope(self.fit.residual[self.judged])
        downhill = self.columns.products(slope - self.fit.basis @ slope @ self.fit.inner)
        left = self.lengths - self.covered
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            fractions = np.where(self.lengths > 0, left / self.lengths, 0.0)
            drop = np.where(fractions > DOUBTFUL, self.toward / left * downhill, np.inf)
        return drop, fractions

    def losses(self, heads: Array, atoms: Array) -> Array:
        """Return the loss that the model has with each candidate added, shape (m,); NaN for a collinear one."""
        fit, lengths = self.fit, self.lengths[heads, atoms]
        columns, left = fit.outside(self.columns.of(heads, atoms)), lengths - self.covered[heads, atoms]
        if (left <= DOUBTFUL * lengths).any():
            columns = fit.outside(columns)
            left = (fit.counted(columns) ** 2).sum(axis=1)
        collinear = left <= COLLINEAR**2 * lengths
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            amount = np.where(collinear, 0.0, columns @ fit.counted(fit.residual) / left)
        columns = columns[:, self.judged]
        columns *= -amount[:, np.newaxis]
        columns += fit.residual[self.judged]
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
    """Scores a grid's candidates by fits (one per fold) with their shares; `penalise`: divided by their sizes."""

    def __init__(self, grid: CandidateGrid, fits: list[ModelFit], shares: list[float], penalise: bool) -> None:
        self.grid, self.fits, self.shares, self.penalise = grid, fits, shares, penalise
        self.collinear: Array = np.zeros_like(grid.offered)

    @property
    def error(self) -> float:
        """The selection error of the model."""
        return sum(share * fit.error for share, fit in zip(self.shares, self.fits, strict=True))

    def losses(self, heads: Array, atoms: Array) -> Array:
        """Return the selection error with each candidate added, NaN where it is collinear with the model."""
        chunk = max(1, CHUNK // len(self.fits[0].fit.target))
        errors = np.zeros(len(heads))
        for start in range(0, len(heads), chunk):
            cells = slice(start, start + chunk)
            for share, fit in zip(self.shares, self.fits, strict=True):
                errors[cells] += share * fit.losses(heads[cells], atoms[cells])
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
        for share, fit in zip(self.shares, self.fits, strict=True):
            bound, fractions = fit.bounds()
            drop = drop + share * bound
            if len(self.fits) == 1:
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
        """Return the winner by known errors, (m,); ties go to the expansion `wanted`, then by canonical order."""
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
