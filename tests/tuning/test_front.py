"""Fronts of several properties, and the verification of the best configuration."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import pytest

from sampling import Space
from splc.data.configurations import Configurations
from splc.system.variability import VariabilityModel
from splc.tuning import Gain, Goal, Limit, MeanValue, Tuner, TuningResult, TuningTrial, replay
from splc.tuning.front import TrueFront, front_places, hypervolume
from splc.types import Array
from tests.support.golden_messages import check_calls, shown
from tests.support.objects import present
from tests.tuning.made import EVERY, SYSTEM, TIMES, VALID, Options, noisy, run, seconds


def values(options: Options) -> dict[str, float]:
    """Return the time and the size of a configuration: fast ones are large."""
    size = 20 - 1.5 * (options["level"] or 0) + 0.5 * (options["threads"] or 0)
    size += 4 * (options["cache"] or 0) + 3 * (options["codec_none"] or 0) - 5 * (options["codec_small"] or 0)
    return {"seconds": seconds(options), "size": size}


def tuned(tuner: Tuner, sd: float = 0.0) -> TuningResult:
    """Return the result of a tuning run with noise of a relative standard deviation."""
    rng = np.random.default_rng(tuner.seed)

    def measure(trial: TuningTrial) -> dict[str, float]:
        own = values(trial.configuration).items()
        return {name: value * (1 + sd * float(rng.standard_normal())) for name, value in own}

    run(tuner, measure)
    return tuner.report()


volume = partial(hypervolume, reference=np.array([12.0, 22.0]))


@pytest.mark.parametrize(
    ("seed", "budget"), [(3, 40), *(pytest.param(seed, 60, marks=pytest.mark.slow) for seed in range(2))]
)
def test_the_front_is_found(seed: int, budget: int) -> None:
    """60 runs of 450 configurations find nearly all of the front; each reported configuration has fresh runs."""
    known = np.array([list(values(options).values()) for options in EVERY])
    tuner = Tuner(SYSTEM, "seconds", budget, {"threads": 1}, further=(Goal("size"),), seed=seed)
    found = tuned(tuner, 0.02)
    rows = VALID.find(tuner.history.configurations)
    assert volume(known[rows]) > 0.97 * volume(known)
    drawn = [volume(known[np.random.default_rng(s).choice(len(known), 45, replace=False)]) for s in range(20)]
    assert np.mean(drawn) < 0.9 * volume(known)
    front = known[VALID.find(Configurations.concatenate([each.configuration for each in found.front]))]
    assert volume(front) > 0.85 * volume(known)
    assert all(each.fresh and each.means["size"].runs >= 2 for each in found.front)
    times = [each.means["seconds"].value for each in found.front]
    assert times == sorted(times)
    sizes = [each.means["size"].value for each in found.front]
    assert sizes == sorted(sizes, reverse=True)


def test_directions_and_limits() -> None:
    """A property can be wanted large; configurations beyond a limit are not in the front."""
    limits = (Limit("seconds", "<=", 3.0),)
    tuner = Tuner(SYSTEM, "seconds", 30, further=(Goal("size", maximize=True),), limits=limits)
    found = tuned(tuner)
    sizes = [each.means["size"].value for each in found.front]
    assert sizes == sorted(sizes)
    assert max(sizes) > 20
    assert max(each.means["seconds"].value for each in found.front) <= 3


def counted(values: Array, reference: Array) -> float:
    """Return the number of unit cubes below the reference that are worse than a row of whole numbers."""
    corners = np.array(list(np.ndindex(*reference.astype(int).tolist())))
    worse = np.asarray((corners[:, None, :] >= values[None]).all(axis=2))
    return float(worse.any(axis=1).sum())


@pytest.mark.parametrize("properties", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_unit_cubes(properties: int, seed: int) -> None:
    """The volume is that of the unit cubes which are worse than a row; the order of rows and properties is none."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 8, (12, properties)).astype(float)
    reference = np.full(properties, 7.0)
    volume = hypervolume(values, reference)
    assert volume == pytest.approx(counted(values, reference))
    assert hypervolume(values[::-1, ::-1], reference) == pytest.approx(volume)
    # Dominated rows add nothing, and a better row never takes anything away.
    assert hypervolume(values[front_places(values)], reference) == pytest.approx(volume)
    assert hypervolume(np.vstack([values, values[0] - 1]), reference) >= volume


def test_shares() -> None:
    """The whole front has 100 %, no row 0 %, and as many random rows as there are all of it."""
    values = np.random.default_rng(0).random((30, 2))
    front = TrueFront.of(values)
    assert front.share(values) == pytest.approx(100)
    assert front.share(values[:0]) == 0
    assert front.random_share(30) == pytest.approx(100)
    assert 0 < front.random_share(3) < 100


