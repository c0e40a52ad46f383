"""The preset `simulated`: versions that differ in known influences, tested with pairs and compared by a joint model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from casestudies.changes.tables import detection_table, false_alarm_table, names_table
from casestudies.evaluation.evaluation import Evaluation, Row
from splc.data.configurations import Configurations
from splc.io.tables import Table
from splc.learning.contexts.change_test import change_test
from splc.learning.contexts.contrasts import ContextInfluences
from splc.learning.contexts.sharing import ContextRows, fit_joint_model
from splc.learning.projection import variables_of
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.types import Array

NOISES, PAIRS, OPTIONS = (0.02, 0.05), (10, 20, 40), (8, 11, 14)
SIZES = (0.02, 0.05, 0.1, 0.2)
# Versions with one to five changes of influences among so many options.
MANY_OPTIONS, MOST_CHANGES = 20, 5
SMALLEST, LARGEST = 0.05, 0.4
MANY_PAIRS, ROWS = (20, 40, 100), (50, 100)
# Draws of a cell; those of a joint model take seconds.
DRAWS, JOINT_DRAWS = 120, 40


@dataclass(frozen=True)
class Versions:
    """Two simulated versions of a system with binary options."""

    influences: Array  # the influence of each option on ln y
    changes: Array  # its change, 0 where it is the same
    interactions: tuple[tuple[int, int, float], ...]  # pairs of options with their influence, the same in both versions
    factor: float  # the logarithm of the common factor
    noise: float  # the standard deviation of the noise of ln y, which has heavy tails

    @classmethod
    def drawn(cls, generator: np.random.Generator, changes: Array, factor: float, noise: float) -> Versions:
        """Return versions whose options have influences of very different size."""
        count = len(changes)
        influences = generator.normal(0, 0.3, count) * generator.choice([1.0, 0.1], count)
        pairs = [generator.choice(count, 2, replace=False) for _ in range(4)]
        interactions = tuple((int(one), int(other), float(generator.normal(0, 0.2))) for one, other in pairs)
        return cls(influences, changes, interactions, factor, noise)

    def values(self, generator: np.random.Generator, columns: Array, *, new: bool) -> Array:
        """Return measured values of configurations, shape (n,)."""
        logarithms = 1 + columns @ (self.influences + (self.changes if new else 0)) + (self.factor if new else 0)
        for one, other, influence in self.interactions:
            logarithms = logarithms + influence * columns[:, one] * columns[:, other]
        # A t distribution of 4 degrees of freedom has a variance of 2.
        noise = self.noise * generator.standard_t(4, len(columns)) / np.sqrt(2)
        values: Array = np.exp(logarithms + noise)
        return values


@dataclass(frozen=True)
class SimulatedChanges(Evaluation):
    """Tests of simulated versions."""

    preset: ClassVar[str] = "simulated"

    seeds: int | None = None  # draws of a cell; None: as many as the tables of the page have

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        draws, joint = self.seeds or DRAWS, self.seeds or JOINT_DRAWS
        for noise in NOISES:
            for pairs in PAIRS:
                for options in OPTIONS:
                    test = {"options": options, "pairs": pairs, "noise": noise, "draws": draws}
                    yield f"no change, {options} options", {"kind": "none", "size": 0.0, **test}
                for size in SIZES:
                    yield f"influence {size:g}", {"kind": "influence", "size": size, **test}
                yield "factor", {"kind": "factor", "size": 0.05, **test}
            several = {"options": MANY_OPTIONS, "noise": noise, "size": 0.0}
            for pairs in MANY_PAIRS:
                yield f"several, {pairs} pairs", {"kind": "several", "pairs": pairs, "draws": draws, **several}
            for rows in ROWS:
                yield f"joint model, {rows} rows", {"kind": "joint", "pairs": rows, "draws": joint, **several}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return one row: how many versions were found different, and how many names were stated and right."""
        kind, count = cell["kind"], cell["options"]
        seeds = np.random.SeedSequence([cell["pairs"], count, round(1000 * cell["noise"]), round(1000 * cell["size"])])
        found = {"found": 0, "named": 0, "stated": 0, "right": 0, "changed": 0}
        for draw, seed in enumerate(seeds.spawn(cell["draws"])):
            generator = np.random.default_rng(seed)
            changes, factor = _changes(generator, kind, count, cell["size"])
            versions = Versions.drawn(generator, changes, factor, cell["noise"])
            compare = _by_joint_model if kind == "joint" else _by_pairs
            differs, stated = compare(generator, versions, cell["pairs"], draw)
            true = {f"o{at}" for at in np.flatnonzero(changes)}
            found["found"] += differs
            found["named"] += bool(true) and true <= stated
            found["stated"] += len(stated)
            found["right"] += len(stated & true)
            found["changed"] += len(true)
        return [{**cell, **{name: int(value) for name, value in found.items()}}]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the tables of `table.md`."""
        return false_alarm_table(rows), detection_table(rows), names_table(rows)


def _changes(generator: np.random.Generator, kind: str, count: int, size: float) -> tuple[Array, float]:
    """Return the changes of influences, and the logarithm of the common factor."""
    changes = np.zeros(count)
    if kind == "influence":
        changes[0] = np.log1p(size)
    elif kind in {"several", "joint"}:
        number = int(generator.integers(1, MOST_CHANGES + 1))
        sizes = np.log1p(generator.uniform(SMALLEST, LARGEST, number)) * generator.choice([-1, 1], number)
        changes[generator.choice(count, number, replace=False)] = sizes
    factors = {"factor": np.log1p(size), "several": 0.1 * generator.normal(), "joint": 0.1 * generator.normal()}
    return changes, float(factors.get(kind, 0.0))


def _by_pairs(generator: np.random.Generator, versions: Versions, pairs: int, seed: int) -> tuple[bool, set[str]]:
    """Return whether the test states a change, and the options that it names."""
    columns = generator.integers(0, 2, (pairs, len(versions.changes))).astype(float)
    before, after = (versions.values(generator, columns, new=new) for new in (False, True))
    test = change_test({f"o{at}": column for at, column in enumerate(columns.T)}, before, after, seed=seed)
    return test.changed, {each.options[0] for each in test.influences if len(each.options) == 1}


def _by_joint_model(generator: np.random.Generator, versions: Versions, rows: int, seed: int) -> tuple[bool, set[str]]:
    """Return whether the contrast of a joint model states changed influences, and their options.

    The versions are measured at different configurations.
    """
    system = VariabilityModel("simulated", tuple(BinaryOption(f"o{at}") for at in range(len(versions.changes))))
    parts = {}
    for name, new in (("old", False), ("new", True)):
        columns = np.unique(generator.integers(0, 2, (2 * rows, len(versions.changes))), axis=0)
        columns = generator.permutation(columns)[:rows].astype(float)
        configurations = Configurations.from_columns(system, {f"o{at}": each for at, each in enumerate(columns.T)})
        parts[name] = ContextRows(configurations, versions.values(generator, columns, new=new), np.ones(len(columns)))
    influences = ContextInfluences.of_joint(fit_joint_model(parts, tuple(variables_of(system)), "log"))
    if influences is None:
        return False, set()
    stated = {each.option for each in influences.contrast("old", "new").settled}
    return bool(stated), stated
