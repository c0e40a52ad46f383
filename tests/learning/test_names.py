"""The default learner's results follow other names of options, and other orders of options and of rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling.space.space import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.formats.measurements.read import read_measurements
from splc.formats.system.read import read_variability_model
from splc.learning import learn
from splc.learning.projection.predictor import Ensemble
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.examples import examples
from tests.support.member_names import PROPERTY, renamed
from tests.support.paths import ROOT
from tests.support.real_data import real

TOLERANCE = 1e-9
SHARED = ("x264", "Dune", "LLVM")


def alternatives(*names: str) -> tuple[BinaryOption, ...]:
    """Return an alternative group."""
    excluded = {name: tuple((other,) for other in names if other != name) for name in names}
    return tuple(BinaryOption(name, optional=False, excluded=excluded[name]) for name in names)


MADE = VariabilityModel(
    "made",
    (
        *(BinaryOption(f"b{at}") for at in range(3)),
        BinaryOption("child", parent="b0"),
        *alternatives("on", "off"),
        *alternatives("u", "v", "w"),
        NumericOption("n", (1.0, 2.0, 4.0, 8.0)),
        NumericOption("m", (0.0, 1.0, 5.0), deselected_flag=-1.0),
    ),
)


def measured(name: str) -> Measurements:
    """Return the measurements of a real system."""
    if name in SHARED:
        system = read_variability_model(real(name, "FeatureModel.xml"))
        found = read_measurements(real(name, "measurements.xml"), system)
        return Measurements(found.configurations, {PROPERTY: found.column("Performance")})
    folder = ROOT / "casestudies" / name
    found = read_measurements(folder / "measurements.csv", read_variability_model(folder / "system.xml"))
    return Measurements(found.configurations, {PROPERTY: found.column("solve_compute_seconds")})


def retold(found: Measurements, seed: int) -> tuple[Measurements, Array]:
    """Return measurements with random names, in random order of options and rows, and the rows that these are."""
    rng = np.random.default_rng(seed)
    width = len(found.system.options)
    words = [f"{chr(97 + at // 26)}{chr(97 + at % 26)}_" for at in rng.permutation(26**2)[:width].tolist()]
    other = renamed(found, dict(zip(found.system.names, words, strict=True)))
    options, rows = rng.permutation(width), rng.permutation(len(found))
    system = replace(other.system, options=tuple(other.system.options[at] for at in options))
    configurations = Configurations(system, other.configurations.indices[np.ix_(rows, options)])
    return Measurements(configurations, {PROPERTY: found.column(PROPERTY)[rows]}), rows


def assert_follows(found: Measurements, rows: Array, seed: int) -> None:
    """Assert that what is learned from some rows is the same if the measurements are told in another way."""
    other, places = retold(found, seed)
    back = np.argsort(places)
    others = np.arange(len(found))[:1000]
    learned: list[list[Array]] = []
    for measurements, own, judged in ((found, rows, others), (other, np.sort(back[rows]), back[others])):
        result = learn(measurements, PROPERTY, learning_set=own)
        assert isinstance(result.intervals, Ensemble)
        configurations = measurements.configurations[judged]
        restored = Ensemble.from_json(result.intervals.as_json() or {}, measurements.system)
        validated = result.cross_validated
        predictions = [each.predict(configurations) for each in (result.intervals, restored, result.model)]
        learned.append([*predictions, np.array([len(result.terms), validated.mean if validated else 0.0])])
    for one, two in zip(*learned, strict=True):
        np.testing.assert_allclose(two, one, rtol=TOLERANCE)
    np.testing.assert_allclose(learned[0][1], learned[0][0], rtol=TOLERANCE)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("smg2000/2d", 20),
        pytest.param("smg2000/2d", 50, marks=pytest.mark.slow),
        pytest.param("boomeramg", 50, marks=pytest.mark.slow),
        *(pytest.param(name, 50, marks=[pytest.mark.real_data, pytest.mark.slow]) for name in SHARED),
    ],
)
def test_real_systems(name: str, size: int) -> None:
    """Models of real measurements follow."""
    # Numbers in names have a meaning, so that neither has any.
    found, _ = retold(measured(name), 100)
    rows = np.random.default_rng(1).permutation(len(found))[:size]
    assert_follows(found, rows, 1)


@given(st.integers(0, 10**6), st.integers(2, 20), st.sampled_from([0.0, 0.05, 1.0]))
@examples(6)
def test_made_systems(seed: int, count: int, noise: float) -> None:
    """Models of few configurations follow, of exact values and of noise."""
    rng = np.random.default_rng(seed)
    everything = Space(MADE).enumerate()
    everything = everything[rng.permutation(len(everything))[:200]]
    columns = np.column_stack([np.nan_to_num(everything.column(name)) for name in MADE.names])
    values = (10 + columns @ rng.uniform(0, 3, columns.shape[1])) * np.exp(noise * rng.normal(size=len(everything)))
    assert_follows(Measurements(everything, {PROPERTY: values}), np.arange(count), seed)


def test_options_that_cannot_be_told_apart() -> None:
    """Names decide between options with the same column, and nothing but this changes with them."""
    rows = np.random.default_rng(1).integers(0, 2, (30, 7))
    rows[:, 5] = rows[:, 4]
    rows[:, 6] = 0
    rows = np.unique(rows, axis=0)
    system = VariabilityModel("made", tuple(BinaryOption(f"b{at}") for at in range(7)))
    values = 10 + rows @ np.array([1.0, 2, 3, 4, 2, 3, 1])
    assert_follows(Measurements(Configurations(system, rows), {PROPERTY: values}), np.arange(len(rows)), 1)
