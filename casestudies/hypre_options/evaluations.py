"""The presets `optimum`, `validity` and `sizes`: what the measured solver options answer, with many seeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from casestudies.accuracy.real_systems import rounded
from casestudies.contexts.methods import code as learning_code
from casestudies.contexts.methods import full_model_of
from casestudies.evaluation.evaluation import Evaluation, Row, hash_of
from casestudies.hypre_options.data import ANISOTROPIES, LIMIT, REDUCTION, WORK, converging, every_row, measured
from casestudies.hypre_options.tables import optimum_table, sizes_table, tuned_picture, validity_table
from casestudies.tuning.tuners import TUNE
from casestudies.tuning.tuners import code_of as tuning_code
from splc.data.accuracy import mean_relative_error
from splc.data.measurements import Measurements
from splc.formats.measurements.constraints import failures_of
from splc.io.tables import Table
from splc.learning import learn
from splc.learning.contexts.sharing import Sharing
from splc.learning.projection import ProjectionLearner
from splc.tuning.replay import replay
from splc.types import Array

BUDGET = 60
# Runs whose outcome is known, and configurations of the largest grid that are learned from.
KNOWN, FEW, ALONE = 100, 10, 60
RULES, MODEL = "rules of failed runs", "model of the reduction"


@dataclass(frozen=True)
class SeededEvaluation(Evaluation):
    """An evaluation with seeds."""

    anisotropies: ClassVar[tuple[int, ...]] = ANISOTROPIES

    seeds: int = 20  # the number of seeds, from 0 on

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task: a seed of an anisotropy."""
        own = hash_of(Path(__file__), Path(__file__).with_name("data.py"))
        for anisotropy in self.anisotropies:
            for seed in range(self.seeds):
                cell = {"anisotropy": anisotropy, "seed": seed, "code": f"{own} {self.deciding()}"}
                yield f"anisotropy {anisotropy}, seed {seed}", cell

    def deciding(self) -> str:
        """Return the hash of the code of the product that decides the rows."""
        return learning_code()


@dataclass(frozen=True)
class OptimumEvaluation(SeededEvaluation):
    """The configurations that replayed tuning runs find among those that were measured."""

    preset: ClassVar[str] = "optimum"
    drawn: ClassVar[Mapping[str, Any]] = {"pictures/tuned.png": tuned_picture}

    def deciding(self) -> str:
        """Return the hash of the code of `splc tune`."""
        return tuning_code(TUNE)

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row: the regret, and the share of better configurations, in percent."""
        every, y = every_row(measured(16, cell["anisotropy"]), WORK)
        found = replay(every, {WORK: y}, WORK, BUDGET, seed=cell["seed"])
        row = {name: cell[name] for name in ("anisotropy", "seed")}
        return [{**row, "budget": BUDGET, "regret": rounded(found.regret), "better": rounded(found.rank_percent)}]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the tables of `table.md`."""
        return (optimum_table(rows),)


@dataclass(frozen=True)
class ValidityEvaluation(SeededEvaluation):
    """Which of the other configurations converge, told from the runs of a hundred."""

    preset: ClassVar[str] = "validity"
    anisotropies: ClassVar[tuple[int, ...]] = (30,)

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row per way and number of runs: the shares of configurations named rightly, in percent."""
        table = converging()
        order = np.random.default_rng([cell["seed"], 7]).permutation(len(table))
        fails = table.column(REDUCTION) > LIMIT
        found = []
        for runs in (KNOWN, 3 * KNOWN, 10 * KNOWN):
            known, others = order[:runs], order[runs:]
            for way, named in (
                (RULES, _by_rules(table, known, others, fails)),
                (MODEL, _by_model(table, known, others)),
            ):
                right = int((named & fails[others]).sum())
                found.append(
                    {
                        **{name: cell[name] for name in ("anisotropy", "seed")},
                        **{"runs": runs, "way": way, "named": int(named.sum()), "right": right},
                        "fail": int(fails[others].sum()),
                    }
                )
        return found

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the tables of `table.md`."""
        return (validity_table(rows),)


def _by_rules(table: Measurements, known: Array, others: Array, fails: Array) -> Array:
    """Return which configurations have a combination of values of which every known run failed, shape (m,)."""
    configurations = table.configurations
    failures = failures_of(configurations[known[fails[known]]], configurations[known[~fails[known]]])
    return np.zeros(len(others), dtype=bool) if failures is None else failures.expected(configurations[others])


def _by_model(table: Measurements, known: Array, others: Array) -> Array:
    """Return which configurations reduce the residual too slowly by a model, shape (m,)."""
    return full_model_of(table[known], REDUCTION).predict(table.configurations[others]) > LIMIT


@dataclass(frozen=True)
class SizesEvaluation(SeededEvaluation):
    """Models of a grid of 64 cells along each axis from few runs and the runs of 16 cells, or from more runs alone."""

    preset: ClassVar[str] = "sizes"

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row per way: the error on the configurations that no way learns from, in percent."""
        small, large = (measured(cells, cell["anisotropy"]) for cells in (16, 64))
        order = np.random.default_rng([cell["seed"], 8]).permutation(len(large))
        judged = order[ALONE:]
        rows = large.configurations[judged]
        others = small[np.flatnonzero(rows.find(small.configurations) < 0)]
        found: dict[str, Any] = {}
        for way, source in (("of 16 cells", small), ("of other configurations of 16 cells", others)):
            fit = Sharing.of({"16": source, "64": large[order[:FEW]]}, WORK).fit_of("64")
            together = learn(large[order[:FEW]], WORK, learner=ProjectionLearner(fit=fit))
            found[f"{FEW} runs, and runs {way}"] = together.predictor
        found |= {f"{runs} runs alone": full_model_of(large[order[:runs]], WORK) for runs in (FEW, ALONE)}
        true = large.column(WORK)[judged]
        shared = {name: cell[name] for name in ("anisotropy", "seed")}
        return [
            {
                **shared,
                "way": way,
                "judged": len(judged),
                "error": rounded(mean_relative_error(model.predict(rows), true)),
            }
            for way, model in found.items()
        ]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the tables of `table.md`."""
        return (sizes_table(rows),)
