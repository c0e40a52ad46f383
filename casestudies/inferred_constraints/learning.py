"""The preset `learning`: models and optima with and without the constraints inferred from a quarter of the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from casestudies.accuracy.learners import DEFAULT, code_of
from casestudies.accuracy.real_systems import rounded
from casestudies.evaluation.evaluation import Evaluation, Row
from casestudies.inferred_constraints.systems import (
    PROPERTY,
    TABLES,
    absent,
    as_configurations,
    inferred,
    measured_system,
)
from casestudies.inferred_constraints.tables import learning_table
from sampling import Space
from splc.data.accuracy import mean_relative_error
from splc.data.measurements import Measurements
from splc.io.tables import Table
from splc.learning import learn
from splc.workflows.notebook import optimize

SHARE = 0.25
SIZES = (50, 100)
SEEDS = 10
SYSTEMS = (*TABLES, "exastencils")


@dataclass(frozen=True)
class LearningEvaluation(Evaluation):
    """Models and optima with and without inferred constraints."""

    preset: ClassVar[str] = "learning"

    # names of systems with constraints beyond alternative groups
    systems: tuple[str, ...] = tuple(name for name in SYSTEMS if not absent(name))
    seeds: int = SEEDS  # the number of seeds, from 0 on

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        for system in self.systems:
            for size in SIZES:
                for seed in range(self.seeds):
                    for constraints in (True, False):
                        cell = {"system": system, "size": size, "seed": seed, "constraints": constraints}
                        title = f"{system}, {size} rows, seed {seed}, {'with' if constraints else 'without'}"
                        yield title, {**cell, "code": code_of(DEFAULT)}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the row of a cell: errors on all rows that were not learned from, and what the optimum is."""
        system = measured_system(cell["system"])
        count = len(system.configurations)
        order = np.random.default_rng(cell["seed"]).permutation(count)
        quarter = order[: round(SHARE * count)]
        space = Space(inferred(system, np.sort(quarter), constraints=cell["constraints"]))
        learned = order[: cell["size"]]
        own = as_configurations(system.configurations[learned], space.system)
        measured = Measurements(own, {PROPERTY: system.values[learned][:, np.newaxis]})
        result = learn(measured, PROPERTY, learner=DEFAULT, seed=cell["seed"])
        rest = order[cell["size"] :]
        others = as_configurations(system.configurations[rest], space.system)
        printed, full = (
            mean_relative_error(model.predict(others), system.values[rest]) for model in (result.model, result)
        )
        best = optimize(result, space).configurations
        same = (system.configurations.indices == _indices(best, system.configurations)).all(axis=1)
        place = float((system.values < system.values[same].min()).mean()) if same.any() else None
        kept = {name: cell[name] for name in ("system", "size", "seed", "constraints")}
        return [
            {
                **kept,
                "printed": rounded(printed),
                "full": rounded(full),
                "terms": len(result.model.terms),
                "possible": int(same.any()),
                "better": None if place is None else rounded(100 * place),
            }
        ]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the tables of `table.md`."""
        return (learning_table(rows),)


def _indices(configurations: Any, known: Any) -> Any:
    """Return the value indices of the first configuration, as those of another system with the same options."""
    columns = {name: configurations.column(name)[:1] for name in known.system.names}
    free = type(known.system)(known.system.name, known.system.options)
    return type(known).from_columns(free, columns).indices
