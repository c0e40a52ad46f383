"""The measurements of the solver's options: of each grid and anisotropy, how fast solves converge, and tuning runs."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.formats.detect import read_variability_model
from splc.formats.measurements.read import read_measurements
from splc.system.variability import VariabilityModel
from splc.types import Array

HERE = Path(__file__).parent
GRIDS, ANISOTROPIES = (16, 32, 64), (1, 30, 1000)
WORK, REDUCTION = "work_units", "reduction"
# A solve has converged when its residual is 1e-7 of the right-hand side, after 100 iterations at most.
LIMIT = 1e-7 ** (1 / 100)
# Above the factors of all solves with a finite residual.
GREATEST = 100.0


@cache
def described() -> VariabilityModel:
    """Return the description of the options."""
    return read_variability_model(HERE / "system.uvl")


@cache
def measured(cells: int, anisotropy: int, name: str = "measurements") -> Measurements:
    """Return the measurements of a grid of so many cells along each axis; failed runs are its `failures`."""
    path, where = HERE / f"{name}-{cells}.csv.gz", {"anisotropy": str(anisotropy)}
    return read_measurements(path, described(), contexts=("anisotropy", "cells"), where=where)


def every_row(table: Measurements, nfp: str) -> tuple[Configurations, Array]:
    """Return all configurations, also those of which every run failed, and their values, NaN of these."""
    if (failures := table.failures) is None:
        return table.configurations, table.column(nfp)
    rows = Configurations.concatenate([table.configurations, failures.configurations])
    return rows, np.concatenate([table.column(nfp), np.full(len(failures), np.nan)])


@cache
def converging() -> Measurements:
    """Return the factor by which an iteration reduces the residual, also of solves that do not converge.

    It is `GREATEST` where the residual is infinite or NaN at the end.
    """
    configurations, reduction = every_row(measured(16, 30, "convergence"), REDUCTION)
    return Measurements(configurations, {REDUCTION: np.where(np.isnan(reduction), GREATEST, reduction)})


@cache
def tuned() -> Mapping[int, Array]:
    """Return number of runs → the work units of the best configuration of each search of `tune.sh`, shape (n,)."""
    with (HERE / "tuned.csv").open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    budgets = sorted({int(row["runs"]) for row in rows})
    return {runs: np.array([float(row[WORK]) for row in rows if int(row["runs"]) == runs]) for runs in budgets}
