"""The stepwise learner: feature forward selection with stepwise regression, as in SPL Conqueror.

In: a learning problem and settings. Out: a result with the rounds of one run of `ForwardSelection` (`select`), or the
average of several models that are learned from random parts of the learning set (`bagged`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from splc.errors import plural
from splc.learning.features import FeatureTable, stable_order
from splc.learning.judging import influence_model, judged, random_folds
from splc.learning.learner import INTERRUPTED, OnStep
from splc.learning.problem import LearningProblem
from splc.learning.result import LearningResult, Stage, merged_terms
from splc.learning.stepwise.algorithm import ForwardSelection, Outcome
from splc.learning.stepwise.fits import rows_that_count
from splc.learning.stepwise.settings import SPLCONQUEROR_2019, Settings, without_effect
from splc.learning.stepwise.settings import preset as preset_settings
from splc.models.basis.atom import function_names
from splc.types import Array

NAME = "stepwise"
_ARBITRARY = (
    "the first term is the best candidate; the program of 2018 took an arbitrary one, which its logs state "
    "(setting first)"
)


@dataclass(frozen=True)
class StepwiseLearner:
    """Feature forward selection with stepwise regression."""

    preset: str = "default"  # the name of the settings to start from
    # settings that differ from the preset, by SPL Conqueror's names
    changes: Mapping[str, Any] = field(default_factory=dict, hash=False)
    chosen: Settings = field(init=False)
    name = NAME
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
        return judged(
            problem,
            self,
            influence_model(outcome.terms, problem.measurements.system, derived=table.derived),
            termination=outcome.termination,
            seconds=seconds,
            terms=outcome.terms,
            rounds=outcome.rounds,
            notes=[
                *without_effect(self.changes),
                *([_ARBITRARY] if self.preset == SPLCONQUEROR_2019 and not settings.first else []),
                *_notes(settings, problem, outcome),
            ],
        )


def select(
    table: FeatureTable,
    settings: Settings,
    seed: int,
    on_step: OnStep | None = None,
    should_stop: Callable[[], bool] | None = None,
    judge: FeatureTable | None = None,
) -> Outcome:
    """Return the outcome of one run (with folds where the settings ask for them), or of a bag of runs.

    `judge`: the rows that candidates are judged on instead of the learning set; a bag has its own.
    """
    if settings.bagging:
        return bagged(table, settings, seed, on_step, should_stop)
    folds = None
    if judge is None and settings.crossValidation and len(table) > 1:
        # As in SPL Conqueror's program, rows are drawn, whatever their settings.
        folds = random_folds(table, settings.crossValidation_k, seed)
    return ForwardSelection(table, settings, judge, folds).run(on_step, should_stop)


def _notes(settings: Settings, problem: LearningProblem, outcome: Outcome) -> list[str]:
    """Return what the user should know about values that are left out, idle settings, and too many terms."""
    notes = []
    if settings.leastValue and (small := int((problem.target < settings.leastValue).sum())):
        which = f"below {settings.leastValue:g} of {problem.nfp}"
        count = plural(small, f"value {which} is", f"values {which} are")
        text = "left out of the error that selects terms, as in the program of 2018 (setting leastValue)"
        notes.append(f"{count} {text}")
    if settings.bagging and settings.crossValidation:
        notes.append("crossValidation has no effect with bagging: each model is judged by rows that it did not draw")
    if settings.learn_accumulatedLogFunction and not settings.learn_logFunction:
        notes.append("learn_accumulatedLogFunction has no effect without learn_logFunction")
    rows = len(problem.rows)
    if rows > 1 and np.ptp(problem.target) == 0:
        notes.append(f"{problem.nfp} is the same in all configurations learned from: there is nothing to explain")
    elif len(outcome.terms) >= rows > 1:
        notes.append(
            f"the model has as many terms as there are configurations learned from ({rows}): "
            "that it fits them says nothing about others"
        )
    return notes


def bagged(
    problem: FeatureTable,
    settings: Settings,
    seed: int,
    on_step: OnStep | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Outcome:
    """Learn `baggingNumbers` models and average them; a term that a model lacks has the influence 0 in it.

    Each model learns from rows drawn with replacement out of baggingTestDataFraction percent of the learning set
    (without duplicates) and is judged on the rest of that part, or on its own rows if no others are left.

    `on_step`: called after every model. `should_stop`: asked after every round of every model; true keeps the models
    learned so far.
    """
    started, rng, order = time.monotonic(), np.random.default_rng(seed), stable_order(problem)
    size = max(1, round(len(order) * settings.baggingTestDataFraction / 100))
    part = order[rng.permutation(len(order))][:size]
    outcomes: list[Outcome] = []
    for number in range(1, settings.baggingNumbers + 1):
        is_drawn = np.zeros(size, dtype=bool)
        is_drawn[rng.integers(0, size, size)] = True
        drawn, undrawn = problem.rows(part[is_drawn]), problem.rows(part[~is_drawn])
        judge = next((rows for rows in (undrawn, drawn) if rows_that_count(rows.target, settings).any()), problem)
        learner = ForwardSelection(drawn, settings, None if judge is drawn else judge)
        outcomes.append(learner.run(should_stop=should_stop))
        if on_step is not None:
            on_step(Stage(number, f"model {number} of {settings.baggingNumbers}", time.monotonic() - started))
        if outcomes[-1].termination == INTERRUPTED:
            break
    terms = merged_terms(term for outcome in outcomes for term in outcome.terms)
    mean = tuple(replace(term, influence=term.influence / len(outcomes)) for term in terms)
    return Outcome((), mean, INTERRUPTED if outcomes[-1].termination == INTERRUPTED else "bagging")
