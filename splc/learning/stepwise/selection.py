"""Selection of the candidate that wins a round, by losses: bounds first, then exact losses of those that may win."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from splc.learning.stepwise.candidates import Candidate, CandidateGrid
from splc.learning.stepwise.least_squares import COLLINEAR, Projection
from splc.models.terms import Term
from splc.types import Array

# Scores that differ by less than this fraction of the error differ by rounding only and are ties.
TIE = 1e-9
# Elements of the largest intermediate array of an exact evaluation.
CHUNK = 4_000_000


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
        self.grid = grid
        self.projections = projections
        self.shares = shares
        self.penalise = penalise
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
        usable: Array = allowed & ~self.collinear
        return usable

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
        self,
        heads: Array,
        atoms: Array,
        errors: Array,
        reference: float,
        wanted: Mapping[Term, float] | None = None,
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
