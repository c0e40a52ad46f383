"""Feature forward selection with stepwise regression (SPL Conqueror's algorithm; thesis algorithm 1).

It is a search of `splc.learning.learner`: every step is a `Round`. The rules that end it are in SPL Conqueror's order.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from splc.data.accuracy import mean_relative_error
from splc.errors import ExpressionError, LearningError, Problem, unknown_name_hint
from splc.learning.features import FeatureTable
from splc.learning.learner import OnStep, run_loop
from splc.learning.result import LearnedTerm, Round
from splc.learning.stepwise.candidates import BASE, Candidate, CandidateGrid
from splc.learning.stepwise.least_squares import ColumnTable, Loss, Projection, rows_that_count, rows_with_error
from splc.learning.stepwise.selection import TIE, Scorer, Winner
from splc.learning.stepwise.settings import Settings
from splc.models.basis.regression import least_squares
from splc.models.terms import Term
from splc.models.text.log_grammar import expand_product, plain_names
from splc.types import Array

MAX_LEVEL = 10

# Reasons in words; names in braces are settings, `unit` is the unit of the selection error.
REASONS = {
    "numberOfRounds": "after {numberOfRounds} rounds (numberOfRounds)",
    "learnTimeLimit": "the time limit was reached (learnTimeLimit)",
    "stopOnLongRound": "a round took more than an hour (stopOnLongRound)",
    "abortError": "the error fell below {abortError:g} {unit} (abortError)",
    "minImprovementPerRound": "the last score was below {minImprovementPerRound:g} (minImprovementPerRound)",
    "noCandidate": "no further term lowers the error",
    "interrupted": "interrupted",
    "parts": "the models of the parts were added up",
    "bagging": "{baggingNumbers} models were averaged (bagging)",
}
# A term is a rounding error if its contribution is at most this fraction of the largest value.
ROUNDING = 1e-11


def stop_reason(
    settings: Settings, number: int, error: float, score: float, exact: float, elapsed: float, took: float, level: int
) -> str | None:
    """Return the rule that ends learning after a round, or None.

    `exact`: the largest error that is only a rounding error. `elapsed`: seconds since learning began. `took`: seconds
    of this round.
    """
    if number >= settings.numberOfRounds:
        return "numberOfRounds"
    if settings.learnTimeLimit and elapsed > settings.learnTimeLimit:
        return "learnTimeLimit"
    if settings.stopOnLongRound and number > 30 and took > 3600:
        return "stopOnLongRound"
    if error <= exact or error < settings.abortError:
        return "abortError"
    if score < settings.minImprovementPerRound and not (settings.withHierarchy and level < MAX_LEVEL):
        return "minImprovementPerRound"
    return None


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run: the rounds, the terms of the model, and the rule that ended it."""

    rounds: tuple[Round, ...]
    terms: tuple[LearnedTerm, ...]
    termination: str


