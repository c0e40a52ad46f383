"""The preset `bias`: how far the value that a tuning run reports is from the true one, when runs have noise."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from casestudies.accuracy.real_systems import rounded
from casestudies.evaluation.evaluation import Evaluation, Row
from casestudies.tuning.made_systems import noise_factor
from casestudies.tuning.summaries import error_of, mean_of
from casestudies.tuning.tables import present, replayed
from casestudies.tuning.tuners import TUNE, code_of
from splc.io.tables import Cell, Table

SYSTEMS = ("LLVM", "x264", "BoomerAMG", "dconvert")
NOISES = (5, 20)
SEEDS, BUDGET = 50, 50


@dataclass(frozen=True)
class BiasEvaluation(Evaluation):
    """The bias of reported values, and how often their intervals hold the true value."""

    preset: ClassVar[str] = "bias"

    systems: tuple[str, ...] = tuple(name for name in SYSTEMS if name in present())  # names of tables
    seeds: int = SEEDS  # the number of seeds of each, from 0 on

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        for seed in range(self.seeds):
            for noise in NOISES:
                for system in self.systems:
                    cell = {"system": system, "noise": noise, "seed": seed, "budget": BUDGET, "code": code_of(TUNE)}
                    yield f"{system}, {noise} % noise, seed {seed}", cell

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row with the bias, whether the 95 % interval holds the true value, and the rank."""
        rng = np.random.default_rng([cell["seed"], cell["noise"], *cell["system"].encode()])
        found = replayed(
            cell["system"],
            cell["budget"],
            lambda value: value * noise_factor(rng, cell["noise"] / 100),
            seed=cell["seed"],
        )
        # Tables of one property have a best value.
        assert found.best is not None
        mean = found.result.best.mean
        low, high = (math.nan if end is None else end for end in (mean.low, mean.high))
        return [
            {
                **{name: cell[name] for name in ("system", "noise", "seed")},
                "bias": rounded(100 * (mean.value / found.best - 1)),
                "inside": int(low <= found.best <= high),
                "runs": mean.runs,
                "rank": rounded(found.rank_percent),
            }
        ]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the table of `table.md`."""
        return (bias_table(rows),)


def bias_table(rows: Sequence[Row]) -> Table:
    """Return the mean bias for each noise, over all tables and for each."""
    lines: list[tuple[Cell, ...]] = []
    for noise in sorted({row["noise"] for row in rows}):
        of_noise = [row for row in rows if row["noise"] == noise]
        for system in ("all", *dict.fromkeys(row["system"] for row in rows)):
            own = [row for row in of_noise if system in ("all", row["system"])]
            values = mean_of(own, "bias"), error_of(own, "bias"), 100 * mean_of(own, "inside"), mean_of(own, "rank")
            lines.append((noise if system == "all" else "", system, len(own), *values))
    header = ("noise %", "table", "replays", "bias %", "±", "95 % intervals hold, %", "rank %")
    return Table(header, tuple(lines), f"After {BUDGET} runs: means over replays, and two standard errors")