@pytest.mark.parametrize("values", [[[1.0, 2.0]], [[1.0, 2.0], [1.0, 2.0]], [[1.0, 2.0], [1.0, 3.0]]])
def test_fronts_of_one_row(values: list[list[float]]) -> None:
    """A front of one row has a volume, too, also if a property has one value."""
    front = TrueFront.of(np.array(values))
    assert front.share(np.array(values)[:1]) == pytest.approx(100)


def test_a_replay_is_a_run() -> None:
    """A replay of all valid configurations asks for what a run asks for that is told the same values."""
    # The order of rows does not matter.
    mixed = np.random.default_rng(1).permutation(len(VALID))
    found = replay(VALID[mixed], {"seconds": TIMES[mixed]}, "seconds", 20, seed=2)
    tuner = Tuner(SYSTEM, "seconds", 20, seed=2)
    run(tuner, lambda trial: seconds(trial.configuration))
    assert list(found.values) == [outcome.values["seconds"] for outcome in tuner.history.outcomes]
    assert (found.rank_percent, found.regret) == (0, 0)


@pytest.mark.parametrize("seeds", [1, pytest.param(10, marks=pytest.mark.slow)])
def test_a_rare_value_is_found(seeds: int) -> None:
    """The best member of a group of four, which is in 5 % of the rows, is found within 30 runs in 9 of 10 seeds."""
    system = VariabilityModel.of({f"o{place}": bool for place in range(8)} | {"kind": ["a", "b", "c", "d"]})
    everything = Space(system).enumerate()
    rare = everything.column("kind_d") == 1
    rng = np.random.default_rng(0)
    kept = np.flatnonzero(~rare | (rng.random(len(rare)) < 0.16))
    some = everything[kept]
    assert 0.03 < float(np.mean(some.column("kind_d"))) < 0.07
    y = 10 + 3 * some.column("o0") - 2 * some.column("o1") + some.column("o2") * some.column("o3")
    y = np.where(some.column("kind_d") == 1, 0.3, 1.0) * y
    ranks = [replay(some, {"t": y}, "t", 30, seed=seed).regret for seed in range(seeds)]
    assert sum(rank is not None and rank <= 1.0 for rank in ranks) >= 0.9 * seeds


def test_limits() -> None:
    """The rank is among the rows within the limits."""
    columns = {"seconds": TIMES, "size": 10 - VALID.value("level")}
    found = replay(VALID, columns, "seconds", 20, limits=[Limit("size", "<=", 3)])
    assert found.best >= TIMES[columns["size"] <= 3].min()
    assert found.rank_percent == 0


def test_noise_of_answers() -> None:
    """Rows may answer with noise; the rank is by the values of the table."""
    noise = np.random.default_rng(3).standard_normal
    found = replay(VALID, {"seconds": TIMES}, "seconds", 30, answer=lambda row, _: TIMES[row] * (1 + 0.1 * noise()))
    assert found.best in TIMES
    assert found.regret == pytest.approx(100 * (found.best / TIMES.min() - 1))
    assert len(found.values) == 30


@pytest.mark.parametrize(("every", "budgets"), [(25, (3, 12)), pytest.param(3, (8, 40), marks=pytest.mark.slow)])
def test_the_share_of_the_front(every: int, budgets: tuple[int, int]) -> None:
    """Of several properties the share of the hypervolume of the table's front counts: all of it once all is run."""
    some = VALID[::every]
    columns = {"seconds": TIMES[::every], "size": 20 - some.value("level")}
    shares = [
        replay(some, columns, "seconds", budget, further=[Goal("size")], verify=0).hypervolume_percent
        for budget in (*budgets, len(some) + 10)
    ]
    assert shares[0] is not None
    assert shares[1] is not None
    assert 0 < shares[0] < shares[1] <= 100 + 1e-9
    assert shares[1] > 98
    assert shares[2] == pytest.approx(100)


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
        covered.append(present(best.mean.low) <= true <= present(best.mean.high))
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
    assert found.gain is not None
    assert present(found.default).mean.runs == found.best.mean.runs == 3
    true = 100 * (1 - seconds(found.best.configuration.assignment(0)) / seconds(trials[0].configuration))
    assert present(found.gain.low) < true < present(found.gain.high)


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
    assert present(best.mean.low) < best.value


def test_drift() -> None:
    """A machine that is slower in the verification is told by the default; noise is not."""
    assert with_default(1.0)[1].drift is None
    assert with_default(1.5)[1].drift == pytest.approx(50, abs=10)


def test_means_and_gains() -> None:
    """The intervals of means, and the gain in percent of the default, are those of the golden file."""
    check_calls("gains", shown, Gain=Gain, MeanValue=MeanValue)


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
