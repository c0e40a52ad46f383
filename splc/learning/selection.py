"""Which candidate wins a round: bounds first, exact losses for those that may win, ties by canonical order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from splc.learning.candidate_grid import CandidateGrid
from splc.learning.candidates import Candidate
from splc.learning.fitting import COLLINEAR, Projection

Array = np.ndarray[Any, np.dtype[Any]]

# Scores that differ by less than this part of the error are ties: they differ by rounding only.
TIE = 1e-9
# Elements of the largest intermediate array of an exact evaluation.
CHUNK = 4_000_000


@dataclass(frozen=True)
class Winner:
    """The candidate that wins a round.

    Attributes:
        head: its row in the grid.
        atom: its column in the grid.
        candidate: the candidate.
        score: the drop of the error, divided by its size if that is penalised.
        error: the selection error with it.
    """

    head: int
    atom: int
    candidate: Candidate
    score: float
    error: float


class Scorer:
    """Scores the candidates of a grid against one or several projections (one per fold).

    Args:
        grid: the candidates.
        projections: the model's fits; each holds the heads of the grid.
        shares: what each projection's loss counts for; they sum to 1.
        penalise: whether scores are divided by the candidates' sizes.
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
        chunk = max(1, CHUNK // max(len(p.fitted.target) + len(p.judged.target) for p in self.projections))
        parts = []
        for start in range(0, len(heads), chunk):
            some = slice(start, start + chunk)
            total: Array = np.zeros(len(heads[some]))
            for share, projection in zip(self.shares, self.projections, strict=True):
                total = total + share * projection.losses(heads[some], atoms[some])
            parts.append(total)
        return np.concatenate(parts) if parts else np.zeros(0)

    def all_losses(self, allowed: Array) -> tuple[Array, Array, Array]:
        """Return heads, atoms and selection errors of all allowed candidates that are not collinear."""
        heads, atoms = np.nonzero(allowed)
        errors = self.losses(heads, atoms)
        self._mark_collinear(heads, atoms, errors)
        fine = ~np.isnan(errors)
        return heads[fine], atoms[fine], errors[fine]

    def _mark_collinear(self, heads: Array, atoms: Array, errors: Array) -> None:
        gone = np.isnan(errors)
        self.collinear[heads[gone], atoms[gone]] = True

    def divisors(self, heads: Array, atoms: Array) -> Array:
        """Return what each candidate's drop is divided by."""
        return self.grid.sizes[heads, atoms] if self.penalise else np.ones(len(heads), dtype=np.int64)

    def usable(self, allowed: Array) -> Array:
        """Return the allowed candidates that are not known to be collinear with the model."""
        missing = len(allowed) - len(self.collinear)
        if missing:
            rows = np.zeros((missing, allowed.shape[1]), dtype=bool)
            self.collinear = np.concatenate([self.collinear, rows])
        usable: Array = allowed & ~self.collinear
        return usable

    def best(self, allowed: Array, reference: float) -> Winner | None:
        """Return the allowed candidate with the greatest score against `reference`, or None where none is positive."""
        allowed = self.usable(allowed)
        drop: Array = np.zeros(allowed.shape)
        for share, projection in zip(self.shares, self.projections, strict=True):
            bound, part = projection.bounds()
            drop = drop + share * bound
            if len(self.projections) == 1:
                self.collinear |= part <= COLLINEAR**2 / 4
                allowed &= ~self.collinear
        heads, atoms = np.nonzero(allowed)
        divisors = self.divisors(heads, atoms)
        # The bound is on the drop from the model's own error; a score counts from `reference`.
        bounds = (drop[heads, atoms] + (reference - self.error)) / divisors
        order = np.argsort(-bounds, kind="stable")
        tie = TIE * max(reference, 0.0)
        found: list[tuple[float, float, int]] = []
        best, at, step = -np.inf, 0, 12
        while at < len(order) and bounds[order[at]] >= best - tie:
            some = order[at : at + step]
            errors = self.losses(heads[some], atoms[some])
            self._mark_collinear(heads[some], atoms[some], errors)
            scores = (reference - errors) / divisors[some]
            found += [
                (float(score), float(error), int(cell))
                for score, error, cell in zip(scores, errors, some, strict=True)
                if not np.isnan(score)
            ]
            best = max([best, *(score for score, _, _ in found[-len(some) :])])
            at, step = at + len(some), min(2 * step, 256)
        return self._first([(s, e, int(heads[cell]), int(atoms[cell])) for s, e, cell in found], tie)

    def best_of(self, heads: Array, atoms: Array, errors: Array, reference: float) -> Winner | None:
        """Return the winner among candidates whose selection errors are known."""
        scores = (reference - errors) / self.divisors(heads, atoms)
        found = [(float(s), float(e), int(h), int(a)) for s, e, h, a in zip(scores, errors, heads, atoms, strict=True)]
        return self._first(found, TIE * max(reference, 0.0))

    def _first(self, found: list[tuple[float, float, int, int]], tie: float) -> Winner | None:
        """Return the best of (score, error, head, atom), of ties the first in canonical order."""
        best = max((score for score, _, _, _ in found), default=0.0)
        if not tie < best < np.inf:
            return None
        winners = []
        for score, error, head, atom in found:
            if score >= best - tie:
                winners.append(Winner(head, atom, self.grid.candidate(head, atom), score, error))
        # Of equally good candidates the smallest, of those the last in canonical order: this is the choice that the
        # published models of SPL Conqueror show (there it hangs on the runtime's string hashes).
        least = min(winner.candidate.size_key for winner in winners)
        return max(
            (winner for winner in winners if winner.candidate.size_key == least),
            key=lambda winner: winner.candidate.order_key,
        )
