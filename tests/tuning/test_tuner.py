"""Tuners: what they ask for and are told, and studies of Optuna."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from sampling import Space
from splc.data.configurations import Configurations
from splc.system.variability import VariabilityModel
from splc.tuning import Goal, Limit, Tuner, TuningTrial, from_optuna, tune
from tests.support.golden_messages import Lines, check_calls
from tests.support.objects import present
from tests.tuning.made import KERNEL, SYSTEM, kernel_seconds, noisy, run, seconds


def asked(tuner: Tuner, sd: float = 0.0) -> list[tuple[str, tuple[tuple[str, float | None], ...]]]:
    """Return why and what a tuner asks for."""
    return [(trial.why, tuple(trial.configuration.items())) for trial in run(tuner, noisy(sd, 5))]


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_the_best_configuration_is_found(seed: int) -> None:
    """With 30 runs of 450 valid configurations the best one is found, although log does nothing."""
    tuner = Tuner(SYSTEM, "seconds", 30, default={"threads": 1}, seed=seed)
    trials = run(tuner, lambda trial: seconds(trial.configuration))
    best = tuner.report().best
    assert len(trials) <= 30
    assert best.value == pytest.approx(
        seconds({"threads": 8, "level": 3, "codec_fast": 1, "codec_none": 0, "cache": 1})
    )
    assert tuner.done


def test_divisible_blocks() -> None:
    """With 20 runs, searches find 25 % of the best, although most blocks that do not divide evenly are slow."""
    best = kernel_seconds({"block_x": 128, "block_y": 1, "tile_x": 1, "tile_y": 4, "shared": 0, "padding": 0})
    found = []
    for seed in range(6):
        run(tuner := Tuner(KERNEL, "seconds", 20, seed=seed), lambda trial: kernel_seconds(trial.configuration))
        found.append(tuner.report().best.value / best)
    assert sorted(found)[4] < 1.25, found


@cache
def long_run() -> tuple[list[TuningTrial], Configurations]:
    """Return the trials of 40 runs with noise, and their configurations."""
    tuner = Tuner(SYSTEM, "seconds", 40)
    return run(tuner, noisy(0.05, 1)), tuner.history.configurations


def test_nothing_is_searched_twice() -> None:
    """No configuration is asked for again but to repeat the best one and to verify; all are valid."""
    trials, configurations = long_run()
    times = Counter(trial.row for trial in trials if trial.why in ("default", "cover", "search"))
    assert set(times.values()) == {1}
    assert {trial.why for trial in trials} == {"cover", "search", "repeat", "choose", "verify"}
    assert Space(SYSTEM).check(configurations).all()


def test_every_value_is_seen_first() -> None:
    """The first design has every value of every option, ranges of values of options with many."""
    first = [trial.configuration for trial in long_run()[0] if trial.why == "cover"]
    assert 5 <= len(first) <= 12
    for name in ("cache", "log", "codec_none", "codec_fast", "codec_small"):
        assert {each[name] for each in first} == {0, 1}
    assert {each["threads"] for each in first} == {1, 2, 4, 8, 16}


def test_the_same_seed_asks_the_same() -> None:
    """Two tuners of one seed ask for the same runs, also with noise; another seed asks for others."""
    one, same, other = (asked(Tuner(SYSTEM, "seconds", 16, seed=seed), 0.05) for seed in (3, 3, 4))
    assert one == same
    assert one != other


@pytest.mark.parametrize("after", [20, *(pytest.param(after, marks=pytest.mark.slow) for after in (1, 7, 26))])
def test_told_again(after: int) -> None:
    """A new tuner that is told what another one was asks for the same runs from there on."""
    one, other = (Tuner(SYSTEM, "seconds", 30, default={"threads": 1}) for _ in "ab")
    rest = run(one, noisy(0.05, 2))
    values = [outcome.values["seconds"] for outcome in one.history.outcomes]
    for number in range(after):
        trial = other.ask()
        assert trial == rest[number]
        other.tell(present(trial), values[number])
    left = iter(values[after:])
    assert run(other, lambda trial: next(left)) == rest[after:]


def test_until() -> None:
    """The search ends when little is expected of further runs; what it found is verified."""
    tuner = Tuner(SYSTEM, "seconds", None, until=0.1, verify=4)
    trials = run(tuner, noisy(0.01, 1))
    assert 15 < len(trials) < 300
    assert [trial.why for trial in trials][-4:] == ["verify"] * 4
    assert tuner.report().best.configuration.assignment(0)["threads"] == 8
    last = [trial.expected_gain for trial in trials if trial.expected_gain is not None][-5:]
    assert max(last) < 0.1


def test_no_budget() -> None:
    """Without a budget the search goes on until it is ended; then the runs that verify follow."""
    tuner = Tuner(SYSTEM, "seconds", None)
    measure = noisy(0.05, 1)
    for _ in range(30):
        trial = present(tuner.ask())
        tuner.tell(trial, measure(trial))
    assert tuner.searches
    tuner.end_search()
    assert [trial.why for trial in run(tuner, measure)] == ["choose"] * 3 + ["verify"] * 6


def test_race() -> None:
    """Trials of the search state where they may be ended; what was ended is no failure and never the best."""
    tuner = Tuner(SYSTEM, "seconds", 34, race=1.3)
    best, ended = 1e9, 0
    while (trial := tuner.ask()) is not None:
        value = seconds(trial.configuration)
        assert trial.at_most == (pytest.approx(1.3 * best) if trial.why in ("cover", "search") and best < 1e9 else None)
        if trial.at_most is not None and value > trial.at_most:
            tuner.tell(trial, failed="ended", at_least=trial.at_most)
            ended += 1
        else:
            tuner.tell(trial, value)
            best = min(best, value)
    found = tuner.report()
    assert ended >= 10
    assert found.failures == 0
    assert found.best.value == pytest.approx(best)
    assert seconds(found.best.configuration.assignment(0)) == best


def test_cost() -> None:
    """With a cost the search prefers cheap runs, and finds as good a configuration."""
    costly = []
    for cost in (None, "cost"):
        tuner = Tuner(SYSTEM, "seconds", 24, cost=cost, verify=0)
        trials = run(
            tuner, lambda t: {"seconds": seconds(t.configuration), "cost": 1e6 if t.configuration["log"] else 1}
        )
        search = [trial for trial in trials if trial.why == "search"]
        costly.append(sum(trial.configuration["log"] == 1 for trial in search))
        assert tuner.report().best.value == pytest.approx(1.771, abs=0.01)
    assert costly[1] < costly[0] / 2


def test_several_at_once() -> None:
    """Runs that are asked for before others are told differ from each other, also in the search."""
    tuner = Tuner(SYSTEM, "seconds", 24, verify=0)
    for _ in range(6):
        batch = [tuner.ask() for _ in range(4)]
        rows = [trial.row for trial in batch if trial is not None]
        assert len(set(rows)) == len(rows) == 4
        for trial in batch[::-1]:
            assert trial is not None
            tuner.tell(trial, seconds(trial.configuration))
    assert tuner.ask() is None
    assert tuner.done
    least = min(seconds(trial.configuration) for trial in tuner.history.trials)
    assert tuner.report().best.value == pytest.approx(least)


def test_failures_are_left_alone() -> None:
    """Of a quarter of the space that fails, with the best values, little is tried, and nothing again."""
    tuner = Tuner(SYSTEM, "seconds", 40)
    fails = {"codec_fast": 1, "cache": 1}

    def measure(trial: TuningTrial) -> float | None:
        value = seconds(trial.configuration) * (1 + 0.001 * trial.repetition)
        return None if fails.items() <= trial.configuration.items() else value

    trials = run(tuner, measure)
    failed = [outcome for outcome in tuner.history.outcomes if outcome.failure]
    assert 1 <= len(failed) <= 0.2 * len(trials)
    assert len({outcome.row for outcome in failed}) == len(failed)
    found = tuner.report()
    # The best of the rest: no codec with the cache.
    assert found.best.configuration.assignment(0)["codec_none"] == 1
    assert found.failures == len(failed)
    assert found.failing in ("", f"all {len(failed)} runs with cache and codec_fast failed")


@pytest.mark.parametrize("seed", [1, 7])
def test_beside_failures(seed: int) -> None:
    """The best configuration is found at the edge of those that fail, although all runs like it did."""
    system = VariabilityModel.of(
        {
            **{"x": [16, 32, 48, 64, 80, 96, 112, 128, 192, 256], "y": [1, 2, 4, 8, 16], "tile": [1, 2, 3, 4]},
            **{"ro": bool, "sh": bool},
        }
    )

    def value(trial: TuningTrial) -> float | None:
        x, y, tile, ro, sh = (trial.configuration[name] or 0 for name in ("x", "y", "tile", "ro", "sh"))
        flags = (1.2 if ro else 1) * (1 if sh else 1.3) * (1.6 if x % 32 else 1)
        time = (1 + 0.3 * abs(math.log2(x / 128))) * (1 + 0.25 * abs(math.log2(y / 8))) * (1.5 - 0.1 * tile) * flags
        return None if x * y > 1024 else time

    tuner = Tuner(system, "seconds", 40, verify=0, seed=seed)
    run(tuner, value)
    found = tuner.report()
    assert found.best.value == pytest.approx(1.1)
    assert found.failures <= 6


def test_a_limit_is_kept() -> None:
    """The best configuration is within a limit of another property, whose model keeps the search there."""
    limit = Limit("size", "<=", 3.0)
    tuner = Tuner(SYSTEM, "seconds", 24, limits=[limit])
    run(
        tuner, lambda trial: {"seconds": seconds(trial.configuration), "size": 10 - (trial.configuration["level"] or 0)}
    )
    found = tuner.report()
    assert found.best.configuration.assignment(0)["level"] == 7
    within = [step.values["size"] <= 3 for step in found.trajectory if step.why == "search"]
    assert sum(within) > len(within) / 2


def test_a_value_that_was_not_asked_for() -> None:
    """A told configuration counts for the model, is not asked for again, and can be the best one."""
    tuner = Tuner(SYSTEM, "seconds", 8)
    own = {"cache": 1, "log": 0, "codec_none": 0, "codec_fast": 1, "codec_small": 0, "threads": 8, "level": 3}
    tuner.tell(own, seconds(own))
    trials = run(tuner, lambda trial: seconds(trial.configuration))
    assert {**own, "codec": 1} not in [dict(trial.configuration) for trial in trials]
    assert tuner.report().best.configuration.assignment(0) == {**own, "codec": 1}


def test_ends_of_runs() -> None:
    """Ends of tuning runs, and contradicting settings and values, have the results in the golden file."""

    def tuned(value: Callable[[Any], Any], budget: int = 24, system: VariabilityModel = SYSTEM, **more: Any) -> Lines:
        """Return the number of runs, the best value, and the values of options that no option is without."""
        tuner = Tuner(system, "seconds", budget, **more)
        trials = run(tuner, lambda trial: value(trial.configuration))
        assert tuner.done
        found = tuner.report()
        best = {name: own for name, own in found.best.configuration.assignment(0).items() if own and name != "log"}
        gain = "" if found.gain is None else f", {found.gain.percent + 0.0:.3g} % better than the default"
        return Lines(f"{len(trials)} runs, {found.failures} without a value: {found.best.value:.4f}{gain}, {best}")

    def told(*values: Any, **settings: Any) -> None:
        tuner = Tuner(SYSTEM, "seconds", **{"budget": 10, **settings})
        trial = present(tuner.ask())
        for value in values:
            tuner.tell(trial, value)

    check_calls("tuner", told, tuned, seconds, Goal=Goal, SMALL=VariabilityModel.of({"a": bool, "b": bool}))


def test_in_one_call() -> None:
    """`tune` calls a function; an error that it raises is a failed run."""

    def measure(options: Any) -> float:
        if options["threads"] == 16:
            raise TimeoutError("after 60 s")
        return seconds(options)

    found = tune(SYSTEM, measure, "seconds", 30)
    assert found.best.configuration.assignment(0)["threads"] == 8
    assert {step.failure for step in found.trajectory} == {None, "TimeoutError: after 60 s"}
    assert list(found.to_columns())[:2] == ["run", "why"]
    assert "best seconds" in found.summary()


@pytest.fixture
def optuna() -> Any:
    """Return the package, which says nothing about trials, if it is installed."""
    package: Any = pytest.importorskip("optuna")
    package.logging.set_verbosity(package.logging.ERROR)
    return package


def objective(trial: Any) -> float:
    """Return the value of a trial: the best one has codec b, cache, 4 threads and x = 2."""
    codec, cache = trial.suggest_categorical("codec", ["a b", "b"]), trial.suggest_categorical("cache", [True, False])
    threads, x = trial.suggest_int("threads", 1, 8), trial.suggest_float("x", 0.5, 8, log=True)
    if threads == 7:
        raise ValueError
    return float(2 + abs(threads - 4) + abs(x - 2) + (codec == "b") * -1 + cache * -0.5)


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_a_study_is_continued(optuna: Any, direction: str) -> None:
    """A tuner of a study has its parameters and trials, and finds a better configuration."""
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


def test_several_objectives(optuna: Any) -> None:
    """A study of two objectives gives a front."""
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=optuna.samplers.RandomSampler(seed=1))
    study.optimize(lambda trial: (trial.suggest_int("x", 0, 20, step=2), trial.suggest_float("y", 0, 1)), n_trials=8)
    tuner = from_optuna(study, 5)
    assert [(goal.nfp, goal.maximize) for goal in tuner.objective.goals] == [("value_0", False), ("value_1", True)]
    assert len(tuner.system.option("x").values) == 11  # type: ignore[union-attr]
    assert tuner.ask() is not None
