"""The case study BoomerAMG: its analytical models against the formulas of the thesis, written down level by level."""

from __future__ import annotations

import csv
import gzip
import shlex
from collections import defaultdict
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from sampling import Space
from splc.cli.app import app
from splc.data.measurements import Measurements
from splc.formats.models.read import read_model
from splc.project import Project
from tests.support.paths import BOOMERAMG
from tests.support.tracked import copy_tracked

OPTIONS = ("px", "py", "pz", "nx", "ny", "nz")
ALPHA, BETA, T = 1.44e-7, 1.28e-9, 5.77e-10
LEVELS = 8

Key = tuple[int, ...]
Level = dict[str, float]


@cache
def measured() -> Measurements:
    """Return the measurements of the case, checked against its constraints."""
    project = Project.load(BOOMERAMG)
    model = project.variability_model()
    return project.measurements(model, Space(model))


def committed() -> tuple[dict[Key, list[Level]], dict[Key, int]]:
    """Return the levels and the iterations of every configuration, read without the library."""
    levels: dict[Key, list[Level]] = defaultdict(list)
    with gzip.open(BOOMERAMG / "levels.csv.gz", "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            numbers = {name: float(row[name] or 0) for name in ("C", "s", "sh", "p", "n", "ph", "nh")}
            levels[tuple(int(row[name]) for name in OPTIONS)].append(numbers)
    with (BOOMERAMG / "observed.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return levels, {tuple(int(row[name]) for name in OPTIONS): int(row["iterations"]) for row in rows}


def solve(levels: list[Level], ranks: int, convention: str) -> float:
    """Return the time of one cycle: the cases of section 3.2.2, or the three formulas of section 5.4.2."""
    last = len(levels) - 1
    total = 0.0
    for i, level in enumerate(levels):
        total += 6 * level["C"] / ranks * level["s"] * T + 3 * (level["p"] * ALPHA + level["n"] * BETA)
        if i < last:
            total += 2 * levels[i + 1]["C"] / ranks * level["sh"] * T + level["ph"] * ALPHA + level["nh"] * BETA
        if i > 0:
            of = levels[i - 1] if convention == "5.4.2" else level
            total += 2 * levels[i - 1]["C"] / ranks * of["sh"] * T + of["ph"] * ALPHA + of["nh"] * BETA
    return total


def predicted(file: str) -> dict[Key, float]:
    """Return what one of the case's models predicts for every configuration."""
    some = measured().configurations
    model = read_model(BOOMERAMG / file, some.system, parameters=Project.load(BOOMERAMG).parameters())
    keys = zip(*(some.value(name).astype(int).tolist() for name in OPTIONS), strict=True)
    return dict(zip(keys, model.predict(some).tolist(), strict=True))


def geometric_mean(values: np.ndarray) -> float:
    """Return the geometric mean."""
    return float(np.exp(np.log(values).mean()))


@pytest.mark.parametrize(
    ("file", "convention", "ratio", "error"),
    [("analytical.txt", "5.4.2", 1.54, 33.8), ("analytical_3.2.2.txt", "3.2.2", 1.53, 33.3)],
)
def test_the_models_are_the_formulas_of_the_thesis(file: str, convention: str, ratio: float, error: float) -> None:
    """For every configuration a model is `iterations` times the sum of the formulas over its own levels.

    The geometric mean of measured by predicted, and the mean relative error, are those in the README.
    """
    levels, iterations = committed()
    found = predicted(file)
    assert set(found) == set(levels)
    for key, value in found.items():
        ranks = key[0] * key[1] * key[2]
        assert value == pytest.approx(iterations[key] * solve(levels[key], ranks, convention), rel=1e-12)
    values, expected = measured()["solve_compute_seconds"], np.array(list(found.values()))
    assert geometric_mean(values / expected) == pytest.approx(ratio, abs=0.005)
    assert 100 * np.mean(np.abs(values - expected) / values) == pytest.approx(error, abs=0.05)


def test_every_valid_configuration_was_measured_and_observed() -> None:
    """The measurements are all configurations of the description, three times each, with observations of all.

    The time of a level is above 0 in all repetitions where the level exists, and 0 elsewhere. The times of the levels,
    each the maximum over the ranks, add up to somewhat more than that of the whole.
    """
    some = measured()
    assert len(some) == Space(some.system).count == 1728
    assert some.configurations.observed is not None
    assert some.configurations.observed.known.all()
    assert all(some.repetitions(name).shape == (1728, 3) for name in some.properties)
    assert not any(np.isnan(some.repetitions(name)).any() for name in some.properties)
    for level in range(LEVELS):
        times = some.repetitions(f"level_{level}_compute_seconds")
        there = some.configurations.column(f"level_{level}") == 1
        assert (times[there] > 0).all()
        assert (times[~there] == 0).all()
    total = sum(some[f"level_{level}_compute_seconds"] for level in range(LEVELS))
    assert geometric_mean(total / some["solve_compute_seconds"]) == pytest.approx(1.085, abs=0.005)


@pytest.mark.parametrize("first", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_the_commands_of_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    """The commands of the README run as they stand."""
    lines = (BOOMERAMG / "README.md").read_text(encoding="utf-8").splitlines()
    commands = [line.strip() for line in lines if line.startswith("    splc ")]
    copy_tracked(BOOMERAMG, tmp_path / "boomeramg")
    monkeypatch.chdir(tmp_path / "boomeramg")
    assert len(commands) == 4
    for command in commands[:first]:
        result = CliRunner().invoke(app, shlex.split(command)[1:], catch_exceptions=False)
        assert result.exit_code == 0, result.stderr
