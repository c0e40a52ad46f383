"""Results follow other names and orders of options, rows and members of groups; numbers in names are a hypothesis."""

from __future__ import annotations

import csv
import gzip
import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling.space.space import Space
from splc.data.accuracy import mean_relative_error
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.formats.detect import read_variability_model
from splc.formats.measurements.read import read_measurements
from splc.learning import LearningResult, learn
from splc.learning.projection.basis import MIN_GROUP, numbers_of
from splc.learning.projection.predictor import Ensemble
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support import systems
from tests.support.examples import examples
from tests.support.paths import ROOT
from tests.support.real_data import real
from tests.support.systems import group

PROPERTY = "y"
# Tables of others: file, property, context; their numeric options become groups.
TABLES = {
    "x264 2": ("contexts/x264.csv.gz", "time", "e1"),
    "imagemagick": ("contexts/imagemagick.csv.gz", "time", "e1"),
    "exastencils": ("exastencils/SS-X.csv.gz", "Fixed-compile-cpu-", ""),
}
CASES = {
    "SMG2000 1-D": ("smg2000/1d", ("px", "nx")),
    "SMG2000 2-D": ("smg2000/2d", ("px", "py", "nx")),
    "SMG2000 3-D": ("smg2000/3d", ("px", "py", "pz", "nx")),
    "BoomerAMG": ("boomeramg", ("px", "py", "pz", "nx", "ny", "nz")),
}
REAL = ("x264", "Dune", *TABLES, *CASES)
_MAX_ROWS = 4000


@cache
def measured(name: str) -> Measurements:
    """Return the measurements of a real system, or of a made one (`made`) with a group of 21 members."""
    if name == "made":
        return _made()
    if name in ("x264", "Dune", "LLVM"):
        system = read_variability_model(real(name, "FeatureModel.xml"))
        found = read_measurements(real(name, "measurements.xml"), system)
        return Measurements(found.configurations, {PROPERTY: found.column("Performance")})
    if name in CASES:
        folder, options = CASES[name]
        with (ROOT / "casestudies" / folder / "measurements.csv").open(encoding="utf-8", newline="") as file:
            return _grouped(list(csv.DictReader(file)), options, "solve_compute_seconds")
    path, nfp, context = TABLES[name]
    with gzip.open(real(*path.split("/")), "rt", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row.get("environment", "") == context]
    rows = [rows[at] for at in np.random.default_rng(1).permutation(len(rows))[:_MAX_ROWS].tolist()]
    ignored = {"environment", "Compile-performance-", nfp}
    return _grouped(rows, tuple(key for key in rows[0] if key not in ignored), nfp)


def _grouped(rows: list[dict[str, str]], options: tuple[str, ...], nfp: str) -> Measurements:
    """Return the means of rows, with groups instead of options of three or more values."""
    values: dict[tuple[float, ...], list[float]] = {}
    for row in rows:
        if float(row[nfp]) > 0:
            values.setdefault(tuple(float(row[name]) for name in options), []).append(float(row[nfp]))
    known = np.array(sorted(values))
    return _measurements(
        dict(zip(options, known.T, strict=True)), np.array([np.mean(values[key]) for key in sorted(values)])
    )


def _measurements(columns: Mapping[str, Array], y: Array) -> Measurements:
    options: list[Option] = []
    found: dict[str, Array] = {}
    for stem, column in columns.items():
        levels = sorted(set(column.tolist()))
        if len(levels) == 2:
            options.append(BinaryOption(stem))
            found[stem] = (column == levels[1]).astype(float)
        elif len(levels) > 2:
            names = [f"{stem}_{level:g}" for level in levels]
            options += group(*names)
            found |= {name: (column == level).astype(float) for name, level in zip(names, levels, strict=True)}
    system = VariabilityModel("grouped", tuple(options))
    return Measurements(Configurations.from_columns(system, found), {PROPERTY: y})


def _made() -> Measurements:
    """Return measurements with six switches and 21 block sizes whose numbers mean nothing."""
    rng = np.random.default_rng(1)
    rows = np.unique(np.column_stack([rng.integers(0, 2, (2000, 6)), rng.integers(0, 21, 2000)]), axis=0)
    effects = np.exp(rng.normal(0, 0.5, 21))
    time = (10 + rows[:, :6] @ rng.uniform(0.5, 3, 6)) * effects[rows[:, 6]] * np.exp(rng.normal(0, 0.02, len(rows)))
    columns = {f"b{at}": rows[:, at].astype(float) for at in range(6)}
    return _measurements({**columns, "o": rows[:, 6] + 1.0}, time)


def unnumbered(found: Measurements, seed: int = 0) -> Measurements:
    """Return measurements whose groups' members have names without numbers, in an order that depends on the seed."""
    order = np.random.default_rng(seed).permutation(100)
    words = [f"{chr(97 + at // 10)}{chr(97 + at % 10)}" for at in order.tolist()]
    names = {
        name: f"{chr(107 + place)}_{words[at]}" for place, group in _groups(found) for at, name in enumerate(group)
    }
    return renamed(found, names)


def permuted(found: Measurements, seed: int) -> Measurements:
    """Return measurements whose groups' members have their numbers, or 1, 2, …, in random order."""
    rng = np.random.default_rng(seed)
    names: dict[str, str] = {}
    for place, members in _groups(found):
        numbers = rng.permutation(np.array(numbers_of(members) or np.arange(1.0, len(members) + 1)))
        names |= {
            name: f"{chr(107 + place)}_{number:g}" for name, number in zip(members, numbers.tolist(), strict=True)
        }
    return renamed(found, names)


