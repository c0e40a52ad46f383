"""Optimization by full models: the best of what predicts, with intervals, on real systems."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from splc import read_measurements
from splc.data.configurations import Configurations
from splc.learning import learn
from splc.workflows import optimize
from splc.workflows.optimize import Request
from tests.support.full_models import EVERY, learned_system
from tests.support.real_data import with_real


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("maximize", [False, True])
def test_the_optimum_of_the_full_model(name: str, tmp_path: Path, *, maximize: bool) -> None:
    """It is the best of all valid configurations, positive, in its interval, and has its measured value."""
    learned = learned_system(name, tmp_path)
    request = Request(system=learned.system, measurements=learned.table, models=(learned.file,), maximize=maximize)
    found = optimize.run(request)
    everything = learned.space.enumerate()
    predicted = learned.result.predict(everything)
    (best,) = found.candidates
    (value,) = best.values
    assert found.exhaustive
    assert value.predicted == pytest.approx(predicted.max() if maximize else predicted.min(), rel=1e-9)
    assert learned.result.predict(best.configuration)[0] == pytest.approx(value.predicted, rel=1e-9)
    assert value.predicted > 0
    assert value.interval is not None
    assert value.interval.low <= value.predicted <= value.interval.high
    place = int(learned.measured.configurations.find(Configurations(everything.system, best.configuration.indices))[0])
    assert value.measured == (None if place < 0 else pytest.approx(learned.measured.column(learned.nfp)[place]))
    assert found.best_measured is not None
    (known,) = found.best_measured.values
    assert known.interval is not None
    assert known.interval.low <= known.predicted <= known.interval.high
    assert not [note.text for note in found.notes if "outside" in note.text]


@pytest.mark.parametrize("name", with_real("smg2000", "LLVM"))
def test_the_optimum_of_the_printed_model(name: str, tmp_path: Path) -> None:
    """With `printed` the optimum is that of the printed model, in the interval of the printed model."""
    learned = learned_system(name, tmp_path)
    request = Request(system=learned.system, measurements=learned.table, models=(learned.file,), printed=True)
    (value,) = optimize.run(request).candidates[0].values
    printed = learned.result.model.predict(learned.space.enumerate())
    assert value.predicted == pytest.approx(printed.min(), rel=1e-9)
    assert value.interval is not None
    assert value.interval.low <= value.predicted <= value.interval.high


def test_the_best_configurations_in_order(tmp_path: Path) -> None:
    """Several configurations are the best ones by the full model, each in its interval."""
    learned = learned_system("smg2000", tmp_path)
    request = Request(system=learned.system, measurements=learned.table, models=(learned.file,), top=7, fix=("px=2",))
    found = optimize.run(request)
    everything = learned.space.enumerate()
    predicted = np.sort(learned.result.predict(everything[everything.value("px") == 2]))
    assert [each.values[0].predicted for each in found.candidates] == pytest.approx(predicted[:7].tolist(), rel=1e-9)
    assert all(each.configuration.value("px")[0] == 2 for each in found.candidates)


def test_the_pareto_front_of_full_models(tmp_path: Path) -> None:
    """The front of models that are learned here is that of their full models over all valid configurations."""
    learned = learned_system("smg2000", tmp_path)
    header, *rows = Path(learned.table).read_text(encoding="utf-8").splitlines()
    # Some configurations, with their three runs.
    few = tmp_path / "few.csv"
    few.write_text("\n".join([header, *(row for at, row in enumerate(rows) if at // 3 % 16 == 0)]), encoding="utf-8")
    names = ("solve_seconds", "setup_seconds")
    found = optimize.run(Request(system=learned.system, measurements=str(few), properties=names))
    everything = learned.space.enumerate()
    measured = read_measurements(few, learned.space.system)
    values = np.stack([learn(measured.measured(name), name).predict(everything) for name in names], axis=1)
    undominated = [
        row for row in values if not ((values <= row).all(axis=1) & (values < row).any(axis=1)).any()
    ]  # fmt: skip
    expected = sorted(map(tuple, undominated))
    got = [tuple(value.predicted for value in each.values) for each in found.candidates]
    np.testing.assert_allclose(got, expected, rtol=1e-9)
