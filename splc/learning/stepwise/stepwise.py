"""The stepwise learner: feature forward selection with stepwise regression, as in SPL Conqueror.

Bagging averages several models that are learned from random parts of the learning set.
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
from splc.learning.stepwise.least_squares import rows_that_count
from splc.learning.stepwise.settings import SPLCONQUEROR_2019, Settings, without_effect
from splc.learning.stepwise.settings import preset as preset_settings
from splc.models.basis.atom import function_names
from splc.types import Array

NAME = "stepwise"


@dataclass(frozen=True)
class StepwiseLearner:
    """Feature forward selection with stepwise regression.

    Args:
        preset: name of the settings to start from.
        changes: settings that differ from the preset, by SPL Conqueror's names.

    Raises:
        SpecError: for an unknown preset or setting.
    """

    preset: str = "default"
    changes: Mapping[str, Any] = field(default_factory=dict, hash=False)
    chosen: Settings = field(init=False)
    name: str = field(default=NAME, init=False)
    suffix: str = field(default=".log", init=False)

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
        settings = self.chosen
        started = time.monotonic()
        functions = function_names(settings.functions)
        table = problem.features(settings.learn_numeric_disabled).with_functions(functions)
        judge = problem.judging_features(settings.learn_numeric_disabled)
        judge = None if judge is None else judge.with_functions(functions)
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
            notes=[*without_effect(self.changes), *self._notes_of_2019(), *_notes(settings, problem, outcome)],
        )

    def _notes_of_2019(self) -> list[str]:
        if self.preset != SPLCONQUEROR_2019 or self.chosen.first:
            return []
        return [
            "the first term is the best candidate; the program of 2018 took an arbitrary one, which its logs state "
            "(setting first)"
        ]


def folds_of(table: FeatureTable, settings: Settings, seed: int) -> Array | None:
    """Return the fold of each row, shape (n,); None if the settings ask for no cross-validation, or for a single row.

    As in SPL Conqueror's program, rows are drawn, whatever their settings.
    """
    if not settings.crossValidation or len(table) < 2:
        return None
    return random_folds(table, settings.crossValidation_k, seed)


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
    if judge is not None:
        return ForwardSelection(table, settings, judge=judge).run(on_step, should_stop)
    return ForwardSelection(table, settings, folds=folds_of(table, settings, seed)).run(on_step, should_stop)


def _notes(settings: Settings, problem: LearningProblem, outcome: Outcome) -> list[str]:
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


def part_of(problem: FeatureTable, settings: Settings, rng: np.random.Generator) -> Array:
    """Return the positions of the rows that all models of a bag learn from and are judged by."""
    order = stable_order(problem)
    order = order[rng.permutation(len(order))]
    return order[: max(1, round(len(order) * settings.baggingTestDataFraction / 100))]


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
    started = time.monotonic()
    rng = np.random.default_rng(seed)
    learning_rows = part_of(problem, settings, rng)
    outcomes: list[Outcome] = []
    forward_settings = replace(settings, bagging=False)
    for number in range(1, settings.baggingNumbers + 1):
        is_drawn = np.zeros(len(learning_rows), dtype=bool)
        is_drawn[rng.integers(0, len(learning_rows), len(learning_rows))] = True
        drawn_table, undrawn = problem.rows(learning_rows[is_drawn]), problem.rows(learning_rows[~is_drawn])
        judge = next((rows for rows in (undrawn, drawn_table) if rows_that_count(rows.target, settings).any()), problem)
        learner = ForwardSelection(drawn_table, forward_settings, None if judge is drawn_table else judge)
        outcomes.append(learner.run(should_stop=should_stop))
        if on_step is not None:
            on_step(Stage(number, f"model {number} of {settings.baggingNumbers}", time.monotonic() - started))
        if outcomes[-1].termination == INTERRUPTED:
            break
    terms = merged_terms(term for outcome in outcomes for term in outcome.terms)
    mean = tuple(replace(term, influence=term.influence / len(outcomes)) for term in terms)
    return Outcome((), mean, INTERRUPTED if outcomes[-1].termination == INTERRUPTED else "bagging")