def _groups(found: Measurements) -> list[tuple[int, tuple[str, ...]]]:
    groups = found.configurations.system.alternative_groups
    return list(enumerate(tuple(group) for group in groups if len(group) >= MIN_GROUP))


def renamed(found: Measurements, names: Mapping[str, str]) -> Measurements:
    """Return measurements of options with other names."""
    other = systems.renamed(found.configurations.system, names)
    return Measurements(Configurations(other, found.configurations.indices), found.values)


TOLERANCE = 1e-9
SHARED = ("x264", "Dune", "LLVM")


MADE = VariabilityModel(
    "made",
    (
        *(BinaryOption(f"b{at}") for at in range(3)),
        BinaryOption("child", parent="b0"),
        *group("on", "off"),
        *group("u", "v", "w"),
        NumericOption("n", (1.0, 2.0, 4.0, 8.0)),
        NumericOption("m", (0.0, 1.0, 5.0), deselected_flag=-1.0),
    ),
)


def described(name: str) -> Measurements:
    """Return the measurements of a real system with its description."""
    if name in SHARED:
        return measured(name)
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
        sizes = [point.terms for point in result.path]
        learned.append([*predictions, np.array([len(result.terms), validated.mean if validated else 0.0, *sizes])])
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
    found, _ = retold(described(name), 100)
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


REAL_SLOW = [pytest.mark.real_data, pytest.mark.slow]
MAX_JUDGED = 1000
# Renamed members may raise an error by this factor.
MAX_WORSE = 1.05


def learned(found: Measurements, size: int, seed: int) -> tuple[LearningResult, tuple[float, ...]]:
    """Return the result for a sample of the rows, and the errors of the full and the printed model on others."""
    order = np.random.RandomState(100 + seed).permutation(len(found))
    result = learn(found, PROPERTY, learning_set=order[:size])
    rest = order[size : size + MAX_JUDGED]
    values, configurations = found.column(PROPERTY)[rest], found.configurations[rest]
    assert isinstance(result.intervals, Ensemble)
    predictions = (result.intervals.predict(configurations), result.model.predict(configurations))
    return result, tuple(mean_relative_error(each, values) or math.nan for each in predictions)


@cache
def errors_without_numbers(name: str, size: int, seed: int) -> tuple[float, ...]:
    """Return the errors under names without numbers."""
    return learned(unnumbered(measured(name)), size, seed)[1]


def numbered(result: LearningResult) -> list[str]:
    """Return the first members of the groups whose numbers are used."""
    assert isinstance(result.intervals, Ensemble)
    return [each.name for each in result.intervals.basis.variables if each.kind == "group" and each.values]


@pytest.mark.parametrize(
    ("size", "seed"), [(25, 0), *(pytest.param(77, seed, marks=pytest.mark.slow) for seed in range(4))]
)
def test_block_sizes(size: int, seed: int) -> None:
    """Numbers of 21 block sizes that mean nothing are not used: nothing changes, and the model is not a constant."""
    found = measured("made")
    result, errors = learned(permuted(found, seed + 1), size, seed)
    assert result.termination == "projected"
    assert numbered(result) == []
    np.testing.assert_allclose(errors, errors_without_numbers("made", size, seed), rtol=1e-9)


@pytest.mark.parametrize(
    ("name", "size", "samples", "permutations"),
    [
        ("SMG2000 2-D", 40, [0], [1]),
        *(
            pytest.param(name, size, range(5), (1, 101), marks=REAL_SLOW if name in REAL else pytest.mark.slow)
            for name in ("made", *REAL)
            for size in (40, 77, 150)
        ),
    ],
)
def test_permuted_numbers(name: str, size: int, samples: Iterable[int], permutations: Iterable[int]) -> None:
    """Members renamed in random order have an error that is at most 5 % above that under unnumbered names."""
    if size > 0.6 * len(measured(name)):
        pytest.skip("too few rows are left to judge the model by")
    ratios = [
        np.array(learned(permuted(measured(name), sample + permutation), size, sample)[1])
        / np.array(errors_without_numbers(name, size, sample))
        for sample in samples
        for permutation in permutations
    ]
    # The geometric means of the errors of the full and the printed model.
    assert (np.exp(np.mean(np.log(ratios), axis=0)) <= MAX_WORSE).all(), ratios


@pytest.mark.parametrize(
    ("name", "size", "seeds"),
    [
        ("SMG2000 2-D", 40, 1),
        pytest.param("SMG2000 2-D", 50, 3, marks=pytest.mark.slow),
        pytest.param("Dune", 49, 3, marks=REAL_SLOW),
        pytest.param("x264", 77, 3, marks=REAL_SLOW),
    ],
)
def test_numbers_that_mean_something(name: str, size: int, seeds: int) -> None:
    """Numbers that carry a meaning are used, and lower the error."""
    ratios = []
    for seed in range(seeds):
        result, errors = learned(measured(name), size, seed)
        assert numbered(result)
        ratios.append(np.array(errors) / np.array(errors_without_numbers(name, size, seed)))
    assert (np.exp(np.mean(np.log(ratios), axis=0)) < 1).all(), ratios


@pytest.mark.parametrize(
    ("name", "size", "seed", "groups"),
    [("SMG2000 3-D", 15, 0, 4), *(pytest.param("Dune", 49, seed, 3, marks=REAL_SLOW) for seed in (6, 8, 10))],
)
def test_numbers_that_mean_something_together(name: str, size: int, seed: int, groups: int) -> None:
    """Numbers of all groups are used where the evidence is for all of them together, but for none alone."""
    result, errors = learned(measured(name), size, seed)
    assert len(numbered(result)) == groups
    assert errors[0] < errors_without_numbers(name, size, seed)[0]
