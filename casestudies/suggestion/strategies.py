"""The strategies that are compared: each yields measured rows, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import numpy as np

import splc.learning.active
import splc.learning.projection
from casestudies.accuracy import systems
from casestudies.evaluation.evaluation import hash_of
from splc.data.configurations import Configurations
from splc.learning.active.suggestion import suggested_rows
from splc.learning.projection import FullModel, Variable, fit_full_model, variables_of
from splc.system.options import BinaryOption
from splc.tuning import Tuner
from splc.types import Array, Goal

RANDOM, DISTANCE, SUGGEST = "random", "distance", "suggest"
STRATEGIES = (RANDOM, DISTANCE, SUGGEST)
# Name here → name in `casestudies.accuracy.systems`.
SYSTEMS: Mapping[str, str] = {
    "x264": "x264",
    "LLVM": "LLVM",
    "Dune": "Dune",
    "BoomerAMG": "BoomerAMG, solve_compute_seconds",
}


def present() -> tuple[str, ...]:
    """Return the systems whose measurements are on this machine."""
    return tuple(name for name, own in SYSTEMS.items() if not systems.absent(own))


@cache
def measured(name: str) -> tuple[Configurations, Array, tuple[Variable, ...]]:
    """Return the measured configurations of a system, their values, and its variables."""
    system = systems.load(SYSTEMS[name])
    configurations = system.measurements.configurations
    return configurations, system.measurements.column(system.nfp), variables_of(configurations.system)


def rows_of(strategy: str, name: str, seed: int, allowed: Array, goal: Goal = "variance") -> Iterator[int]:
    """Yield rows of a system, among those that are allowed."""
    configurations, y, variables = measured(name)
    rng = np.random.default_rng([seed, 1])
    if strategy == RANDOM:
        yield from rng.permutation(np.flatnonzero(allowed)).tolist()
    elif strategy == DISTANCE:
        yield from distance_rows(configurations, allowed, rng)
    elif goal == "optimum":
        yield from tuned_rows(configurations, y, allowed, seed)
    else:
        yield from suggested_rows(configurations, y, variables, seed, allowed=allowed)


def tuned_rows(configurations: Configurations, y: Array, allowed: Array, seed: int) -> Iterator[int]:
    """Yield rows in the order in which a tuning run asks for them, each once."""
    places = np.flatnonzero(allowed)
    tuner = Tuner(configurations[places], "y", len(places), verify=0, seed=seed)
    found: set[int] = set()
    while (trial := tuner.ask()) is not None:
        row = int(configurations.find(tuner.history.configurations[[trial.row]])[0])
        tuner.tell(trial, float(y[row]))
        if row not in found:
            found.add(row)
            yield row


def distance_rows(configurations: Configurations, allowed: Array, rng: np.random.Generator) -> Iterator[int]:
    """Yield rows by distance-based sampling (C. Kaltenecker et al., ICSE 2019).

    Each time a distance from the origin is drawn uniformly, then a row with that distance. The distance is the number
    of selected options plus the places of numeric values, from 0 to 1.
    """
    distances = np.zeros(len(configurations))
    for position, option in enumerate(configurations.system.options):
        own = configurations.indices[:, position].astype(float)
        distances += own if isinstance(option, BinaryOption) else own / max(option.size - 1, 1)
    groups: dict[float, list[int]] = {}
    for row in rng.permutation(np.flatnonzero(allowed)).tolist():
        groups.setdefault(round(float(distances[row]), 9), []).append(row)
    while groups:
        distance = sorted(groups)[int(rng.integers(len(groups)))]
        yield groups[distance].pop()
        if not groups[distance]:
            del groups[distance]


def model_of(name: str, rows: list[int]) -> FullModel:
    """Return the full model of some rows."""
    configurations, y, variables = measured(name)
    return fit_full_model(configurations[rows], y[rows], variables)


@cache
def code_of(strategy: str) -> str:
    """Return the hash of the code that decides the rows of a strategy and the models."""
    folders = [splc.learning.projection, *([splc.learning.active] if strategy == SUGGEST else [])]
    files = [file for folder in folders for file in sorted(Path(str(folder.__file__)).parent.glob("*.py"))]
    return hash_of(Path(__file__), *files)
