"""Failed runs have no value: the search leaves their surroundings, and nothing is judged by them."""

from __future__ import annotations

import numpy as np
import pytest

from sampling import Space
from splc.tuning import Goal, Tuner
from tests.tuning.made import SYSTEM, Options, seconds

VALID = Space(SYSTEM).enumerate()


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
    while (trial := tuner.ask()) is not None:
        if trial.configuration["log"]:
            tuner.tell(trial, failed="no disk")
        else:
            tuner.tell(trial, seconds(trial.configuration))
    found = tuner.report()
    assert found.best.configuration.assignment(0)["log"] == 0
    assert "log" not in found.indifferent
