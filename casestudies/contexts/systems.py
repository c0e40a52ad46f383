"""Systems that were measured in several contexts: environments of public tables, and alternative groups as contexts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from casestudies.accuracy.systems import load
from casestudies.real_data import DATA
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.formats.inference import infer_system
from splc.formats.measurements.read import read_measurements_by
from splc.system.options import BinaryOption
from splc.types import Array

TABLES = ("deeparch", "imagemagick", "sqlite", "x264")
CONTEXT = "environment"
# Name → system and the parent of the group that becomes the context.
GROUPS = {"x264 by ref": ("x264", "ref"), "Dune by Cells": ("Dune", "Cells")}
# Name → system and the option that becomes the context.
OPTIONS = {"LLVM by inline": ("LLVM", "inline")}
SYSTEMS = (*TABLES, *GROUPS, *OPTIONS)


@dataclass(frozen=True, eq=False)
class ContextTable:
    """The configurations of one value of a context, and what was measured."""

    configurations: Configurations
    values: Array


def absent() -> bool:
    """Return whether the measurements are not on this machine."""
    return not DATA.is_dir()


@cache
def contexts_of(name: str) -> Mapping[str, ContextTable]:
    """Return value of the context → its table."""
    if name in TABLES:
        return _table(name)
    system, option = {**GROUPS, **OPTIONS}[name]
    found = load(system)
    measured = found.measurements.measured(found.nfp)
    configurations = measured.configurations
    if name in GROUPS:
        members = [
            each.name
            for each in configurations.system.options
            if isinstance(each, BinaryOption) and each.parent == option
        ]
        selected = {member: configurations.column(member) == 1 for member in members}
    else:
        members = []
        column = configurations.column(option)
        selected = {f"{option}={value}": column == value for value in (0, 1)}
    dropped = {option, *members}
    options = tuple(each for each in configurations.system.options if each.name not in dropped)
    rest = replace(configurations.system, options=options)
    values = measured.column(found.nfp)
    return {
        value: ContextTable(
            Configurations.from_columns(rest, {each.name: configurations.column(each.name)[rows] for each in options}),
            values[rows],
        )
        for value, rows in selected.items()
    }


def _table(name: str) -> dict[str, ContextTable]:
    """Return a public table; values of 0 were not measured."""
    file = DATA / "contexts" / f"{name}.csv.gz"
    system = infer_system(file, contexts=CONTEXT, constraints=False)
    parts: Mapping[str, Measurements] = read_measurements_by(file, system, CONTEXT)
    found = {}
    for value, part in parts.items():
        (nfp,) = part.properties
        column = part.column(nfp)
        known = np.flatnonzero(column > 0)
        found[value] = ContextTable(part.configurations[known], column[known])
    return found
