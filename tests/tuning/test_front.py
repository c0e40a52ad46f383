"""Tuning runs of several properties: the Pareto front."""

from __future__ import annotations

import numpy as np
import pytest

from sampling import Space
from sampling.space.ranking import undominated
from splc.errors import RequestError
from splc.tuning import Goal, Limit, Tuner, TuningResult
from splc.types import Array
from tests.tuning.made import SYSTEM, Options, seconds


def values(options: Options) -> dict[str, float]:
    """Return the time and the size of a configuration: fast ones are large."""
    size = 20 - 1.5 * (options["level"] or 0) + 0.5 * (options["threads"] or 0)
    size += 4 * (options["cache"] or 0) + 3 * (options["codec_none"] or 0) - 5 * (options["codec_small"] or 0)
    return {"seconds": seconds(options), "size": size}


def tuned(tuner: Tuner, sd: float = 0.0) -> TuningResult:
    """Return the result of a tuning run with noise of a relative standard deviation."""
    rng = np.random.default_rng(tuner.seed)
    while (trial := tuner.ask()) is not None:
        own = values(trial.configuration).items()
        tuner.tell(trial, {name: value * (1 + sd * float(rng.standard_normal())) for name, value in own})
    return tuner.report()


def volume(points: Array) -> float:
    """Return the area that points dominate below a reference."""
    ordered = points[np.lexsort(points.T[::-1])]
    total, last = 0.0, 22.0
    for time, size in ordered[undominated(ordered)]:
        if time < 12 and size < last:
            total += (12 - time) * (last - size)
            last = size
    return total


@pytest.mark.parametrize(
    ("seed", "budget"), [(3, 40), *(pytest.param(seed, 60, marks=pytest.mark.slow) for seed in range(2))]
)
def test_the_front_is_found(seed: int, budget: int) -> None:
    """60 runs of 450 configurations find nearly all of the front; each reported configuration has fresh runs."""
    everything = Space(SYSTEM).enumerate()
    known = np.array([list(values(everything.assignment(row)).values()) for row in range(len(everything))])
    tuner = Tuner(SYSTEM, "seconds", budget, {"threads": 1}, further=(Goal("size"),), seed=seed)
    found = tuned(tuner, 0.02)
    rows = everything.find(tuner.history.configurations)
    assert volume(known[rows]) > 0.97 * volume(known)
    drawn = [volume(known[np.random.default_rng(s).choice(len(known), 45, replace=False)]) for s in range(20)]
    assert np.mean(drawn) < 0.9 * volume(known)
    front = known[everything.find(type(everything).concatenate([each.configuration for each in found.front]))]
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


def test_runs_at_once() -> None:
    """Trials that are asked for together differ."""
    tuner = Tuner(SYSTEM, "seconds", 25, further=(Goal("size"),), verify=0)
    for _ in range(5):
        trials = [tuner.ask() for _ in range(5)]
        assert len({trial.row for trial in trials if trial is not None}) == 5
        for trial in trials:
            assert trial is not None
            tuner.tell(trial, values(trial.configuration))
    assert tuner.ask() is None


def test_no_best_value() -> None:
    """Settings that need a single best value are refused."""
    for setting in ({"race": 1.3}, {"until": 1.0}):
        with pytest.raises(RequestError, match="has no best value"):
            Tuner(SYSTEM, "seconds", 40, further=(Goal("size"),), **setting)  # type: ignore[arg-type]
