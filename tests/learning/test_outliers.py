"""Rows that all others contradict: found where one is planted, and hardly ever where none is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning.plausibility import Outlier, outlier_of
from splc.learning.projection.full_model import fit_full_model
from splc.learning.projection.variables import variables_of
from splc.project import Project
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.shared_systems import SYSTEMS, small_table

SEEDS = 4
FACTOR = 50


def judged(measured: Measurements, y: Array) -> Outlier | None:
    """Return the outlier among the values of configurations."""
    known = measured.configurations
    found = [
        variable
        for variable in variables_of(known.system, (), known)
        if any(len(np.unique(np.nan_to_num(known.column(name), nan=-1e9))) > 1 for name in variable.members)
    ]
    ones = np.ones(len(y))
    model = fit_full_model(known, y, tuple(found), ones).ensemble
    rows = known.find(model.configurations)
    outlier = outlier_of(model, y[rows], ones)
    return None if outlier is None else Outlier(int(rows[outlier.row]), outlier.value, outlier.expected)


def some(factor: float, rows: int = 25) -> tuple[Measurements, Array]:
    """Return measurements of three options and their values, one of which is multiplied."""
    system = VariabilityModel(
        "app", (BinaryOption("a"), BinaryOption("b"), NumericOption("n", tuple(map(float, range(1, 21)))))
    )
    rng = np.random.default_rng(3)
    known = Configurations(system, rng.permutation(list(np.ndindex(2, 2, 20)))[:rows])
    a, b, n = (known.column(name) for name in "abn")
    y = (10 + 5 * a + 2 * n + b * n) * rng.normal(1, 0.03, rows)
    y[7] *= factor
    return Measurements(known, {"time": y}), y


@pytest.mark.parametrize(
    ("factor", "rows", "found"),
    [
        (1, 25, False),
        (2, 25, False),
        (20, 25, True),
        (0.01, 25, True),
        (50, 11, False),
        pytest.param(50, 40, True, marks=pytest.mark.slow),
        pytest.param(1e4, 40, True, marks=pytest.mark.slow),
    ],
)
def test_a_row_that_the_others_contradict(factor: float, rows: int, found: bool) -> None:
    """A value is an outlier if it is far from its prediction by the others, in either direction."""
    measured, y = some(factor, rows)
    outlier = judged(measured, y)
    assert (outlier is not None) == found
    if outlier is not None:
        assert (outlier.row, outlier.value) == (7, y[7])
        assert outlier.expected == pytest.approx(y[7] / factor, rel=0.3)


def test_a_value_between_the_others() -> None:
    """An outlier need not be the largest or the smallest value."""
    measured, _ = some(1, 40)
    known = measured.configurations
    y = np.exp(known.column("n") / 3) * (1 + known.column("a"))
    row = int(np.argsort(y)[2])
    y[row] *= 40
    assert y.min() < y[row] < y.max() / 10
    outlier = judged(Measurements(known, {"time": y}), y)
    assert outlier is not None
    assert outlier.row == row


def test_values_of_any_sign() -> None:
    """Values that are not positive are not judged."""
    measured, y = some(50)
    assert judged(measured, y - 30) is None


def test_a_value_of_an_option_in_one_row() -> None:
    """A row with an option that no other row has may be right."""
    measured, y = some(1)
    system = VariabilityModel("app", (*measured.system.options, BinaryOption("debug")))
    debug = (np.arange(len(y)) == 7).astype(float)
    columns = {name: measured.configurations.column(name) for name in "abn"} | {"debug": debug}
    y[7] *= 50
    assert judged(Measurements(Configurations.from_columns(system, columns), {"time": y}), y) is None


@pytest.mark.slow
def test_real_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In random rows of all systems at most 2 % have an outlier; a value times 50 is found in 95 %."""
    alarms = samples = hits = 0
    for name in SYSTEMS:
        for seed in range(SEEDS):
            folder = tmp_path / f"{name}{seed}"
            folder.mkdir()
            nfp = small_table(name, folder, versions=False, seed=seed)
            monkeypatch.chdir(folder)
            project = Project(folder, {"nfp": nfp})
            measured = project.measurements(project.variability_model(), invalid="drop").measured(nfp)
            measured = measured[measured[nfp] > 0]
            y = np.array(measured[nfp])
            samples += 1
            alarms += judged(measured, y) is not None
            at = int(np.random.default_rng(seed).integers(len(y)))
            y[at] *= FACTOR
            found = judged(measured, y)
            hits += found is not None and found.row == at
    assert alarms <= max(1, 0.02 * samples)
    assert hits >= 0.95 * samples
