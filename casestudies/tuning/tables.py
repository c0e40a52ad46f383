"""The tables: complete measurements of systems, whose rows answer tuning runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from casestudies.accuracy import systems
from casestudies.real_data import DATA
from splc.data.configurations import Configurations
from splc.formats.inference import infer_system
from splc.formats.measurements.read import read_measurements
from splc.tuning.replay import Replay, replay
from splc.types import Array

# Name here → name in `casestudies.accuracy.systems`.
DESCRIBED: Mapping[str, str] = {
    "LLVM": "LLVM",
    "x264": "x264",
    "Dune": "Dune",
    "exastencils": systems.EXASTENCILS,
    "BoomerAMG": "BoomerAMG, solve_compute_seconds",
}
# Name → property, of tables without a description.
TUNED: Mapping[str, str] = {"HSQLDB": "performance", "dconvert": "time", "deeparch": "aws-theano"}
# Tables of GPU kernels, where a configuration without a value failed.
KERNELS = ("conv_A100", "conv_MI250X", "gemm_3090", "pnpoly_3090")
PUBLISHED = DATA / "tuning" / "published.csv"


@dataclass(frozen=True, eq=False)
class TuningTable:
    """A table whose rows answer."""

    configurations: Configurations  # n distinct configurations
    y: Array  # their values, less is better, shape (n,); NaN where every run fails

    def rank(self, value: float) -> float:
        """Return the share of configurations that are better than a value, in percent."""
        return 100 * float((self.y < value).mean())

    def regret(self, value: float) -> float:
        """Return how much worse than the best a value is, in percent of the distance to the median."""
        return 100 * (value - self.best) / (float(np.nanmedian(self.y)) - self.best)

    @property
    def best(self) -> float:
        """The least value."""
        return float(np.nanmin(self.y))

    def told(self, row: int) -> float:
        """Return what a tuner is told of a row that does not know failed runs: the worst value then."""
        return float(np.nanmax(self.y) if np.isnan(self.y[row]) else self.y[row])


def present() -> tuple[str, ...]:
    """Return the tables that are on this machine."""
    described = tuple(name for name, own in DESCRIBED.items() if not systems.absent(own))
    return (*described, *(name for name in (*TUNED, *KERNELS) if _path(name).is_file()))


def _path(name: str) -> Path:
    return DATA / "tuning" / ("kernels" if name in KERNELS else "") / f"{name}.csv.gz"


@cache
def load(name: str) -> TuningTable:
    """Read a table."""
    if name in DESCRIBED:
        system = systems.load(DESCRIBED[name])
        measured, nfp = system.measurements, system.nfp
    else:
        nfp, path = TUNED.get(name, "time"), _path(name)
        measured = read_measurements(path, infer_system(path, nfp=nfp))
    y = measured.column(nfp)
    known = ~np.isnan(y) | (name in KERNELS)
    return TuningTable(measured.configurations[known], y[known])


def replayed(name: str, budget: int, noisy: Callable[[float], float] = lambda value: value, **settings: Any) -> Replay:
    """Return a tuning run that the rows of a table answer; `noisy` returns the value that a run has instead."""
    table = load(name)

    def answer(row: int, nfp: str) -> float:
        return noisy(float(table.y[row]))

    return replay(table.configurations, {"y": table.y}, "y", budget, answer=answer, **settings)
