"""The stepwise learner: feature forward selection with stepwise regression (SPL Conqueror's; thesis algorithm 1).

In: a learning problem and settings. Out: a result with the rounds of one run of `ForwardSelection` (`select`), whose
rules are asked in SPL Conqueror's order; or the average of several models that are learned from random parts of the
learning set.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any

import numpy as np

from splc.arithmetic.tokens import NameTable
from splc.data.accuracy import mean_relative_error
from splc.errors import ExpressionError, LearningError, Problem, plural, unknown_name_hint
from splc.learning.features import FeatureTable, random_folds, stable_order
from splc.learning.learner import INTERRUPTED, LearningProblem, OnStep, influence_model, judged
from splc.learning.result import LearnedTerm, LearningResult, Round, Stage, merged_terms
from splc.learning.stepwise.candidates import BASE, Candidate, CandidateGrid
from splc.learning.stepwise.fits import TIE, CellColumns, ModelFit, Scorer, Winner, rows_that_count, rows_with_error
from splc.learning.stepwise.settings import SPLCONQUEROR_2019, Settings, without_effect
from splc.learning.stepwise.settings import preset as preset_settings
from splc.models.basis.atom import function_names
from splc.models.basis.regression import least_squares
from splc.models.terms import Term
from splc.models.text.log_grammar import expand_product
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
ROUNDING = 1e-11  # a term is a rounding error if its contribution is at most this fraction of the largest value


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run: the rounds, the terms of the model, and the rule that ended it."""

    rounds: tuple[Round, ...]
    terms: tuple[LearnedTerm, ...]
    termination: str


