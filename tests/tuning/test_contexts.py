"""Values of other contexts, such as an older version: the search learns from them, and they are never the best."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from sampling import Space
from splc.tuning import Goal, Tuner
from tests.tuning.made import SYSTEM, Options, noisy, run, seconds

VALID = Space(SYSTEM).enumerate()


def by_a_factor(options: Options) -> float:
    """Return the time of an older version, which is slower, and more so with the log."""
    return 3 * seconds(options) * (1.3 if options["log"] else 1.0)


def shifted(options: Options) -> float:
    """Return the time of an older version whose codec `fast` was slow."""
    return 2.5 * seconds(options) * (1.4 if options["codec_fast"] else 1.0)


def opposite(options: Options) -> float:
    """Return a value that is best where the time is worst."""
    return 1 / (seconds(options) + 0.1)


@cache
def mean_regret(other: Callable[[Options], float] | None, budget: int, seeds: int) -> float:
    """Return the mean regret in percent of tuning runs that know 60 values of another context, or none."""
    regrets = []
    least = min(seconds(VALID.assignment(row)) for row in range(len(VALID)))
    for seed in range(seeds):
        tuner = Tuner(SYSTEM, "seconds", budget, seed=seed, verify=0)
        rng = np.random.default_rng(seed)
        for row in rng.permutation(len(VALID))[: 60 if other else 0].tolist():
            options = VALID.assignment(row)
            assert other is not None
            tuner.tell(options, other(options) * (1 + 0.03 * float(rng.standard_normal())), context="old")
        run(tuner, noisy(0.03, seed))
        regrets.append(100 * (seconds(tuner.report().best.configuration.assignment(0)) / least - 1))
    return float(np.mean(regrets))


@pytest.mark.parametrize(
    ("other", "budget", "seeds"),
    [
        (by_a_factor, 8, 2),
        (opposite, 8, 2),
        *(
            pytest.param(other, budget, 6, marks=pytest.mark.slow)
            for other in (by_a_factor, shifted, opposite)
            for budget in (8, 12)
        ),
    ],
)
def test_other_contexts_help(other: Callable[[Options], float], budget: int, seeds: int) -> None:
    """With values of another context the configuration that is found is no worse on average; mostly much better."""
    with_others, without = mean_regret(other, budget, seeds), mean_regret(None, budget, seeds)
    assert with_others <= without
    if other is by_a_factor:
        assert with_others < without / 3


def test_values_of_other_contexts_are_no_runs() -> None:
    """They are neither counted, nor searched, nor the best, although they are better and of the same configurations."""
    tuner = Tuner(SYSTEM, "seconds", 12, default={"threads": 1})
    for row in range(0, len(VALID), 9):
        options = VALID.assignment(row)
        tuner.tell(options, seconds(options) / 100, context="faster machine")
    trials = run(tuner, lambda trial: seconds(trial.configuration))
    found = tuner.report()
    assert len(trials) == len(found.trajectory) == len(tuner.history.outcomes) == 12
    assert found.best.value == pytest.approx(min(seconds(trial.configuration) for trial in trials), rel=0.02)
    assert min(step.best or 0.0 for step in found.trajectory) > 1


def test_pending_runs_beside_other_contexts() -> None:
    """Runs that wait are not asked for again, also where their configurations are known of another context."""
    tuner = Tuner(SYSTEM, "seconds", 16, further=[Goal("size")])
    for row in range(0, len(VALID), 9):
        options = VALID.assignment(row)
        tuner.tell(options, {"size": 20.0 - options["level"], "seconds": 2 * seconds(options)}, context="old")
    asked = []
    for _ in range(4):
        batch = [trial for trial in (tuner.ask() for _ in range(4)) if trial is not None]
        asked += [trial.row for trial in batch]
        for trial in batch:
            tuner.tell(
                trial, {"seconds": seconds(trial.configuration), "size": 20.0 - (trial.configuration["level"] or 0)}
            )
    assert len(asked) == len(set(asked)) == 16
    assert tuner.report().front
