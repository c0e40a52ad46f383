"""The preset `model`: how good the model of all runs of a tuning run is, beside that of as many random runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from casestudies.accuracy.real_systems import rounded
from casestudies.evaluation.evaluation import Evaluation, Row
from casestudies.tuning.summaries import error_of, mean_of
from casestudies.tuning.tables import load, present, replayed
from casestudies.tuning.tuners import RANDOM, TUNE, code_of
from splc.io.tables import Cell, Table
from splc.learning.projection import fit_full_model, variables_of, varying

SYSTEMS = ("LLVM", "BoomerAMG", "dconvert", "x264")
# The shares of the search that are spent on the model, and random runs.
WAYS: Mapping[str, float | None] = {"explore 0": 0.0, "explore 0.2": 0.2, "explore 0.5": 0.5, RANDOM: None}
SEEDS, BUDGET = 5, 50


@dataclass(frozen=True)
class ModelEvaluation(Evaluation):
    """The error of the full model of all runs."""

    preset: ClassVar[str] = "model"

    systems: tuple[str, ...] = tuple(name for name in SYSTEMS if name in present())  # names of tables
    seeds: int = SEEDS  # the number of seeds, from 0 on

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        for seed in range(self.seeds):
            for system in self.systems:
                for way in WAYS:
                    cell = {"system": system, "way": way, "seed": seed, "budget": BUDGET, "code": code_of(TUNE)}
                    yield f"{system}, {way}, seed {seed}", cell

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row with the mean error on all rows that were not run, and the rank of the best run."""
        table, share = load(cell["system"]), WAYS[cell["way"]]
        if share is None:
            learned = np.random.default_rng([cell["seed"], 1]).permutation(len(table.y))[: cell["budget"]]
        else:
            found = replayed(cell["system"], cell["budget"], verify=0, explore=share, seed=cell["seed"])
            learned = table.configurations.find(found.result.model.runs.configurations)
        configurations, y = table.configurations[learned], table.y[learned]
        variables = varying(variables_of(configurations.system), configurations)
        model = fit_full_model(configurations, y, variables)
        others = np.setdiff1d(np.arange(len(table.y)), learned)
        errors = 100 * np.abs(model.predict(table.configurations[others]) / table.y[others] - 1)
        return [
            {
                **{name: cell[name] for name in ("system", "way", "seed")},
                "error": rounded(float(errors.mean())),
                "rank": rounded(table.rank(float(y.min()))),
            }
        ]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the table of `table.md`."""
        return (models_table(rows),)


def models_table(rows: Sequence[Row]) -> Table:
    """Return the mean error of each way, with two standard errors, and in brackets the mean rank of the best run."""
    lines: list[tuple[Cell, ...]] = []
    for system in dict.fromkeys(row["system"] for row in rows):
        cells: list[Cell] = []
        for way in WAYS:
            own = [row for row in rows if (row["system"], row["way"]) == (system, way)]
            error = error_of(own, "error")
            spread = "" if error is None else f" ± {error:.2g}"
            cells.append(f"{mean_of(own, 'error'):.3g}{spread} ({mean_of(own, 'rank'):.3g})")
        lines.append((system, *cells))
    caption = f"After {BUDGET} runs: mean errors in percent, two standard errors, and the rank in percent"
    return Table(("table", *WAYS), tuple(lines), caption)