class ForwardSelection:
    """One run of feature forward selection, with settings without bagging.

    `judge`: the rows that judge candidates; None: the learning set. `folds`: the fold of each row, (n,), for
    cross-validation. `followed`: the expansions of a log's terms, one per round, which win ties.
    """

    def __init__(
        self,
        problem: FeatureTable,
        settings: Settings,
        judge: FeatureTable | None = None,
        folds: Array | None = None,
        followed: Sequence[Mapping[Term, float]] = (),
    ) -> None:
        self.problem, self.settings, self.folds, self.followed = problem, settings, folds, followed
        self.terms: list[Candidate] = [BASE]
        self.rounds: list[Round] = []
        self.grid = CandidateGrid(problem, settings)
        self.level = 1 if settings.withHierarchy else MAX_LEVEL
        self.resting: dict[tuple[int, int], int] = {}
        self.started = time.monotonic()
        # The learning set comes first.
        self._rows = problem if judge is None else problem.followed_by(judge)
        self._learned = np.arange(len(self._rows)) < len(problem)
        self._judged = slice(None) if judge is None else ~self._learned
        self._cells = CellColumns(self._columns(self.grid.atoms))
        self._cells.add_heads(self._columns(self.grid.heads))
        self._fit(self._cells)

    # Columns whose squares overflow (beyond 1e154) have no finite loss and are never chosen.
    @np.errstate(over="ignore", invalid="ignore")
    def _fit(self, cells: CellColumns) -> None:
        """Fit the present terms, and score candidates with these columns by the fits."""
        settings, target = self.settings, self._rows.target
        fitted = None if self._learned.all() else self._learned
        self.fit = ModelFit(cells if self.folds is None else cells.none, target, settings, fitted, self._judged)
        scored, shares = [self.fit], [1.0]
        if self.folds is not None:
            counted = rows_that_count(target, settings)
            held_out = [self.folds == fold for fold in np.unique(self.folds[counted])]
            scored = [ModelFit(cells, target, settings, ~out, out) for out in held_out]
            shares = [float(counted[out].sum() / counted.sum()) for out in held_out]
        self._fits = scored if self.folds is None else [self.fit, *scored]
        terms = self._columns(self.terms)
        for fit in self._fits:
            fit.add_heads()
            for column in terms:
                fit.add_term(column)
        self.scorer = Scorer(self.grid, scored, shares, settings.candidateSizePenalty)

    def _columns(self, candidates: Sequence[Candidate]) -> Array:
        columns = np.empty((len(candidates), len(self._rows)))
        for row, candidate in zip(columns, candidates, strict=True):
            row[:] = candidate.evaluate(self._rows.column)
        return columns

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
        allowed, error, first = self.allowed(), self.scorer.error, not self.rounds
        if first and self.settings.first:
            return self._stated_first_term()
        expansion = self.followed[len(self.rounds)] if len(self.rounds) < len(self.followed) else None
        if not (first or self.settings.ignoreBadFeatures or self.fit.loss.tube is not None):
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
        """Return the stated first term; its score is .NET's largest number, as in logs of the program of 2018."""
        first = self.settings.first
        try:
            expansion = expand_product(first, NameTable.plain(self.problem.columns))
        except ExpressionError as wrong:
            raise LearningError(
                Problem(f"the first term {first!r}: {problem.message}", hint=problem.hint) for problem in wrong.problems
            ) from None
        offered = [(self.grid.candidate(*cell), cell) for cell in np.argwhere(self.grid.offered).tolist()]
        matching = [pair for pair in offered if pair[0].expansion == expansion]
        if not matching:
            hint = unknown_name_hint(first, [candidate.learned(1.0).log_text() for candidate, _ in offered])
            raise LearningError(Problem(f"{first!r} is no candidate of the first round", hint=hint))
        candidate, (head, atom) = matching[0]
        error = float(self.scorer.losses(np.array([head]), np.array([atom]))[0])
        if np.isnan(error):
            message = f"the first term {first!r} has the same value in all configurations of the learning set"
            raise LearningError(Problem(message, hint="choose another first term or learning set"))
        return Winner(head, atom, candidate, sys.float_info.max, error)

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
        # The chosen term is the first head, unless it is too large to be extended.
        columns = self._columns([winner.candidate, *(head for head in heads if head != winner.candidate)])
        self._cells.add_heads(columns[len(columns) - len(heads) :])
        for fit in self._fits:
            fit.add_heads()
            fit.add_term(columns[0])
        self.terms.append(winner.candidate)
        removed = self._backward() if self.settings.useBackward else ()
        model, target = self.fit.fit, self.problem.target
        counted = rows_with_error(target, self.settings)
        learning_error = mean_relative_error((target - model.residual[self._learned])[counted], target[counted])
        terms = _learned(self.terms, model.coefficients)
        learned_round = Round(
            number=len(self.rounds) + 1,
            added=terms[self.terms.index(winner.candidate)],
            score=winner.score,
            error=self.scorer.error if removed else winner.error,
            learning_error=float("nan") if learning_error is None else learning_error,
            terms=terms,
            seconds=time.monotonic() - self.started,
            removed=_learned(removed, np.zeros(len(removed))),
        )
        self.rounds.append(learned_round)
        return learned_round

    def _backward(self) -> tuple[Candidate, ...]:
        """Remove terms while that raises the error by at most backwardErrorDelta; never the constant or the newest."""
        limit = self.scorer.error + self.settings.backwardErrorDelta
        removed: list[Candidate] = []
        while len(self.terms) > 2:
            all_terms, trials = self.terms, []
            for at in range(1, len(all_terms) - 1):
                self.terms = all_terms[:at] + all_terms[at + 1 :]
                self._fit(self._cells.none)
                trials.append((self.scorer.error, at))
            error, worst = min(trials)
            if error > limit:
                self.terms = all_terms
                break
            self.terms = all_terms[:worst] + all_terms[worst + 1 :]
            removed.append(all_terms[worst])
            self.grid.withdraw(all_terms[worst])
        self._fit(self._cells)
        return tuple(removed)

    def terminate(self, last: Round | None) -> str | None:
        """Return the rule that ends learning after a round (None: before the first one), or None."""
        settings, exact = self.settings, self.fit.loss.exact
        if last is None:
            return "abortError" if self.scorer.error <= exact else None
        duration = last.seconds - (self.rounds[-2].seconds if len(self.rounds) > 1 else 0.0)
        if last.number >= settings.numberOfRounds:
            return "numberOfRounds"
        if settings.learnTimeLimit and last.seconds > settings.learnTimeLimit:
            return "learnTimeLimit"
        if settings.stopOnLongRound and last.number > 30 and duration > 3600:
            return "stopOnLongRound"
        if last.error <= exact or last.error < settings.abortError:
            return "abortError"
        if last.score < settings.minImprovementPerRound:
            if not settings.withHierarchy or self.level >= MAX_LEVEL:
                return "minImprovementPerRound"
            self.level += 1
        return None

    def run(self, on_step: OnStep = lambda step: None, should_stop: Callable[[], bool] = lambda: False) -> Outcome:
        """Learn until a rule ends it; `should_stop`: asked after every round but the last one; true ends it, too."""
        termination = self.terminate(None)
        while termination is None:
            last = self.step()
            if last is not None:
                on_step(last)
            termination = "noCandidate" if last is None else self.terminate(last)
            if termination is None and should_stop():
                termination = INTERRUPTED
        # The terms in one well-conditioned fit, without those that contribute a rounding error only.
        target = self.problem.target
        columns = np.ascontiguousarray(self._columns(self.terms)[:, self._learned])
        influences = least_squares(columns.T, target)
        kept = np.abs(influences) * np.abs(columns).max(axis=1) > ROUNDING * np.abs(target).max()
        kept[0] = True
        if not kept.all():
            influences = least_squares(columns[kept].T, target)
        terms = _learned([*compress(self.terms, kept)], influences)
        return Outcome(tuple(self.rounds), terms, termination)


def _learned(candidates: Sequence[Candidate], influences: Array) -> tuple[LearnedTerm, ...]:
    return tuple(candidate.learned(float(value)) for candidate, value in zip(candidates, influences, strict=True))


