"""Failed runs have no value; runs of other contexts are learned from, and are never the best."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from splc.system.variability import VariabilityModel
from splc.tuning import Goal, Limit, Tuner, TuningTrial
from tests.support.objects import present
from tests.tuning.made import EVERY, SYSTEM, TIMES, VALID, Options, noisy, run, seconds


def told(seed: int, kind: str | None, **settings: object) -> tuple[Tuner, list[Options]]:
    """Return a tuner that knows 40 runs, and those that have a value; half of those like the best have none.

    `kind`: how the others end, None: they were not run.
    """
    tuner = Tuner(SYSTEM, "seconds", 1, seed=seed, **settings)  # type: ignore[arg-type]
    measured: list[Options] = []
    for row in np.random.default_rng(seed).permutation(len(VALID))[:40].tolist():
        options = {name: int(value) for name, value in VALID.assignment(row).items()}
        if options["codec_fast"] and options["cache"] and row % 2:
            if kind is not None:
                tuner.tell(options, failed=kind, at_least=30.0 if kind == "ended" else None)
            continue
        value = seconds(options)
        size = 20.0 - options["level"]
        tuner.tell(options, {name: {"seconds": value, "speed": 1 / value, "size": size}[name] for name in names(tuner)})
        measured.append(options)
    return tuner, measured


def names(tuner: Tuner) -> tuple[str, ...]:
    """Return the properties of the runs of a tuner."""
    return tuner.objective.properties


@pytest.mark.parametrize("kind", ["failed", "ended"])
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 6))])
def test_the_best_is_the_best_measured_one(seed: int, kind: str) -> None:
    """Without noise the best configuration is the one with the least value, whatever failed beside it."""
    tuner, measured = told(seed, kind)
    found = tuner.report()
    assert any(outcome.failure for outcome in tuner.history.outcomes)
    assert seconds(found.best.configuration.assignment(0)) == min(map(seconds, measured))


@pytest.mark.parametrize("settings", [{}, {"further": [Goal("size", maximize=True)]}])
def test_failures_do_not_change_what_is_judged(settings: dict[str, object]) -> None:
    """The best configuration, its predicted value and a front are the same with and without failed runs."""
    one, other = (told(3, kind, **settings)[0].report() for kind in (None, "failed"))
    assert one.best.value == other.best.value
    assert [dict(point.means) for point in one.front] == [dict(point.means) for point in other.front]
    assert other.failures > one.failures == 0


def test_a_value_that_fails_matters() -> None:
    """An option of which one value always fails is not among those that do not matter."""
    tuner = Tuner(SYSTEM, "seconds", 24, verify=0)
    run(tuner, lambda trial: None if trial.configuration["log"] else seconds(trial.configuration))
    found = tuner.report()
    assert found.best.configuration.assignment(0)["log"] == 0
    assert "log" not in found.indifferent


SOLVER = VariabilityModel.of({"pcg": bool, "smooth": ["gs", "jacobi", "cheb"], "n": [100, 200, 300, 400]})


def solved(trial: TuningTrial) -> float | None:
    """Return a run time without noise; runs with the two best values of all fail."""
    options = trial.configuration
    if options["pcg"] and options["smooth_gs"]:
        return None
    factor = 0.5 if options["smooth_gs"] else 1.3 if options["smooth_jacobi"] else 0.8
    return (options["n"] or 0) ** 2 * 1e-5 * factor * (1.0 if options["pcg"] else 1.7)


@pytest.mark.slow
def test_values_with_which_all_runs_fail_are_left_out() -> None:
    """As soon as chance does not explain it, few runs have values with which all failed, and the result names them."""
    tuner = Tuner(SOLVER, "seconds", 24, verify=0)
    trials = run(tuner, solved)
    found = tuner.report()
    failed = sum(bool(trial.configuration["pcg"] and trial.configuration["smooth_gs"]) for trial in trials)
    assert failed <= 4
    assert found.failing == f"all {failed} runs with pcg and smooth=gs failed"
    assert not tuner.done or len(trials) <= 24
    best = TuningTrial(1, "search", found.best.configuration.assignment(0), 0, 0)
    assert solved(best) == pytest.approx(0.08)


def test_a_search_ends_where_nothing_is_expected() -> None:
    """No run is spent on configurations that cannot be better; with a share for a good model they are run."""
    early, whole = Tuner(SOLVER, "seconds", 22, verify=1), Tuner(SOLVER, "seconds", 18, verify=0, explore=0.5)
    assert len(run(early, lambda trial: (trial.configuration["n"] or 0) * 1e-2)) < 22
    assert early.done
    assert early.nothing_expected
    assert len(run(whole, lambda trial: (trial.configuration["n"] or 0) * 1e-2)) == 18


def test_changes_that_cost_have_a_reason() -> None:
    """A change that costs by itself is listed with the limit that forces it; one that gains has none."""
    limit = Limit("size", "<=", 6)
    tuner = Tuner(SOLVER, "seconds", 20, {"pcg": 0, "smooth": "gs", "n": 400}, limits=[limit], verify=2)

    def measure(trial: TuningTrial) -> dict[str, float]:
        large = trial.configuration["smooth_gs"]
        return {"seconds": (trial.configuration["n"] or 0) * (0.5 if large else 1), "size": 8.0 if large else 4.0}

    run(tuner, measure)
    found = tuner.report()
    reasons = {change.option: change.because for change in found.changes}
    assert reasons["smooth"] == "size <= 6"
    assert reasons["n"] == ""
    assert all(bool(change.because) == (change.change > 0) for change in found.changes)


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
    for seed in range(seeds):
        tuner = Tuner(SYSTEM, "seconds", budget, seed=seed, verify=0)
        rng = np.random.default_rng(seed)
        for row in rng.permutation(len(VALID))[: 60 if other else 0].tolist():
            tuner.tell(
                EVERY[row], present(other)(EVERY[row]) * (1 + 0.03 * float(rng.standard_normal())), context="old"
            )
        run(tuner, noisy(0.03, seed))
        regrets.append(100 * (seconds(tuner.report().best.configuration.assignment(0)) / TIMES.min() - 1))
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
    for options in EVERY[::9]:
        tuner.tell(options, seconds(options) / 100, context="faster machine")
    trials = run(tuner, lambda trial: seconds(trial.configuration))
    found = tuner.report()
    assert len(trials) == len(found.trajectory) == len(tuner.history.outcomes) == 12
    assert found.best.value == pytest.approx(min(seconds(trial.configuration) for trial in trials), rel=0.02)
    assert min(step.best or 0.0 for step in found.trajectory) > 1


def test_pending_runs_beside_other_contexts() -> None:
    """Runs that wait are not asked for again, also where their configurations are known of another context."""
    tuner = Tuner(SYSTEM, "seconds", 16, further=[Goal("size")])
    for options in EVERY[::9]:
        tuner.tell(options, {"size": 20.0 - options["level"], "seconds": 2 * seconds(options)}, context="old")
    asked = []
    for _ in range(4):
        batch = [trial for trial in (tuner.ask() for _ in range(4)) if trial is not None]
        asked += [trial.row for trial in batch]
        for trial in batch:
            size = 20.0 - (trial.configuration["level"] or 0)
            tuner.tell(trial, {"seconds": seconds(trial.configuration), "size": size})
    assert len(asked) == len(set(asked)) == 16
    assert tuner.report().front
