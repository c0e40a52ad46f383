"""The preset `traps`: whether two changes are found that pay only together, and cost alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from casestudies.accuracy.real_systems import rounded
from casestudies.evaluation.evaluation import Evaluation, Row, hash_of
from casestudies.tuning.samplers import SMAC
from casestudies.tuning.summaries import error_of, lines_of, mean_of
from casestudies.tuning.tables import TuningTable
from casestudies.tuning.tuners import code_of, installed, rows_of
from sampling.space.space import Space
from splc.io.tables import Cell, Table
from splc.system.variability import VariabilityModel
from splc.types import Array

SEEDS, BUDGET = 20, 50
# What one of the two changes, and both, multiply the value by.
ALONE, TOGETHER = 1.25, 0.6
# Name → the options beside ten binary ones, and the two changes.
SYSTEMS: Mapping[str, tuple[Mapping[str, Any], tuple[str, str]]] = {
    "two options of 12": ({"p": bool, "q": bool}, ("p", "q")),
    "values of 5 and 4": ({"p": list("abcde"), "q": list("vwxy")}, ("p_c", "q_w")),
    "values of 8 and 8": ({"p": list("abcdefgh"), "q": list("rstuvwxy")}, ("p_c", "q_w")),
}


@cache
def trap(name: str) -> tuple[TuningTable, Array]:
    """Return all configurations of a system with their values, which have no noise, and which have both changes."""
    further, pair = SYSTEMS[name]
    system = VariabilityModel.of({**{f"b{place}": bool for place in range(10)}, **further}, (), name)
    configurations, rng = Space(system).enumerate(), np.random.default_rng(len(further))
    columns = np.array([configurations.column(f"b{place}") for place in range(10)])
    logarithms = rng.uniform(-0.1, 0.1, 10) @ columns
    for first, second in zip(rng.permutation(10)[:6:2], rng.permutation(10)[1:6:2], strict=True):
        logarithms += rng.uniform(-0.1, 0.1) * columns[first] * columns[second]
    changes = np.array([configurations.column(each) for each in pair], dtype=int).sum(axis=0)
    values = np.exp(logarithms) * np.array([1.0, ALONE, TOGETHER])[changes]
    return TuningTable(configurations, 100 * values), np.asarray(changes == 2)


@dataclass(frozen=True)
class TrapsEvaluation(Evaluation):
    """The share of searches whose best run has both changes."""

    preset: ClassVar[str] = "traps"

    systems: tuple[str, ...] = tuple(SYSTEMS)  # names of made systems
    tuners: tuple[str, ...] = tuple(name for name in installed() if name != SMAC)  # names of tuners
    seeds: int = SEEDS  # the number of seeds, from 0 on

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        own = hash_of(Path(__file__))
        for system in self.systems:
            for tuner in self.tuners:
                for seed in range(self.seeds):
                    cell = {"system": system, "tuner": tuner, "seed": seed, "code": code_of(tuner), "traps": own}
                    yield f"{system}, {tuner}, seed {seed}", {**cell, "budget": BUDGET}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row with whether the best run has both changes, the run that had them first, and the regret."""
        table, both = trap(cell["system"])
        rows = list(islice(rows_of(cell["tuner"], table, cell["seed"], cell["budget"]), cell["budget"]))
        best = min(rows, key=lambda row: table.y[row])
        first = next((place for place, row in enumerate(rows, 1) if both[row]), None)
        regret = rounded(table.regret(float(table.y[best])))
        facts = {"found": int(both[best]), "first": first, "regret": regret}
        return [{**{name: cell[name] for name in ("system", "tuner", "seed")}, **facts}]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the table of `table.md`."""
        return (traps_table(rows),)


def traps_table(rows: Sequence[Row]) -> Table:
    """Return the searches that find both changes, and the means over the seeds, for each system and tuner."""
    lines: list[tuple[Cell, ...]] = []
    for system, tuner, own in lines_of(rows):
        found = f"{sum(row['found'] for row in own)} of {len(own)}"
        first = float(np.median([row["first"] or BUDGET + 1 for row in own]))
        lines.append((system, tuner, found, first, mean_of(own, "regret"), error_of(own, "regret")))
    header = ("system", "tuner", "found", "median of the first run with both", "regret %", "±")
    return Table(header, tuple(lines), f"After {BUDGET} runs of systems where two changes pay only together")
