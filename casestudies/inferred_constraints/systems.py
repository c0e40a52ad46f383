"""The measured systems as tables: their descriptions are hidden from the inference, and compared with what it finds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from casestudies.accuracy.systems import FOLDERS, load
from casestudies.real_data import DATA
from sampling import Space
from splc.data.configurations import Configurations
from splc.formats.inference import infer_system
from splc.formats.measurements.read import read_measurements
from splc.system.clauses import clauses
from splc.system.variability import VariabilityModel
from splc.types import Array

# Name → name in `casestudies.accuracy.systems`.
DESCRIBED = {
    **{name: name for name in ("x264", "LLVM", "Dune", "exastencils")},
    **{case: f"{case}, solve_seconds" for case in FOLDERS},
}
# Complete tables without a description: every valid configuration was measured.
TABLES = {"HSQLDB": ("tuning/HSQLDB.csv.gz", "performance"), "dconvert": ("tuning/dconvert.csv.gz", "time")}
SYSTEMS = (*DESCRIBED, *TABLES)
PROPERTY = "measured"


@dataclass(frozen=True, eq=False)
class MeasuredSystem:
    """A system, and the table of its measurements."""

    name: str  # its name
    # its description; None if there is none, and the measured configurations are the valid ones
    described: VariabilityModel | None
    configurations: Configurations  # the measured configurations
    values: Array  # what was measured

    def table(self, rows: Array) -> dict[str, Array]:
        """Return some rows as a table: a column per option, and what was measured."""
        names = self.configurations.system.names
        columns = {name: self.configurations.column(name)[rows] for name in names}
        return {**columns, PROPERTY: self.values[rows]}

    @property
    def valid(self) -> Configurations:
        """All valid configurations."""
        return self.configurations if self.described is None else Space(self.described).enumerate()


def absent(name: str) -> bool:
    """Return whether the measurements of a system are not on this machine."""
    return name not in FOLDERS and not DATA.is_dir()


@cache
def measured_system(name: str) -> MeasuredSystem:
    """Read a system."""
    if name in TABLES:
        file, nfp = TABLES[name]
        system = infer_system(DATA / file, nfp=nfp, constraints=False)
        measured = read_measurements(DATA / file, system)
        return MeasuredSystem(name, None, measured.configurations, measured.column(nfp))
    found = load(DESCRIBED[name])
    known = found.measurements.measured(found.nfp)
    return MeasuredSystem(name, known.configurations.system, known.configurations, known.column(found.nfp))


def inferred(system: MeasuredSystem, rows: Array, *, constraints: bool = True) -> VariabilityModel:
    """Return the system that is inferred from some rows of the table."""
    options = system.configurations.system.names
    return infer_system(system.table(rows), options=options, nfp=PROPERTY, constraints=constraints)


def as_configurations(configurations: Configurations, system: VariabilityModel) -> Configurations:
    """Return configurations as those of an inferred system, without those that have values that it does not know."""
    columns = {name: configurations.column(name) for name in system.names}
    known = np.ones(len(configurations), dtype=bool)
    for option in system.numeric_options:
        known &= np.isin(columns[option.name], option.values)
    return Configurations.from_columns(system, {name: values[known] for name, values in columns.items()})


def violated(described: VariabilityModel, configurations: Configurations) -> Iterator[bool]:
    """Yield for each clause and comparison of a description whether some configurations violate it.

    `configurations`: those of an inferred system with the same options.
    """
    own = Configurations.from_columns(described, {name: configurations.column(name) for name in described.names})
    for clause in clauses(described):
        yield not bool(clause.holds(own.indices).all())
    for constraint in described.arithmetic_constraints:
        alone = VariabilityModel(described.name, described.options, (constraint,))
        free = VariabilityModel(described.name, described.options)
        yield not bool((Space(alone).check(own) | ~Space(free).check(own)).all())
