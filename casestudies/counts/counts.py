"""Counts as measurements: the configurations of a table, their counts, and the formulas of the thesis for them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from casestudies.counts.counting import HERE
from splc.data.configurations import Configurations, Observed
from splc.data.measurements import Measurements
from splc.formats.models.text import parse_model_text
from splc.io.files import Source, read_source
from splc.models.influence import InfluenceModel
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array

ITERATIONS = "iterations"
LINE, AMG = "smg-1d", "boomeramg"
SMG = (LINE, "smg-2d", "smg-3d")
# Counts of all ranks on all topologies, and of the rank that has most on topologies with inner ranks.
OF_ALL, OF_RANK = ("messages", "bytes"), ("rank_messages", "rank_bytes")
# Counts of levels of BoomerAMG: unknowns, non-zeros, neighbours of a rank, and doubles that it sends them.
OF_LEVELS = ("C_0", "nnz_0", "p_0", "n_0", "C_1", "nnz_1", "p_1", "n_1")
# System → its table of counts. Those of two and three dimensions are the thesis' topologies, up to 64 ranks.
TABLES = {
    LINE: HERE / "smg-1d.csv",
    **{f"smg-{axes}": HERE.parent / "smg2000" / axes / "measurements.csv" for axes in ("2d", "3d")},
}


def table_of(path: Path) -> dict[str, Array]:
    """Return column → values of a table of numbers."""
    rows = list(csv.DictReader(io.StringIO(read_source(path).text())))
    return {column: np.array([float(row[column] or 0) for row in rows]) for column in rows[0]}


def options_of(columns: Mapping[str, Array]) -> list[str]:
    """Return the columns that are options: ranks and cells of a rank along an axis."""
    return [column for column in columns if len(column) == 2 and column[0] in "pn" and column[1] in "xyz"]


def configurations_of(name: str, table: Mapping[str, Array], variables: Mapping[str, Array]) -> Configurations:
    """Return the configuration of each row, with some columns as observed variables."""
    names = options_of(table)
    options = tuple(NumericOption(option, tuple(np.unique(table[option]).tolist())) for option in names)
    system = VariabilityModel(name, options, observed=tuple(variables))
    indices = np.stack([np.searchsorted(option.values, table[option.name]) for option in options], axis=1)
    return Configurations(system, indices, Observed(variables, np.ones(len(indices), dtype=bool)))


def columns_of(configurations: Configurations, kind: str) -> Array:
    """Return ranks ('p') or cells of a rank ('n') along each axis, shape (n, axes)."""
    names = [option.name for option in configurations.system.options if option.name[0] == kind]
    return np.stack([configurations.value(name) for name in names], axis=1)


@cache
def counted(name: str) -> Measurements:
    """Return the counts of a table; iterations and the levels along each axis (L) are observed variables.

    The levels are log2 of the cells of the whole grid along the axis, rounded up: SMG halves until one cell is left.
    """
    if name == AMG:
        return _counted_levels()
    table = table_of(TABLES[name])
    # Repetitions have the same counts.
    first = configurations_of(name, table, {}).groups()[0]
    table = {column: values[first] for column, values in table.items()}
    axes = [option[1] for option in options_of(table) if option[0] == "p"]
    cells = {axis: table[f"p{axis}"] * table.get(f"n{axis}", table["nx"]) for axis in axes}
    variables = {ITERATIONS: table[ITERATIONS], **{f"L{axis}": np.ceil(np.log2(cells[axis])) for axis in axes}}
    counts = {count: table[count] for count in (*OF_ALL, *OF_RANK) if count in table}
    return Measurements(configurations_of(name, table, variables), counts)


def _counted_levels() -> Measurements:
    """Return the counts of the levels of `casestudies/boomeramg`."""
    folder = HERE.parent / AMG
    table, observed = table_of(folder / "levels.csv.gz"), table_of(folder / "observed.csv")
    counts: dict[str, Array] = {}
    for level in (0, 1):
        own = table["level"] == level
        found = {name: table[name][own] for name in ("C", "p", "n")}
        found["nnz"] = np.rint(found["C"] * table["s"][own])
        counts |= {f"{name}_{level}": values for name, values in found.items()}
    configurations = configurations_of(AMG, observed, {ITERATIONS: observed[ITERATIONS]})
    return Measurements(configurations, {name: counts[name] for name in OF_LEVELS})


def level_variables(table: Mapping[str, Array]) -> dict[str, Array]:
    """Return the counts of each level of configurations of two cores, 0 where there is no such level, and sums of them.

    Their names are those of BoomerAMG's formulas.
    """
    levels = table_of(HERE / "boomeramg-levels.csv.gz")
    levels |= {"s": levels["nnz"] / levels["C"], "sh": levels["nnzP"] / levels["C"]}
    names = options_of(levels)
    keys = np.stack([table[name] for name in names], axis=1)
    found: dict[str, Array] = {}
    for level in range(int(levels["level"].max()) + 1):
        own = np.flatnonzero(levels["level"] == level)
        known = np.stack([levels[name][own] for name in names], axis=1)
        same = (keys[:, np.newaxis] == known).all(axis=2)
        place = np.where(same.any(axis=1), same.argmax(axis=1), -1)
        for name in (each for each in levels if each not in (*names, "level")):
            found[f"{name}_{level}"] = np.append(levels[name][own], 0.0)[place]
    for name, part in {"nonzeros": "nnz_", "interpolated": "nnzP_"}.items():
        found[name] = np.sum([found[own] for own in found if own.startswith(part)], axis=0)
    return found


def formula(name: str, count: str, of_levels: bool) -> InfluenceModel:
    """Return what the formula of the thesis says of a count; as a sum of levels, or of logarithms of options.

    It is about a relaxation sweep, so that only its terms and the ratios of their influences can be those of a count.
    In levels it is multiplied by the iterations, as the count is.
    """
    parameter = "alpha" if count.endswith("messages") else "beta"
    folder = HERE.parent / "smg2000" / name.removeprefix("smg-")
    text = (folder / "analytical.txt").read_text(encoding="utf-8")
    system = counted(name).system
    if of_levels:
        # Levels are variables instead of logarithms of options.
        lines = (line for line in text.splitlines() if not line.startswith("L"))
        text = "\n".join(lines).replace("T = ", f"T = {ITERATIONS} * (") + ")\n"
    else:
        system = replace(system, observed=())
    chosen = {"alpha": 0.0, "beta": 0.0, "f": 0.0, parameter: 1.0}
    return parse_model_text(Source(name, text.encode()), system, chosen)
