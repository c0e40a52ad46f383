"""Studies of Optuna as tuning runs."""

from __future__ import annotations

from typing import Any

import pytest

from splc.tuning import from_optuna

optuna: Any = pytest.importorskip("optuna")


def objective(trial: Any) -> float:
    """Return the value of a trial: the best one has codec b, cache, 4 threads and x = 2."""
    codec, cache = trial.suggest_categorical("codec", ["a b", "b"]), trial.suggest_categorical("cache", [True, False])
    threads, x = trial.suggest_int("threads", 1, 8), trial.suggest_float("x", 0.5, 8, log=True)
    if threads == 7:
        raise ValueError
    return float(2 + abs(threads - 4) + abs(x - 2) + (codec == "b") * -1 + cache * -0.5)


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_a_study_is_continued(direction: str) -> None:
    """A tuner of a study has its parameters and trials, and finds a better configuration."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(direction=direction, sampler=optuna.samplers.RandomSampler(seed=1))
    study.optimize(objective, n_trials=15, catch=ValueError)
    tuner = from_optuna(study, 20)
    assert len(tuner.history.outcomes) == 15
    assert len(tuner.history.failed) == sum(trial.state.name == "FAIL" for trial in study.trials) > 0
    assert {option.name for option in tuner.system.options} >= {"codec_b", "cache", "threads", "x"}
    while (trial := tuner.ask()) is not None:
        values = {**trial.configuration, "codec": "b" if trial.configuration["codec_b"] else "a b"}
        values["cache"] = bool(values["cache"])
        try:
            tuner.tell(trial, objective(optuna.trial.FixedTrial(values)))
        except ValueError:
            tuner.tell(trial, failed="7 threads")
    found = tuner.report()
    best = found.best.configuration.assignment(0)
    if direction == "minimize":
        assert (best["codec_b"], best["cache"], best["threads"]) == (1, 1, 4)
        assert found.best.value < study.best_value
    else:
        assert found.best.value > study.best_value


def test_several_objectives() -> None:
    """A study of two objectives gives a front."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=optuna.samplers.RandomSampler(seed=1))
    study.optimize(lambda trial: (trial.suggest_int("x", 0, 20, step=2), trial.suggest_float("y", 0, 1)), n_trials=8)
    tuner = from_optuna(study, 5)
    assert [(goal.nfp, goal.maximize) for goal in tuner.objective.goals] == [("value_0", False), ("value_1", True)]
    assert len(tuner.system.option("x").values) == 11  # type: ignore[union-attr]
    assert tuner.ask() is not None
