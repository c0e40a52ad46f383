"""The preset `rank`: how good the best configuration is after 20, 50 and 100 runs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

import numpy as np

from casestudies.accuracy.real_systems import rounded
from casestudies.evaluation.evaluation import Evaluation, Row
from casestudies.tuning.samplers import SMAC
from casestudies.tuning.summaries import summary_tables
from casestudies.tuning.tables import load, present
from casestudies.tuning.tuners import code_of, installed, rows_of
from splc.io.tables import Table

SEEDS = 20
BUDGETS = (20, 50, 100)
# A run of SMAC costs several times as much as one of any other.
FEWER_SEEDS = {SMAC: 10}


@dataclass(frozen=True)
class RankEvaluation(Evaluation):
    """The rank and the regret of the best configuration after some numbers of runs."""

    preset: ClassVar[str] = "rank"

    systems: tuple[str, ...] = present()  # names of tables
    tuners: tuple[str, ...] = installed()  # names of tuners
    seeds: int = SEEDS  # the number of seeds, from 0 on

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        for system in self.systems:
            for tuner in self.tuners:
                for seed in range(min(self.seeds, FEWER_SEEDS.get(tuner, self.seeds))):
                    cell = {"system": system, "tuner": tuner, "seed": seed, "code": code_of(tuner)}
                    yield f"{system}, {tuner}, seed {seed}", {**cell, "budgets": list(BUDGETS)}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row with the ranks, the regrets, their mean over the runs, and the CPU time of a suggestion."""
        system, tuner, seed, budgets = cell["system"], cell["tuner"], cell["seed"], cell["budgets"]
        table = load(system)
        started = time.process_time()
        rows = list(islice(rows_of(tuner, table, seed, budgets[-1]), budgets[-1]))
        seconds = (time.process_time() - started) / len(rows)
        best = np.minimum.accumulate([table.told(row) for row in rows])
        after = {budget: float(best[min(budget, len(best)) - 1]) for budget in budgets}
        return [
            {
                "system": system,
                "tuner": tuner,
                "seed": seed,
                **{f"rank {budget}": rounded(table.rank(value)) for budget, value in after.items()},
                **{f"regret {budget}": rounded(table.regret(value)) for budget, value in after.items()},
                "area": rounded(float(np.mean([table.regret(float(value)) for value in best]))),
                "near": int(after[budgets[1]] <= table.best + 0.01 * abs(table.best)),
                "ms": rounded(1000 * seconds),
            }
        ]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the tables of `table.md`."""
        return summary_tables(rows, BUDGETS)
