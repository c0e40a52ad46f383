"""The real systems, and the splits of their configurations into learning set and test set.

x264, LLVM and Dune are measurements of others (`casestudies/real_data.py`), split as in DeepPerf (Ha and Zhang, ICSE
2019): run m of the i-th size learns from the first n of a permutation of the rows. The case studies are
sampled by designs. The test set is every other configuration.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from casestudies.real_data import DATA
from sampling import Space
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.formats.detect import read_variability_model
from splc.formats.inference import infer_system
from splc.formats.measurements.read import read_measurements
from splc.project import Project
from splc.system.constraints import parse_arithmetic
from splc.system.options import NumericOption, Option
from splc.system.variability import VariabilityModel
from splc.types import Array
from splc.workflows.learn.request import learning_rows

CASES = Path(__file__).parents[1]
NUMERIC = ", numeric columns"
# Numbers of rows, in the protocol's order, which decides the splits.
SIZES: Mapping[str, tuple[int, ...]] = {
    "x264": (16, 32, 48, 64, 80),
    "LLVM": (11, 22, 33, 44, 55),
    "Dune": (49, 78, 240, 375),
    f"Dune{NUMERIC}": (49, 78, 240, 375),
}
FOLDERS = {
    "SMG2000 1-D": "smg2000/1d",
    "SMG2000 2-D": "smg2000/2d",
    "SMG2000 3-D": "smg2000/3d",
    "BoomerAMG": "boomeramg",
}
PROPERTIES = ("solve_seconds", "solve_compute_seconds")
# Complete tables without a description: name → file, property, environment.
TABLES: Mapping[str, tuple[str, str, str]] = {
    f"deeparch, {each}": ("contexts/deeparch.csv.gz", "inference_time", each) for each in ("e0", "e1", "e2")
}
EXASTENCILS = "exastencils"
DESIGNS = ("pb:9,3", "pb:25,5", "pb:49,7", "random:50")
# The description excludes `pre_0` with `post_0`, and nothing else beyond its groups.
_EXCLUDED = "pre + post > 0"
_LEVEL = re.compile(r"(.+)_(\d+)")


@dataclass(frozen=True, eq=False)
class System:
    """A measured system."""

    measurements: Measurements  # the measured configurations, in the order of the file
    nfp: str  # the property
    # the settings of SPL Conqueror's learner that the case study states
    learning: Mapping[str, Any] = field(default_factory=dict)


def names() -> tuple[str, ...]:
    """Return the names of all systems; those of a case study end in the property."""
    return (*SIZES, *(f"{case}, {nfp}" for case in FOLDERS for nfp in PROPERTIES))


def absent(name: str) -> bool:
    """Return whether the measurements of a system are not on this machine."""
    shared = name in SIZES or name in TABLES or name == EXASTENCILS
    return shared and not DATA.is_dir()


def sizes(name: str) -> tuple[int | str, ...]:
    """Return the numbers of rows, or the designs, that a system is learned from."""
    return SIZES.get(name, DESIGNS)


@cache
def load(name: str) -> System:
    """Read a system."""
    if name in SIZES:
        folder = DATA / name.removesuffix(NUMERIC)
        system = read_variability_model(folder / "FeatureModel.xml")
        measured = read_measurements(folder / "measurements.xml", system)
        return System(with_numbers(measured) if name.endswith(NUMERIC) else measured, "Performance")
    if name in TABLES:
        file, nfp, environment = TABLES[name]
        inferred = infer_system(DATA / file, nfp=nfp)
        return System(read_measurements(DATA / file, inferred, where={"environment": environment}), nfp)
    if name == EXASTENCILS:
        system = read_variability_model(DATA / name / "FeatureModel.xml")
        return System(read_measurements(DATA / name / "SS-X.csv.gz", system), "Fixed-compile-cpu-")
    case, _, nfp = name.partition(", ")
    project = Project.load(CASES / FOLDERS[case], nfp=nfp)
    return System(project.measurements(project.variability_model(observed=False)), nfp, project.file.learning)


def learning_set(name: str, size: int | str, run: int) -> Array:
    """Return the positions of the configurations to learn from in a run (1, 2, …)."""
    system = load(name)
    if isinstance(size, int):
        generator = np.random.RandomState(30 * SIZES[name].index(size) + run)
        return generator.permutation(len(system.measurements))[:size]
    space = Space(system.measurements.system)
    return learning_rows(system.measurements, system.nfp, size, run, space, "error").rows


def with_numbers(measured: Measurements) -> Measurements:
    """Return measurements of Dune with the numeric options `pre`, `post`, `cells` instead of groups of their levels."""
    system = measured.system
    levels: dict[str, dict[str, float]] = {}
    for option in system.binary_options:
        if found := _LEVEL.fullmatch(option.name):
            levels.setdefault(found[1], {})[option.name] = float(found[2])
    gone = {name for group in levels.values() for name in group}
    gone |= {option.parent for option in system.binary_options if option.name in gone and option.parent}
    kept = [option for option in system.binary_options if option.name not in gone]
    numbers: list[Option] = [NumericOption(name, tuple(sorted(group.values()))) for name, group in levels.items()]
    changed = VariabilityModel(system.name, (*kept, *numbers))
    changed = replace(changed, constraints=(parse_arithmetic(_EXCLUDED, changed.name_table),))
    columns = {option.name: measured.configurations.column(option.name) for option in kept}
    for name, group in levels.items():
        members = np.column_stack([measured.configurations.column(member) for member in group])
        columns[name] = members @ np.array(list(group.values()))
    configurations = Configurations.from_columns(changed, columns)
    return Measurements(configurations, measured.values, measured.aggregate, measured.report)
