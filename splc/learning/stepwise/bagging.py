"""Bagging: the mean of several models that are learned from random parts of the learning set."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from splc.learning.features import FeatureTable, stable_order
from splc.learning.loop import INTERRUPTED, OnStep, run_loop
from splc.learning.result import Stage, merged_terms
from splc.learning.stepwise.algorithm import ForwardSelection, Outcome
from splc.learning.stepwise.scoring import rows_that_count
from splc.learning.stepwise.settings import Settings


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

    Args:
        problem: the learning set.
        settings: the settings.
        seed: the seed of the draws.
        on_step: called after every model.
        should_stop: asked after every round of every model; true keeps the models learned so far.
    """
    search = _Bag(problem, settings, seed, should_stop)
    _, termination = run_loop(search, on_step)
    terms = merged_terms(term for outcome in search.outcomes for term in outcome.terms)
    mean = tuple(replace(term, influence=term.influence / len(search.outcomes)) for term in terms)
    return Outcome((), mean, termination)


class _Bag:
    """The models of a bag; every step learns one."""

    def __init__(
        self, problem: FeatureTable, settings: Settings, seed: int, should_stop: Callable[[], bool] | None
    ) -> None:
        self.problem, self.settings, self.should_stop = problem, settings, should_stop
        self.started = time.monotonic()
        self.rng = np.random.default_rng(seed)
        order = stable_order(problem)
        order = order[self.rng.permutation(len(order))]
        self.part = order[: max(1, round(len(order) * settings.baggingTestDataFraction / 100))]
        self.outcomes: list[Outcome] = []

    def step(self) -> Stage:
        """Learn a further model."""
        problem, settings, part = self.problem, self.settings, self.part
        drawn = np.zeros(len(part), dtype=bool)
        drawn[self.rng.integers(0, len(part), len(part))] = True
        picked, rest = problem.rows(part[drawn]), problem.rows(part[~drawn])
        judge = next((rows for rows in (rest, picked) if rows_that_count(rows.target, settings).any()), problem)
        learner = ForwardSelection(picked, replace(settings, bagging=False), None if judge is picked else judge)
        self.outcomes.append(learner.run(should_stop=self.should_stop))
        number = len(self.outcomes)
        return Stage(number, f"model {number} of {settings.baggingNumbers}", time.monotonic() - self.started)

    def terminate(self, last: Stage | None) -> str | None:
        """Return whether all models are learned, or learning was interrupted."""
        if last is not None and self.outcomes[-1].termination == INTERRUPTED:
            return INTERRUPTED
        return "bagging" if len(self.outcomes) == self.settings.baggingNumbers else None
