"""Replays: tuning runs that the rows of a table answer."""

from __future__ import annotations

import numpy as np
import pytest

from sampling import Space
from splc.system.variability import VariabilityModel
from splc.tuning import Goal, Limit, Tuner, replay
from tests.tuning.made import SYSTEM, run, seconds


def test_a_replay_is_a_run() -> None:
    """A replay of all valid configurations asks for what a run asks for that is told the same values."""
    everything = Space(SYSTEM).enumerate()
    y = np.array([seconds(everything.assignment(row)) for row in range(len(everything))])
    # The order of rows does not matter.
    mixed = np.random.default_rng(1).permutation(len(y))
    found = replay(everything[mixed], {"seconds": y[mixed]}, "seconds", 20, seed=2)
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
    everything = Space(SYSTEM).enumerate()
    y = np.array([seconds(everything.assignment(row)) for row in range(len(everything))])
    columns = {"seconds": y, "size": 10 - everything.value("level")}
    found = replay(everything, columns, "seconds", 20, limits=[Limit("size", "<=", 3)])
    assert found.best >= y[columns["size"] <= 3].min()
    assert found.rank_percent == 0


def test_noise_of_answers() -> None:
    """Rows may answer with noise; the rank is by the values of the table."""
    everything = Space(SYSTEM).enumerate()
    y = np.array([seconds(everything.assignment(row)) for row in range(len(everything))])
    rng = np.random.default_rng(3)
    found = replay(
        everything, {"seconds": y}, "seconds", 30, answer=lambda row, name: y[row] * (1 + 0.1 * rng.standard_normal())
    )
    assert found.best in y
    assert found.regret == pytest.approx(100 * (found.best / y.min() - 1))
    assert len(found.values) == 30


@pytest.mark.parametrize(("every", "budgets"), [(25, (3, 12)), pytest.param(3, (8, 40), marks=pytest.mark.slow)])
def test_the_share_of_the_front(every: int, budgets: tuple[int, int]) -> None:
    """Of several properties the share of the hypervolume of the table's front counts: all of it once all is run."""
    everything = Space(SYSTEM).enumerate()[::every]
    y = np.array([seconds(everything.assignment(row)) for row in range(len(everything))])
    columns = {"seconds": y, "size": 20 - everything.value("level")}
    shares = [
        replay(everything, columns, "seconds", budget, further=[Goal("size")], verify=0).hypervolume_percent
        for budget in (*budgets, len(y) + 10)
    ]
    assert shares[0] is not None
    assert shares[1] is not None
    assert 0 < shares[0] < shares[1] <= 100 + 1e-9
    assert shares[1] > 98
    assert shares[2] == pytest.approx(100)