@dataclass(frozen=True)
class StepwiseLearner:
    """Feature forward selection with stepwise regression."""

    preset: str = "default"  # the name of the settings to start from
    changes: Mapping[str, Any] = field(default_factory=dict, hash=False)  # settings that differ from it
    chosen: Settings = field(init=False)
    name = "stepwise"
    suffix = ".log"

    def __post_init__(self) -> None:
        object.__setattr__(self, "chosen", preset_settings(self.preset).changed(self.changes))

    @property
    def settings(self) -> Mapping[str, Any]:
        """All settings by name."""
        return self.chosen.as_dict()

    @property
    def draws(self) -> bool:
        """True if the result depends on the seed."""
        return self.chosen.bagging or self.chosen.crossValidation

    def learn(self, problem: LearningProblem) -> LearningResult:
        """Learn a performance-influence model. Learning does not depend on the order of rows or options."""
        settings, started = self.chosen, time.monotonic()
        functions = function_names(settings.functions)

        def table_of(rows: Array) -> FeatureTable:
            return problem.features(settings.learn_numeric_disabled, rows).with_functions(functions)

        table = table_of(problem.rows)
        judge = None if problem.validation is None else table_of(problem.validation)
        outcome = select(table, settings, problem.seed, problem.on_step, problem.should_stop, judge)
        seconds = time.monotonic() - started
        derived = (each for feature in table.features for atom in feature.atoms for each in atom.derived)
        return judged(
            problem,
            self,
            influence_model(outcome.terms, problem.measurements.system, derived=derived),
            termination=outcome.termination,
            seconds=seconds,
            terms=outcome.terms,
            rounds=outcome.rounds,
            notes=[*without_effect(self.changes), *self._notes(problem, outcome)],
        )

    def _notes(self, problem: LearningProblem, outcome: Outcome) -> Iterator[str]:
        """Yield what the user should know about values that are left out, idle settings, and too many terms."""
        settings, rows = self.chosen, len(problem.rows)
        if self.preset == SPLCONQUEROR_2019 and not settings.first:
            yield (
                "the first term is the best candidate; the program of 2018 took an arbitrary one, which its logs state "
                "(setting first)"
            )
        if settings.leastValue and (small := int((problem.target < settings.leastValue).sum())):
            which = f"below {settings.leastValue:g} of {problem.nfp}"
            count = plural(small, f"value {which} is", f"values {which} are")
            yield f"{count} left out of the error that selects terms, as in the program of 2018 (setting leastValue)"
        if settings.bagging and settings.crossValidation:
            yield "crossValidation has no effect with bagging: each model is judged by rows that it did not draw"
        if settings.learn_accumulatedLogFunction and not settings.learn_logFunction:
            yield "learn_accumulatedLogFunction has no effect without learn_logFunction"
        if rows > 1 and np.ptp(problem.target) == 0:
            yield f"{problem.nfp} is the same in all configurations learned from: there is nothing to explain"
        elif len(outcome.terms) >= rows > 1:
            text = f"the model has as many terms as there are configurations learned from ({rows}): "
            yield f"{text}that it fits them says nothing about others"


def select(
    table: FeatureTable,
    settings: Settings,
    seed: int,
    on_step: OnStep = lambda step: None,
    should_stop: Callable[[], bool] = lambda: False,
    judge: FeatureTable | None = None,
) -> Outcome:
    """Return the outcome of one run, or of `baggingNumbers` runs, whose models are averaged.

    Each of these learns from rows drawn with replacement out of baggingTestDataFraction percent of the learning set,
    and is judged on the rest of that part, or its own rows if none are left, instead of by `judge`. A term that a model
    lacks has the influence 0 in it.
    """
    if not settings.bagging:
        folds = None
        if judge is None and settings.crossValidation and len(table) > 1:
            # As in SPL Conqueror's program, rows are drawn, whatever their settings.
            folds = random_folds(table, settings.crossValidation_k, seed)
        return ForwardSelection(table, settings, judge, folds).run(on_step, should_stop)
    started, rng, order = time.monotonic(), np.random.default_rng(seed), stable_order(table)
    size = max(1, round(len(order) * settings.baggingTestDataFraction / 100))
    part = order[rng.permutation(len(order))][:size]
    outcomes: list[Outcome] = []
    for number in range(1, settings.baggingNumbers + 1):
        is_drawn = np.zeros(size, dtype=bool)
        is_drawn[rng.integers(0, size, size)] = True
        drawn, undrawn = table.rows(part[is_drawn]), table.rows(part[~is_drawn])
        own = next((rows for rows in (undrawn, drawn) if rows_that_count(rows.target, settings).any()), table)
        outcomes.append(ForwardSelection(drawn, settings, None if own is drawn else own).run(should_stop=should_stop))
        on_step(Stage(number, f"model {number} of {settings.baggingNumbers}", time.monotonic() - started))
        if outcomes[-1].termination == INTERRUPTED:
            break
    terms = merged_terms(term for outcome in outcomes for term in outcome.terms)
    mean = tuple(replace(term, influence=term.influence / len(outcomes)) for term in terms)
    return Outcome((), mean, INTERRUPTED if outcomes[-1].termination == INTERRUPTED else "bagging")