class ForwardSelection:
    """One run of feature forward selection.

    Args:
        problem: the learning set.
        settings: the settings, without bagging (see `splc.learning.stepwise.stepwise`).
        judge: the rows that candidates are judged on; None: the learning set itself.
        folds: the fold of each row, shape (n,), for selection by cross-validation; None: no cross-validation.
        followed: the expansions of the terms of a log, one per round; of equally good candidates, that of the log wins.
    """

    def __init__(
        self,
        problem: FeatureTable,
        settings: Settings,
        judge: FeatureTable | None = None,
        folds: Array | None = None,
        followed: Sequence[Mapping[Term, float]] = (),
    ) -> None:
        self.problem = problem
        self.settings = settings
        self.judge = judge
        self.folds = folds
        self.followed = followed
        self.terms: list[Candidate] = [BASE]
        self.rounds: list[Round] = []
        self.grid = CandidateGrid(problem, settings)
        self.level = 1 if settings.withHierarchy else MAX_LEVEL
        self.resting: dict[tuple[int, int], int] = {}
        self.started = time.monotonic()
        self.fit, self.scorer = self._projections()

    # Columns whose squares overflow (beyond 1e154) have no finite loss and are never chosen.
    @np.errstate(over="ignore", invalid="ignore")
    def _projections(self) -> tuple[Projection, Scorer]:
        """Return projections of the present terms, with all heads of the grid, and their scorer."""
        problem, settings = self.problem, self.settings
        atoms = self._columns(problem, self.grid.atoms)
        fitted, judged = ColumnTable(atoms, problem.target), None
        if self.judge is not None:
            judged = ColumnTable(self._columns(self.judge, self.grid.atoms), self.judge.target)
        fit = Projection(fitted, Loss.of((judged or fitted).fit.target, settings), judged)
        projections, shares = [fit], [1.0]
        self._rows: list[tuple[Array, Array]] = []
        if self.folds is not None:
            projections, shares = [], []
            judging = rows_that_count(problem.target, settings)
            for fold in np.unique(self.folds[judging]):
                held_out = self.folds == fold
                training = ColumnTable(atoms[:, ~held_out], problem.target[~held_out])
                out = ColumnTable(atoms[:, held_out], problem.target[held_out])
                projections.append(Projection(training, Loss.of(out.fit.target, settings), out))
                shares.append(float(judging[held_out].sum() / judging.sum()))
                self._rows.append((~held_out, held_out))
        self._all = [fit] if self.folds is None else [fit, *projections]
        self._add(Projection.add_heads, *self._fitted_and_judged_columns(self.grid.heads))
        for column, judged_column in zip(*self._fitted_and_judged_columns(self.terms), strict=True):
            self._add(Projection.add_term, column, judged_column)
        return fit, Scorer(self.grid, projections, shares, settings.candidateSizePenalty)

    @staticmethod
    def _columns(problem: FeatureTable, candidates: list[Candidate]) -> Array:
        """Return the columns of candidates, shape (candidates, n)."""
        columns = np.empty((len(candidates), len(problem)))
        for row, candidate in zip(columns, candidates, strict=True):
            row[:] = candidate.evaluate(problem.column)
        return columns

    def _fitted_and_judged_columns(self, candidates: list[Candidate]) -> tuple[Array, Array]:
        """Return the columns of candidates on the fitted and on the judged rows, each of shape (candidates, n)."""
        columns = self._columns(self.problem, candidates)
        return columns, columns if self.judge is None else self._columns(self.judge, candidates)

    def _add(self, add: Callable[[Projection, Array, Array], None], columns: Array, judged_columns: Array) -> None:
        """Add the columns of heads or of a term to every projection, on its fitted and its judged rows."""
        add(self._all[0], columns, judged_columns)
        for projection, (fitted, judged_rows) in zip(self._all[1:], self._rows, strict=True):
            add(projection, columns[..., fitted], columns[..., judged_rows])

    def allowed(self) -> Array:
        """Return the candidates of this round, shape (heads, atoms)."""
        allowed: Array = self.grid.offered.copy()
        if self.settings.withHierarchy:
            allowed &= self.grid.sizes <= self.level
        for (head, atom), until in self.resting.items():
            allowed[head, atom] &= until < len(self.rounds) + 1
        return allowed

    def select(self) -> Winner | None:
        """Return the round's winner, None if no candidate lowers the error."""
        allowed = self.allowed()
        error = self.scorer.error
        first = not self.rounds
        if first and self.settings.first:
            return self._stated_first_term()
        expansion = self.followed[len(self.rounds)] if len(self.rounds) < len(self.followed) else None
        if not (first or self.settings.ignoreBadFeatures or not self.fit.loss.convex):
            return self.scorer.best(allowed, error, expansion)
        heads, atoms, errors = self.scorer.all_losses(self.scorer.usable(allowed))
        # In SPL Conqueror the scores of the first round count from the worst candidate, not from the constant alone.
        # If all candidates are equally good, it learns nothing; in this case they count from the constant here.
        reference = float(errors.max(initial=0.0)) if first else error
        if first and not (errors < reference * (1 - TIE)).any():
            reference = error
        if self.settings.ignoreBadFeatures and len(errors) > 10:
            worse_half = np.argsort(errors, kind="stable")[max(5, len(errors) // 2) :]
            for i in worse_half:
                self.resting[int(heads[i]), int(atoms[i])] = len(self.rounds) + 1 + 3
        lower = errors < reference * (1 - TIE)
        return self.scorer.best_of(heads[lower], atoms[lower], errors[lower], reference, expansion)

    def _stated_first_term(self) -> Winner:
        """Return the stated term of the first round.

        Its score is .NET's largest number, as in the logs of SPL Conqueror's program of 2018.
        """
        first = self.settings.first
        try:
            expansion = expand_product(first, plain_names(self.problem.columns))
        except ExpressionError as expression_error:
            raise LearningError(
                Problem(f"the first term {first!r}: {problem.message}", hint=problem.hint)
                for problem in expression_error.problems
            ) from None
        heads, atoms = np.nonzero(self.grid.offered)
        cells = [(int(head), int(atom)) for head, atom in zip(heads, atoms, strict=True)]
        matching_cells = [cell for cell in cells if self.grid.candidate(*cell).expansion == expansion]
        if not matching_cells:
            candidate_names = [self.grid.candidate(*cell).learned(1.0).log_text() for cell in cells]
            hint = unknown_name_hint(first, candidate_names)
            raise LearningError(Problem(f"{first!r} is no candidate of the first round", hint=hint))
        head, atom = matching_cells[0]
        error = float(self.scorer.losses(np.array([head]), np.array([atom]))[0])
        if np.isnan(error):
            message = f"the first term {first!r} has the same value in all configurations of the learning set"
            raise LearningError(Problem(message, hint="choose another first term or learning set"))
        return Winner(head, atom, self.grid.candidate(head, atom), sys.float_info.max, error)

    @np.errstate(over="ignore", invalid="ignore")
    def step(self) -> Round | None:
        """Add the best candidate; return the round, None if no candidate lowers the error."""
        winner = self.select()
        while winner is None and self.settings.withHierarchy and self.level < MAX_LEVEL:
            self.level += 1
            winner = self.select()
        if winner is None:
            return None
        heads = self.grid.choose(winner.head, winner.atom)
        # The chosen term comes first; it is itself a head unless it is too large to be extended.
        extended = winner.candidate in heads
        columns, judged_columns = self._fitted_and_judged_columns(heads if extended else [winner.candidate, *heads])
        if heads:
            first = 0 if extended else 1
            self._add(Projection.add_heads, columns[first:], judged_columns[first:])
        self._add(Projection.add_term, columns[0], judged_columns[0])
        self.terms.append(winner.candidate)
        removed = self._backward() if self.settings.useBackward else ()
        fitted = self.fit.fitted.fit
        counted = rows_with_error(fitted.target, self.settings)
        predicted = (fitted.target - fitted.residual)[counted]
        learning_error = mean_relative_error(predicted, fitted.target[counted])
        terms = self._learned_terms(self.terms, fitted.coefficients)
        learned_round = Round(
            number=len(self.rounds) + 1,
            added=terms[self.terms.index(winner.candidate)],
            score=winner.score,
            error=self.scorer.error if removed else winner.error,
            learning_error=float("nan") if learning_error is None else learning_error,
            terms=terms,
            seconds=time.monotonic() - self.started,
            removed=self._learned_terms(removed, np.zeros(len(removed))),
        )
        self.rounds.append(learned_round)
        return learned_round

    def _backward(self) -> tuple[Candidate, ...]:
        """Remove terms while that raises the error by at most backwardErrorDelta; never the constant or the newest."""
        limit = self.scorer.error + self.settings.backwardErrorDelta
        removed: list[Candidate] = []
        while len(self.terms) > 2:
            trials = []
            all_terms = self.terms
            for i in range(1, len(all_terms) - 1):
                self.terms = all_terms[:i] + all_terms[i + 1 :]
                self.fit, self.scorer = self._projections()
                trials.append((self.scorer.error, i))
            error, worst = min(trials)
            removable = error <= limit
            self.terms = [term for i, term in enumerate(all_terms) if not (removable and i == worst)]
            self.fit, self.scorer = self._projections()
            if not removable:
                break
            removed.append(all_terms[worst])
            self.grid.withdraw(all_terms[worst])
        return tuple(removed)

    def terminate(self, last: Round | None) -> str | None:
        """Return the rule that ends learning after a round (None: before the first one), or None."""
        exact = self.fit.loss.exact
        if last is None:
            return "abortError" if self.scorer.error <= exact else None
        duration = last.seconds - (self.rounds[-2].seconds if len(self.rounds) > 1 else 0.0)
        reason = stop_reason(
            self.settings, last.number, last.error, last.score, exact, last.seconds, duration, self.level
        )
        if reason is None and last.score < self.settings.minImprovementPerRound:
            self.level += 1
        return reason

    def run(self, on_step: OnStep | None = None, should_stop: Callable[[], bool] | None = None) -> Outcome:
        """Learn until a rule ends it; see `splc.learning.learner.run_loop`."""
        rounds, termination = run_loop(self, on_step, should_stop)
        return Outcome(rounds, self._final_terms(), termination)

    @staticmethod
    def _learned_terms(candidates: Sequence[Candidate], influences: Array) -> tuple[LearnedTerm, ...]:
        return tuple(
            candidate.learned(value) for candidate, value in zip(candidates, map(float, influences), strict=True)
        )

    def _final_terms(self) -> tuple[LearnedTerm, ...]:
        """Return the terms of the model with the influences of one well-conditioned least-squares fit.

        A term whose contribution is only a rounding error, because later terms replaced it, is left out.
        """
        columns = self._columns(self.problem, self.terms)
        influences = least_squares(columns.T, self.problem.target)
        parts = np.abs(influences) * np.abs(columns).max(axis=1)
        is_significant = parts > ROUNDING * np.abs(self.problem.target).max()
        is_significant[0] = True
        if not is_significant.all():
            influences = least_squares(columns[is_significant].T, self.problem.target)
        terms = [term for term, keep in zip(self.terms, is_significant, strict=True) if keep]
        return self._learned_terms(terms, influences)
