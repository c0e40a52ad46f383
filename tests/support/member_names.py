"""Measurements of systems with alternative groups, and the same ones with other names of the members."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.formats.detect import read_variability_model
from splc.formats.measurements.read import read_measurements
from splc.learning.projection.basis import MIN_GROUP, numbers_of
from splc.system.options import BinaryOption, Option
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.paths import ROOT
from tests.support.real_data import real

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
            options += [
                BinaryOption(name, optional=False, excluded=tuple((other,) for other in names if other != name))
                for name in names
            ]
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
    for place, group in _groups(found):
        numbers = rng.permutation(np.array(numbers_of(group) or np.arange(1.0, len(group) + 1)))
        names |= {name: f"{chr(107 + place)}_{number:g}" for name, number in zip(group, numbers.tolist(), strict=True)}
    return renamed(found, names)


def _groups(found: Measurements) -> list[tuple[int, tuple[str, ...]]]:
    groups = found.configurations.system.alternative_groups
    return list(enumerate(tuple(group) for group in groups if len(group) >= MIN_GROUP))


def renamed(found: Measurements, names: Mapping[str, str]) -> Measurements:
    """Return measurements of options with other names."""
    system = found.configurations.system
    options = []
    for option in system.options:
        if isinstance(option, BinaryOption):
            excluded = tuple(tuple(names.get(each, each) for each in clause) for clause in option.excluded)
            implied = tuple(tuple(names.get(each, each) for each in clause) for clause in option.implied)
            option = replace(option, excluded=excluded, implied=implied)
        parent = option.parent and names.get(option.parent, option.parent)
        options.append(replace(option, name=names.get(option.name, option.name), parent=parent))
    other = replace(system, options=tuple(options))
    return Measurements(Configurations(other, found.configurations.indices), found.values)
