"""Bagging: the mean of several models that are learned from random parts of the learning set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from splc.learning.features import FeatureTable
from splc.learning.result import LearnedTerm, merged_terms
from splc.learning.stepwise.algorithm import ForwardSelection, Outcome
from splc.learning.stepwise.folds import stable_order
from splc.learning.stepwise.scoring import rows_that_count
from splc.learning.stepwise.settings import Settings


def bagged(
    problem: FeatureTable, settings: Settings, seed: int, should_stop: Callable[[], bool] | None = None
) -> Outcome:
    """Learn `baggingNumbers` models and average them; a term that a model lacks has the influence 0 in it.

    Each model learns from rows drawn with replacement out of baggingTestDataFraction percent of the learning set
    (without duplicates) and is judged on the rest of that part, or on its own rows if no others are left.

    `should_stop`: asked after every round of every model; true keeps the models learned so far.
    """
    rng = np.random.default_rng(seed)
    order = stable_order(problem)
    order = order[rng.permutation(len(order))]
    part = order[: max(1, round(len(order) * settings.baggingTestDataFraction / 100))]
    terms: list[LearnedTerm] = []
    learned = 0
    single = replace(settings, bagging=False)
    termination = "bagging"
    for _ in range(settings.baggingNumbers):
        drawn = np.zeros(len(part), dtype=bool)
        drawn[rng.integers(0, len(part), len(part))] = True
        picked, rest = problem.rows(part[drawn]), problem.rows(part[~drawn])
        judge = next((rows for rows in (rest, picked) if rows_that_count(rows.target, settings).any()), problem)
        outcome = ForwardSelection(picked, single, None if judge is picked else judge).run(should_stop=should_stop)
        learned += 1
        terms += outcome.terms
        if outcome.termination == "interrupted":
            termination = "interrupted"
            break
    mean = tuple(replace(term, influence=term.influence / learned) for term in merged_terms(terms))
    return Outcome((), mean, termination)
