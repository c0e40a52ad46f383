"""Bagging: the mean of several models that are learned from random parts of the learning set."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from splc.learning.features import FeatureTable, stable_order
from splc.learning.loop import INTERRUPTED, OnStep
from splc.learning.result import Stage, merged_terms
from splc.learning.stepwise.algorithm import ForwardSelection, Outcome
from splc.learning.stepwise.scoring import rows_that_count
from splc.learning.stepwise.settings import Settings
from splc.types import Array


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
