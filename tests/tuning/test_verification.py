"""Verification: the reported value comes from fresh runs only, and the sparse winner has few changes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from splc.tuning import Gain, MeanValue, Tuner, TuningResult, TuningTrial
from tests.tuning.made import SYSTEM, noisy, run, seconds


@cache
def with_default(drift: float) -> tuple[list[TuningTrial], TuningResult]:
    """Return the trials and the result of a run with a default, on a machine that is slower in the verification."""
    tuner, measure = Tuner(SYSTEM, "seconds", 40, default={"threads": 1}), noisy(0.02, 1)
    return run(tuner, lambda trial: measure(trial) * (drift if trial.why == "verify" else 1.0)), tuner.report()


@pytest.mark.parametrize(
    ("sd", "seeds"), [(0.2, 2), *(pytest.param(sd, 40, marks=pytest.mark.slow) for sd in (0.05, 0.2))]
)
def test_the_reported_value_is_unbiased(sd: float, seeds: int) -> None:
    """The reported value is the mean of fresh runs, so that its mean error over many runs with noise is about 0."""
    errors, covered = [], []
    for seed in range(seeds):
        tuner = Tuner(SYSTEM, "seconds", 30, seed=seed)
        trials = run(tuner, noisy(sd, seed))
        values = [outcome.values["seconds"] for outcome in tuner.history.outcomes]
        best = tuner.report().best
        fresh = [value for trial, value in zip(trials, values, strict=True) if trial.why == "verify"]
        assert best.value == pytest.approx(np.mean(fresh))
        true = seconds(best.configuration.assignment(0))
        errors.append(best.value / true - 1)
        assert best.mean.low is not None
        assert best.mean.high is not None
        covered.append(best.mean.low <= true <= best.mean.high)
        assert best.mean.runs == 6
    # Three standard errors of a mean of means of 6 runs.
    assert abs(np.mean(errors)) < 3 * sd / np.sqrt(seeds * 6)
    assert np.mean(covered) >= 0.8


def test_the_default_runs_in_turn() -> None:
    """The winner and the default are run in turn, as often each, so that the gain has an interval."""
    trials, found = with_default(1.0)
    last = [trial for trial in trials if trial.why == "verify"]
    default = trials[0].row
    assert [trial.row == default for trial in last] == [False, True] * 3
    assert found.default is not None
    assert found.gain is not None
    assert found.default.mean.runs == found.best.mean.runs == 3
    true = 100 * (1 - seconds(found.best.configuration.assignment(0)) / seconds(trials[0].configuration))
    assert found.gain.low is not None
    assert found.gain.high is not None
    assert found.gain.low < true < found.gain.high


@pytest.mark.parametrize("log", [1, pytest.param(0, marks=pytest.mark.slow)])
def test_only_changes_that_matter_are_left(log: int) -> None:
    """The winner has the value of the default where an option does nothing."""
    tuner = Tuner(SYSTEM, "seconds", 40, default={"threads": 1, "log": log}, explore=0.1)
    run(tuner, noisy(0.01, 4))
    found = tuner.report()
    assert found.best.configuration.assignment(0)["log"] == log
    assert {change.option for change in found.changes} <= {"threads", "cache", "level", "codec"}
    assert "log" in found.indifferent


def test_without_noise() -> None:
    """A property without noise is measured once more, and the rest of the budget is searched."""
    tuner = Tuner(SYSTEM, "seconds", 30)
    trials = run(tuner, lambda trial: seconds(trial.configuration))
    assert [trial.why for trial in trials].count("verify") == 1
    assert [trial.why for trial in trials].count("repeat") == 1


def test_small_budgets() -> None:
    """A budget below 30 has no verification; the value is what the model says, with its interval."""
    tuner = Tuner(SYSTEM, "seconds", 20)
    trials = run(tuner, noisy(0.05, 1))
    assert {trial.why for trial in trials} <= {"cover", "search", "repeat"}
    best = tuner.report().best
    assert best.mean.runs == 0
    assert best.mean.low is not None
    assert best.mean.low < best.value


def test_drift() -> None:
    """A machine that is slower in the verification is told by the default; noise is not."""
    assert with_default(1.0)[1].drift is None
    assert with_default(1.5)[1].drift == pytest.approx(50, abs=10)


def test_gain() -> None:
    """The gain is in percent of the default, and positive where the best one is better."""
    best, default = MeanValue.of([1.0, 1.0]), MeanValue.of([2.0, 2.0])
    for gain, percent in ((Gain.of(best, default, False), 50), (Gain.of(default, best, True), 100)):
        assert gain is not None
        assert (gain.percent, gain.low, gain.high) == (percent, percent, percent)
    assert Gain.of(best, MeanValue.of([0.0]), False) is None


def test_intervals_of_means() -> None:
    """The 95 % interval of the mean of three values is that of Student's t distribution with two degrees of freedom."""
    mean = MeanValue.of([1.0, 2.0, 3.0])
    # The quantile 4.303 is in every table.
    assert mean.low == pytest.approx(2 - 4.303 / np.sqrt(3), abs=1e-3)
    assert mean.high == pytest.approx(2 + 4.303 / np.sqrt(3), abs=1e-3)


def test_runs_before_an_extension_are_not_fresh() -> None:
    """With a larger budget the search continues, and the reported value comes from runs after the last search."""
    tuner = Tuner(SYSTEM, "seconds", 30, default={"threads": 1})
    measure = noisy(0.05, 3)
    run(tuner, measure)
    before = tuner.report().best.mean.runs
    tuner.extend(42)
    trials = run(tuner, measure)
    assert len(trials) == 12
    assert [trial.why for trial in trials[-9:]] == ["choose"] * 3 + ["verify"] * 6
    assert tuner.report().best.mean.runs == before == 3
    later = [outcome.values["seconds"] for outcome in tuner.history.outcomes[30:] if tuner.history.is_fresh(outcome)]
    assert len(later) == 6
